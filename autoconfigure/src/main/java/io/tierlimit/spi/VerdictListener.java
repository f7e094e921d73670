package io.tierlimit.spi;

import io.tierlimit.RateLimiter;
import io.tierlimit.Verdict;

/**
 * Is told what was decided: for meters, events, an audit.
 */
@FunctionalInterface
public interface VerdictListener {

	/**
	 * Is called once a web request, when its response is complete, and once for every
	 * call of an annotated method or of a {@link RateLimiter}; not if no rule applied.
	 * Runs in the thread that completes the request or makes the call, so it should be
	 * quick. An exception is logged and goes no further.
	 * @param verdict every decision
	 * @param caller the caller; not to be kept beyond this call
	 */
	void decided(Verdict verdict, Caller caller);

}
