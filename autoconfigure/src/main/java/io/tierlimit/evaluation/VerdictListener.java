package io.tierlimit.evaluation;

import io.tierlimit.key.Caller;

/**
 * Is told what was decided: for meters, events, an audit.
 */
@FunctionalInterface
public interface VerdictListener {

	/**
	 * Is called once a web request, after its last stage, and once for every call of an
	 * annotated method or of a {@link RateLimiter} beside; not if no rule applied. Runs
	 * in the thread that was decided for, which waits meanwhile: so it should be quick.
	 * What it throws is logged and goes no further.
	 * @param verdict every decision
	 * @param caller who asked; not to be kept beyond this call
	 */
	void decided(Verdict verdict, Caller caller);

}
