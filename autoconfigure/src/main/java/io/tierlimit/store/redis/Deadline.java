package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Until when somebody waits for Redis, whatever is sent.
 *
 * @param nanos a moment of {@link System#nanoTime()}
 */
record Deadline(long nanos) {

	static Deadline in(Duration time) {
		return new Deadline(System.nanoTime() + time.toNanos());
	}

	/** The time that is left; negative if it is over. */
	Duration left() {
		return Duration.ofNanos(this.nanos - System.nanoTime());
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
			return answer.get(this.nanos - System.nanoTime(), TimeUnit.NANOSECONDS);
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
