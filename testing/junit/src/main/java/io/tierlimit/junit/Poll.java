package io.tierlimit.junit;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits until a condition is met, at most for a given time. All tests that wait for
 * another process use this class.
 */
public final class Poll {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final long INTERVAL_MILLIS = 10;

	private Poll() {
	}

	/** Waits for up to a minute. */
	public static void until(BooleanSupplier condition, Supplier<String> failure) {
		until(PATIENCE, condition, failure);
	}

	/**
	 * Throws an exception with the message of the failure if the condition is not met in
	 * time.
	 */
	public static void until(Duration limit, BooleanSupplier condition, Supplier<String> failure) {
		long deadline = System.nanoTime() + limit.toNanos();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - deadline > 0) {
				throw new IllegalStateException("After " + limit + ": " + failure.get());
			}
			try {
				Thread.sleep(INTERVAL_MILLIS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("Interrupted: " + failure.get(), ex);
			}
		}
	}

}
