package io.tierlimit.spi;

import io.tierlimit.RateLimiter;
import io.tierlimit.Verdict;

/**
 * Receives verdicts, for meters, events or an audit.
 */
@FunctionalInterface
public interface VerdictListener {

	/**
	 * Called once per web request, when its response is complete, and once per call of an
	 * annotated method or of a {@link RateLimiter}; not if no rule applied. Runs in the
	 * thread that completes the request or makes the call, so it must be fast. An
	 * exception is logged and has no other effect.
	 * @param verdict the verdict with all decisions
	 * @param caller the caller; valid only during this call
	 */
	void onVerdict(Verdict verdict, Caller caller);

}
