package io.tierlimit.store.redis;

import java.util.function.BooleanSupplier;

import io.tierlimit.store.StoreListener;
import io.tierlimit.store.StoreListener.CallOutcome;

/**
 * Calls Redis, and tells how that went: each call to a listener, and an outage to the
 * log.
 */
final class WatchedCalls {

	private final StoreListener listener;

	private final Outage outage;

	private final BooleanSupplier isWell;

	/**
	 * Creates calls.
	 * @param listener is told of every call
	 * @param outage is told of failures, and when they are over
	 * @param isWell whether every server that is needed is called at present
	 */
	WatchedCalls(StoreListener listener, Outage outage, BooleanSupplier isWell) {
		this.listener = listener;
		this.outage = outage;
		this.isWell = isWell;
	}

	<R> R run(Call<R> call) throws StoreFailure {
		long start = System.nanoTime();
		try {
			R answer = call.run();
			this.listener.called(CallOutcome.ANSWERED, System.nanoTime() - start);
			if (!this.outage.isOver() && this.isWell.getAsBoolean()) {
				this.outage.succeeded();
			}
			return answer;
		}
		catch (StoreFailure.Interrupted ex) {
			throw ex;
		}
		catch (StoreFailure ex) {
			this.listener.called((ex instanceof StoreFailure.Away) ? CallOutcome.SKIPPED : CallOutcome.FAILED,
					System.nanoTime() - start);
			this.outage.failed(ex);
			throw ex;
		}
	}

	/** Calls for what is as good as possible without Redis; tells whether it is done. */
	boolean attempt(Attempt attempt) {
		try {
			return run(() -> {
				attempt.run();
				return true;
			});
		}
		catch (StoreFailure ex) {
			return false;
		}
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
	 * Something that Redis is to do.
	 */
	@FunctionalInterface
	interface Attempt {

		void run() throws StoreFailure;

	}

}
