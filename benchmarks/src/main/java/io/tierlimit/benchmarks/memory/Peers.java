package io.tierlimit.benchmarks.memory;

import java.time.Duration;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;

/**
 * One bucket of each other library, with a limit that allows every request.
 */
public final class Peers {

	private static final int PERMITS = 1_000_000_000;

	private static final RateLimiterConfig RESILIENCE4J = RateLimiterConfig.custom()
		.limitForPeriod(PERMITS)
		.limitRefreshPeriod(Duration.ofSeconds(1))
		.timeoutDuration(Duration.ZERO)
		.build();

	private Peers() {
	}

	/**
	 * Creates a reference bucket.
	 * @return the bucket
	 */
	public static ReferenceBucket reference() {
		return new ReferenceBucket();
	}

	/**
	 * Creates a local bucket of bucket4j.
	 * @return the bucket
	 */
	public static Bucket bucket4j() {
		return Bucket.builder()
			.addLimit((limit) -> limit.capacity(PERMITS).refillGreedy(PERMITS, Duration.ofSeconds(1)))
			.build();
	}

	/**
	 * Creates a rate limiter of Resilience4j, without its registry.
	 * @return the rate limiter
	 */
	public static AtomicRateLimiter resilience4j() {
		return new AtomicRateLimiter("one", RESILIENCE4J);
	}

	/**
	 * Creates a rate limiter of Guava.
	 * @return the rate limiter
	 */
	@SuppressWarnings("UnstableApiUsage")
	public static RateLimiter guava() {
		return RateLimiter.create(PERMITS);
	}

}
