package io.tierlimit.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.StoreStatus.Failure;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs once that Redis cannot be reached, and once that it can be reached again, with the
 * numbers of requests that were decided in the meantime. A failure less than a second
 * after the previous failure belongs to the same outage.
 */
final class OutageTracker {

	private static final Log logger = LogFactory.getLog(RedisBucketStore.class);

	private static final long QUIET = Duration.ofSeconds(1).toNanos();

	private final AtomicReference<@Nullable Numbers> current = new AtomicReference<>();

	private final LongSupplier nanoTime;

	private volatile @Nullable Failure lastFailure;

	OutageTracker(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/** Records that Redis could not be reached. */
	void recordFailure(StoreFailure failure) {
		if (!(failure instanceof StoreFailure.CallSkipped)) {
			this.lastFailure = new Failure(String.valueOf(failure.getMessage()), Instant.now());
		}
		Numbers numbers = this.current.get();
		long now = this.nanoTime.getAsLong();
		if (numbers == null) {
			numbers = new Numbers(now);
			if (this.current.compareAndSet(null, numbers)) {
				logger.warn("Redis cannot be reached (" + failure.getMessage()
						+ "). Until it can, on-store-failure of each rule applies.");
			}
		}
		numbers.lastFailure = now;
	}

	/** Counts a request that was decided without Redis. */
	void count(AcquireResult result) {
		Numbers numbers = this.current.get();
		if (numbers != null) {
			numbers.count(result);
		}
	}

	/** Records that Redis has replied while every needed server is called. */
	void recordSuccess() {
		Numbers numbers = this.current.get();
		if (numbers == null) {
			return;
		}
		long now = this.nanoTime.getAsLong();
		if (now - numbers.lastFailure > QUIET && this.current.compareAndSet(numbers, null)) {
			logger.info("Redis can be reached again after "
					+ Duration.ofNanos(numbers.lastFailure - numbers.start).toMillis() + " ms. In the meantime, "
					+ numbers);
		}
	}

	/** The last failure, of this outage or an earlier one. */
	@Nullable Failure lastFailure() {
		return this.lastFailure;
	}

	boolean isOver() {
		return this.current.get() == null;
	}

	private static final class Numbers {

		private final long start;

		private final LongAdder local = new LongAdder();

		private final LongAdder allowed = new LongAdder();

		private final LongAdder denied = new LongAdder();

		private volatile long lastFailure;

		Numbers(long start) {
			this.start = start;
			this.lastFailure = start;
		}

		void count(AcquireResult result) {
			if (result.source() == Source.NONE) {
				this.denied.increment();
			}
			else if (result.decisions().stream().allMatch(Objects::isNull)) {
				this.allowed.increment();
			}
			else {
				this.local.increment();
			}
		}

		@Override
		public String toString() {
			return this.local + " requests were decided by this instance alone, " + this.allowed + " were allowed, and "
					+ this.denied + " were rejected as unavailable.";
		}

	}

}
