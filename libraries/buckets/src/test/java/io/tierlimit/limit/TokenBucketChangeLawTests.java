package io.tierlimit.limit;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TokenBucketChangeLawTests {

	private static final long NOW = 1_700_000_000_000_000L;

	private static final long SECOND = 1_000_000;

	private final BucketState state = new BucketState(Long.MIN_VALUE);

	@RandomizedTest(200)
	void alternatingLimitsDecideLikeExactFractions(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		List<TokenBucket> limits = List.of(traffic.limit(), traffic.limit(), traffic.limit());
		TokenBucket limit = limits.get(0);
		ExactTokenBucket exact = new ExactTokenBucket();
		for (int i = 0; i < 500; i++) {
			limit = traffic.oneIn(5) ? limits.get(i % 3) : limit;
			long now = traffic.moment(limit);
			long cost = traffic.cost(limit, this.state);
			assertThat(limit.acquire(this.state, cost, now)).isEqualTo(exact.acquire(limit, cost, now));
			if (traffic.oneIn(20)) {
				limit.refund(this.state, cost, now);
				exact.refund(limit, cost, now);
			}
		}
	}

	@RandomizedTest(200)
	void changeOfTheLimitAddsNoPermits(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		TokenBucket old = traffic.limit();
		for (int i = 0; i < 200; i++) {
			long now = traffic.moment(old);
			Decision before = old.acquire(this.state, traffic.cost(old, this.state), now);
			TokenBucket changed = traffic.limit();
			long consumed = old.capacity() - before.remaining();
			long updatedAt = Math.max(now, this.state.updatedAt());
			old.acquire(this.state, 0, updatedAt);
			assertThat(changed.remaining(this.state, updatedAt)).isEqualTo(Math.max(0, changed.capacity() - consumed));
		}
	}

	@Test
	void consumedPermitsStayConsumedUnderALargerCapacity() {
		new TokenBucket(Rate.parse("1/s"), 10).acquire(this.state, 3, NOW);
		assertThat(new TokenBucket(Rate.parse("1/s"), 20).peek(this.state, 0, NOW))
			.isEqualTo(new Decision(true, 17, 0, SECOND, 3 * SECOND));
	}

	@Test
	void consumedPermitsAreClampedToASmallerCapacity() {
		new TokenBucket(Rate.parse("1/s"), 10).acquire(this.state, 8, NOW);
		TokenBucket smaller = new TokenBucket(Rate.parse("1/s"), 5);
		assertThat(smaller.acquire(this.state, 1, NOW)).isEqualTo(new Decision(false, 0, SECOND, SECOND, 5 * SECOND));
		assertThat(smaller.remaining(this.state, NOW + 5 * SECOND)).isEqualTo(5);
	}

	@Test
	void consumedPermitsAreRefilledAtTheNewRate() {
		new TokenBucket(Rate.parse("1/s"), 100).acquire(this.state, 100, NOW);
		TokenBucket faster = new TokenBucket(Rate.parse("10/s"), 100);
		assertThat(faster.peek(this.state, 1, NOW)).isEqualTo(new Decision(false, 0, 100_000, 100_000, 10 * SECOND));
		assertThat(faster.remaining(this.state, NOW + 3 * SECOND)).isEqualTo(30);
	}

	@Test
	void fractionOfAPermitIsRoundedInTheCallersDisfavor() {
		TokenBucket thirds = new TokenBucket(new Rate(1, Duration.of(3, ChronoUnit.MICROS)));
		thirds.acquire(this.state, 1, NOW);
		thirds.acquire(this.state, 0, NOW + 2);
		TokenBucket halves = new TokenBucket(new Rate(1, Duration.of(2, ChronoUnit.MICROS)));
		// Two thirds of a permit are one half and a sixth: the sixth is lost.
		assertThat(halves.peek(this.state, 1, NOW + 2).retryAfterTicks()).isEqualTo(1);
		assertThat(thirds.peek(this.state, 1, NOW + 2).retryAfterTicks()).isEqualTo(1);
		halves.acquire(this.state, 0, NOW + 2);
		assertThat(thirds.peek(this.state, 1, NOW + 2).retryAfterTicks()).isEqualTo(2);
	}

}
