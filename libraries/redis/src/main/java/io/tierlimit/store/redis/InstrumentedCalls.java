package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.function.BooleanSupplier;

import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.StoreListener.CallOutcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Calls Redis and reports the result: each call to a listener, and failures to the outage
 * tracker.
 *
 * @param listener is notified of every call
 * @param outage records the beginning and the end of outages
 * @param isHealthy whether every needed server is called at present
 * @param timeout the time to wait for a reply
 */
record InstrumentedCalls(StoreListener listener, OutageTracker outage, BooleanSupplier isHealthy, Duration timeout) {

	private static final Log logger = LogFactory.getLog(InstrumentedCalls.class);

	/** Calls Redis for a request, unless a call of the request has failed before. */
	<R> R run(StoreFailureFlag failureFlag, Call<R> call) throws StoreFailure {
		if (failureFlag.isSet()) {
			throw new StoreFailure.NotAwaited("a call of the same request has failed", null);
		}
		return run(failureFlag, this.timeout, call);
	}

	private <R> R run(StoreFailureFlag failureFlag, Duration timeLimit, Call<R> call) throws StoreFailure {
		long start = System.nanoTime();
		try {
			R answer = call.run(timeLimit);
			this.listener.onCall(CallOutcome.ANSWERED, System.nanoTime() - start);
			if (!this.outage.isOver() && this.isHealthy.getAsBoolean()) {
				this.outage.recordSuccess();
			}
			return answer;
		}
		catch (StoreFailure ex) {
			boolean skipped = ex instanceof StoreFailure.CallSkipped;
			// A skipped call has not delayed the request.
			if (!skipped) {
				failureFlag.set();
			}
			if (!(ex instanceof StoreFailure.NotAwaited)) {
				this.listener.onCall(skipped ? CallOutcome.SKIPPED : CallOutcome.FAILED, System.nanoTime() - start);
				this.outage.recordFailure(ex);
			}
			throw ex;
		}
	}

	/**
	 * Makes a call whose failure does not affect the request. If an earlier call of the
	 * same request has failed, this call is sent without waiting for its reply.
	 * @return whether the call has certainly taken effect
	 */
	boolean attempt(StoreFailureFlag failureFlag, Call<Boolean> call) {
		try {
			return run(failureFlag, failureFlag.isSet() ? Duration.ZERO : this.timeout, call);
		}
		catch (StoreFailure ex) {
			logger.debug("A call to Redis failed", ex);
			return false;
		}
	}

	/**
	 * A call with a timeout. With a timeout of zero, the call is sent without waiting for
	 * its reply.
	 *
	 * @param <R> the reply
	 */
	@FunctionalInterface
	interface Call<R> {

		R run(Duration timeout) throws StoreFailure;

	}

}
