package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * The moment until which a thread waits for Redis, however many calls it sends.
 *
 * @param nanos a moment of the clock
 * @param clock counts nanoseconds like {@link System#nanoTime()}
 */
record Deadline(long nanos, LongSupplier clock) {

	static Deadline in(Duration time, LongSupplier clock) {
		return new Deadline(clock.getAsLong() + time.toNanos(), clock);
	}

	/** The time that is left; negative if it is over. */
	Duration left() {
		return Duration.ofNanos(this.nanos - this.clock.getAsLong());
	}

	/** Fails if it is over. */
	void check() throws StoreFailure {
		if (left().isNegative()) {
			throw new StoreFailure.NotAwaited("the time is up", null);
		}
	}

	/** Waits for an answer. */
	<T> T get(Future<T> answer) throws StoreFailure {
		try {
			return answer.get(this.nanos - this.clock.getAsLong(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			// What isn't sent yet is not to be sent any more.
			answer.cancel(true);
			throw new StoreFailure("it doesn't answer in time", ex);
		}
		catch (CancellationException ex) {
			throw new StoreFailure("the connection was closed", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			answer.cancel(true);
			throw StoreFailure.NotAwaited.interrupted(ex);
		}
		catch (ExecutionException ex) {
			throw StoreFailure.of(ex);
		}
	}

}
