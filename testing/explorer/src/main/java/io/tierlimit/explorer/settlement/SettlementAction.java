package io.tierlimit.explorer.settlement;

import org.jspecify.annotations.Nullable;

/**
 * What happens in one step.
 *
 * @param kind what happens
 * @param request the index of the request; -1 for the clock
 * @param call the call that is executed, repeated or lost; {@code null} for other actions
 */
public record SettlementAction(Kind kind, int request, @Nullable SettlementCall call) {

	@Override
	public String toString() {
		return this.kind + ((this.request < 0) ? "" : " " + this.request)
				+ ((this.call != null) ? " (" + this.call + ")" : "");
	}

	/**
	 * The kinds of actions.
	 */
	public enum Kind {

		/** A call that was sent is executed, early or late. */
		EXECUTE,
		/** A call that was sent is never executed. */
		LOSE,
		/** A call that was sent is sent again. */
		REPEAT,
		/** A request no longer waits for the reply to its acquisition. */
		GIVE_UP,
		/** A request uses one permit. */
		USE,
		/** Code meters what the request has used. */
		METER,
		/** What was metered since the last flush is sent. */
		FLUSH,
		/** Code settles the request with what it has used. */
		SETTLE,
		/** The response is complete, and its cost is known. */
		COMPLETE,
		/** The response ends without a known cost. */
		COMPLETE_UNKNOWN,
		/** The response is complete, and its outcome is not charged. */
		REFUND,
		/** Another rule rejects the request before it uses anything. */
		ROLL_BACK,
		/** Code settles a request that has ended. */
		SETTLE_LATE,
		/** The instance of the request stops. */
		CRASH,
		/** The bucket earns a permit. */
		TICK

	}

}
