package io.tierlimit.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import io.tierlimit.spi.AcquireResult;
import io.tierlimit.spi.AcquireResult.Source;
import io.tierlimit.spi.StoreStatus.Failure;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Tells once that Redis can't be reached, and once that it can again, with what became of
 * requests meanwhile. What fails again within a second belongs to the same outage.
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

	/** Notes that Redis could not be reached. */
	void failed(StoreFailure failure) {
		if (!(failure instanceof StoreFailure.Away)) {
			this.lastFailure = new Failure(String.valueOf(failure.getMessage()), Instant.now());
		}
		Numbers numbers = this.current.get();
		long now = this.nanoTime.getAsLong();
		if (numbers == null) {
			numbers = new Numbers(now);
			if (this.current.compareAndSet(null, numbers)) {
				logger.warn("Redis can't be reached (" + failure.getMessage()
						+ "). Until it can, every rule does as its on-store-failure says.");
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

	/** Notes that Redis has answered, and every server is being called again. */
	void succeeded() {
		Numbers numbers = this.current.get();
		if (numbers == null) {
			return;
		}
		long now = this.nanoTime.getAsLong();
		if (now - numbers.lastFailure > QUIET && this.current.compareAndSet(numbers, null)) {
			logger.info("Redis can be reached again after "
					+ Duration.ofNanos(numbers.lastFailure - numbers.start).toMillis() + " ms, in which " + numbers);
		}
	}

	/** What went wrong last, in this outage or before. */
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
			return this.local + " requests were decided by this instance alone, " + this.allowed
					+ " were let through, and " + this.denied + " were answered as unavailable.";
		}

	}

}
