package io.tierlimit.benchmarks.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson with one limiter for each tier, checked one after the other.
 */
final class RedissonSubject implements Subject {

	private final RedissonClient client;

	private final List<List<RRateLimiter>> limiters = new ArrayList<>();

	RedissonSubject(int port, int tiers) {
		Config config = new Config();
		config.useSingleServer().setAddress("redis://localhost:" + port);
		this.client = Redisson.create(config);
		for (int caller = 0; caller < RedisBenchmarks.CALLERS; caller++) {
			List<RRateLimiter> all = new ArrayList<>();
			for (int i = 0; i < tiers; i++) {
				RRateLimiter limiter = this.client.getRateLimiter("redisson:tier-" + i + ":{user-" + caller + "}");
				limiter.trySetRate(RateType.OVERALL, 1_000_000_000, Duration.ofSeconds(1));
				all.add(limiter);
			}
			this.limiters.add(all);
		}
	}

	@Override
	public void check(int caller) {
		for (RRateLimiter limiter : this.limiters.get(caller)) {
			if (!limiter.tryAcquire()) {
				return;
			}
		}
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
