package io.tierlimit.spi;

import io.tierlimit.RateLimiter;
import io.tierlimit.Verdict;

/**
 * Receives verdicts, for meters, events or an audit.
 */
@FunctionalInterface
public interface VerdictListener {

	/**
	 * Called once for each web request when its response is complete, and once for each
	 * call to an annotated method or to a {@link RateLimiter}. Not called if no rule
	 * applied. Runs in the thread that completes the request or makes the call, and
	 * therefore must be fast. An exception is logged and has no other effect.
	 * @param verdict the verdict with all decisions
	 * @param caller the caller; valid only during this call
	 */
	void onVerdict(Verdict verdict, Caller caller);

}
