package io.tierlimit.evaluation;

/**
 * A call to an annotated method that is allowed and has not ended.
 */
@FunctionalInterface
public interface RunningCall {

	/** A call that holds no permits. */
	RunningCall WITHOUT_PERMITS = () -> {
	};

	/**
	 * Ends the call, and releases the permits that it holds. Called by any thread.
	 * Further calls have no effect.
	 */
	void end();

}
