package io.tierlimit.explorer.acquisition;

/**
 * What happens in one step.
 *
 * @param kind what happens
 * @param request the index of the request; -1 for the clock
 * @param slot the index of the slot; -1 for a crash and for the clock
 */
public record Action(Kind kind, int request, int slot) {

	static final Action TICK = new Action(Kind.TICK, -1, -1);

	@Override
	public String toString() {
		return switch (this.kind) {
			case TICK -> "tick";
			case CRASH -> this.request + " crashes";
			default -> this.request + " " + this.kind.text + " slot " + this.slot;
		};
	}

	/**
	 * The kinds of actions.
	 */
	public enum Kind {

		/** A slot executes the last call of the request. */
		EXECUTE("is executed in"),
		/** The request receives the reply of a slot. */
		SEE("sees"),
		/** The request no longer waits for the reply of a slot. */
		GIVE_UP("gives up on"),
		/** A slot executes a call of which the request no longer waits for the reply. */
		EXECUTE_LATE("is executed late in"),
		/** The instance of the request stops. */
		CRASH(""),
		/** Each bucket earns a permit. */
		TICK("");

		private final String text;

		Kind(String text) {
			this.text = text;
		}

	}

}
