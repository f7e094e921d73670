package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.function.BooleanSupplier;

import io.tierlimit.spi.StoreBudget;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.StoreListener.CallOutcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Calls Redis, and tells how that went: each call to a listener, and an outage to the
 * log.
 */
final class InstrumentedCalls {

	private static final Log logger = LogFactory.getLog(InstrumentedCalls.class);

	private final StoreListener listener;

	private final OutageTracker outage;

	private final BooleanSupplier isHealthy;

	private final Duration timeout;

	/**
	 * Creates calls.
	 * @param listener is told of every call
	 * @param outage is told of failures, and when they are over
	 * @param isHealthy whether every server that is needed is called at present
	 * @param timeout how long to wait for a reply
	 */
	InstrumentedCalls(StoreListener listener, OutageTracker outage, BooleanSupplier isHealthy, Duration timeout) {
		this.listener = listener;
		this.outage = outage;
		this.isHealthy = isHealthy;
		this.timeout = timeout;
	}

	/** Calls for a request, unless a call of it has failed before. */
	<R> R run(StoreBudget budget, Call<R> call) throws StoreFailure {
		if (budget.isExhausted()) {
			throw new StoreFailure.NotAwaited("a call of the same request has failed", null);
		}
		try {
			return run(call);
		}
		catch (StoreFailure.Away ex) {
			// Which has cost no time.
			throw ex;
		}
		catch (StoreFailure ex) {
			budget.exhaust();
			throw ex;
		}
	}

	<R> R run(Call<R> call) throws StoreFailure {
		long start = System.nanoTime();
		try {
			R answer = call.run();
			this.listener.called(CallOutcome.ANSWERED, System.nanoTime() - start);
			if (!this.outage.isOver() && this.isHealthy.getAsBoolean()) {
				this.outage.succeeded();
			}
			return answer;
		}
		catch (StoreFailure.NotAwaited ex) {
			throw ex;
		}
		catch (StoreFailure ex) {
			this.listener.called((ex instanceof StoreFailure.Away) ? CallOutcome.SKIPPED : CallOutcome.FAILED,
					System.nanoTime() - start);
			this.outage.failed(ex);
			throw ex;
		}
	}

	/**
	 * Makes a call that the request can do without. If a call of the same request has
	 * failed before, it is sent without waiting for its reply.
	 * @return whether it is known to be done
	 */
	boolean attempt(StoreBudget budget, Attempt attempt) {
		try {
			if (budget.isExhausted()) {
				return run(() -> attempt(attempt, Duration.ZERO));
			}
			return run(budget, () -> attempt(attempt, this.timeout));
		}
		catch (StoreFailure ex) {
			logger.debug("A call of Redis failed", ex);
			return false;
		}
	}

	private static boolean attempt(Attempt attempt, Duration timeout) throws StoreFailure {
		attempt.run(timeout);
		return true;
	}

	/**
	 * Something that Redis is to answer.
	 *
	 * @param <R> the answer
	 */
	@FunctionalInterface
	interface Call<R> {

		R run() throws StoreFailure;

	}

	/**
	 * Something that Redis is to do, within a timeout or without anybody who waits.
	 */
	@FunctionalInterface
	interface Attempt {

		void run(Duration timeout) throws StoreFailure;

	}

}
