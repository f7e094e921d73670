package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * The deadline for all calls to Redis of one operation.
 *
 * @param nanos the time of the clock at which the operation stops waiting
 * @param clock a clock in nanoseconds, like {@link System#nanoTime()}
 */
record Deadline(long nanos, LongSupplier clock) {

	static Deadline in(Duration time, LongSupplier clock) {
		return new Deadline(clock.getAsLong() + time.toNanos(), clock);
	}

	/** The remaining time; negative after the deadline. */
	Duration left() {
		return Duration.ofNanos(this.nanos - this.clock.getAsLong());
	}

	/** Fails after the deadline. */
	void check() throws StoreFailure {
		if (left().isNegative()) {
			throw new StoreFailure.NotAwaited("the deadline has passed", null);
		}
	}

	/** Waits for a reply. */
	<T> T get(Future<T> reply) throws StoreFailure {
		try {
			return reply.get(this.nanos - this.clock.getAsLong(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			// A call that has not been sent yet must not be sent later.
			reply.cancel(true);
			throw new StoreFailure("no reply in time", ex);
		}
		catch (CancellationException ex) {
			throw new StoreFailure("the connection was closed", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			reply.cancel(true);
			throw StoreFailure.NotAwaited.interrupted(ex);
		}
		catch (ExecutionException ex) {
			throw StoreFailure.of(ex);
		}
	}

}
