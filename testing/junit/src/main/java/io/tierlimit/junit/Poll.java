package io.tierlimit.junit;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The one place where tests wait for another process: bounded, and never for a fixed
 * time.
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
