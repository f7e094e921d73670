package io.tierlimit.explorer.holder;

/**
 * What happens in one step.
 *
 * @param kind what happens
 * @param index the index of the request or the instance; -1 for the clock and a change
 */
public record HolderAction(Kind kind, int index) {

	@Override
	public String toString() {
		return (this.index < 0) ? this.kind.name() : this.kind + " " + this.index;
	}

	/**
	 * The kinds of actions.
	 */
	public enum Kind {

		/** The call of a request that acquires or releases is executed. */
		EXECUTE,
		/** A request receives the reply to its acquisition. */
		SEE,
		/** A request no longer waits for its reply. */
		GIVE_UP,
		/** The response of a request is complete. */
		COMPLETE,
		/** A call is executed of which the request no longer waits for the reply. */
		EXECUTE_LATE,
		/** Such a call is lost. */
		LOSE,
		/** An instance renews its holders. */
		RENEW,
		/** An instance sends a renewal that arrives late. */
		SEND_RENEWAL,
		/** The late renewal of an instance is executed. */
		RENEW_LATE,
		/** An instance stops without releasing anything. */
		CRASH,
		/** The rule of new requests is changed, so that they have another bucket. */
		CHANGE,
		/** Time passes, and all renewals that are due have arrived. */
		TICK,
		/** Time passes, although renewals that are due have not arrived. */
		TICK_TOO_EARLY

	}

}
