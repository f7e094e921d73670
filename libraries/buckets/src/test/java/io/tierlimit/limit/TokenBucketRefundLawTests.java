package io.tierlimit.limit;

import java.math.BigInteger;

import static org.assertj.core.api.Assertions.assertThat;

class TokenBucketRefundLawTests {

	private static final int REQUESTS = 200;

	private final BucketState state = new BucketState(Long.MIN_VALUE);

	@RandomizedTest(200)
	void refundWithoutLaterChargesIsExact(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		TokenBucket limit = traffic.limit();
		for (int i = 0; i < 20; i++) {
			limit.acquire(this.state, traffic.cost(limit, this.state), traffic.moment(limit));
		}
		for (int i = 0; i < REQUESTS; i++) {
			BucketState untouched = this.state.copy();
			long now = traffic.laterMoment(limit, this.state.updatedAt());
			long cost = traffic.cost(limit, this.state);
			if (limit.acquire(this.state, cost, now).allowed()) {
				limit.refund(this.state, cost, traffic.laterMoment(limit, now));
			}
			long later = traffic.laterMoment(limit, now);
			long next = traffic.cost(limit, untouched);
			assertThat(limit.acquire(this.state, next, later)).isEqualTo(limit.acquire(untouched, next, later));
		}
	}

	@RandomizedTest(100)
	void refundNeverExceedsTheCapacity(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		TokenBucket limit = traffic.limit();
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			limit.acquire(this.state, traffic.cost(limit, this.state), now);
			limit.refund(this.state, traffic.cost(limit, this.state), now);
			assertThat(limit.remaining(this.state, now)).isBetween(0L, limit.capacity());
		}
		long now = traffic.moment(limit);
		limit.refund(this.state, Long.MAX_VALUE, now);
		assertThat(limit.acquire(this.state, limit.capacity(), now)).extracting(Decision::allowed, Decision::remaining)
			.containsExactly(true, 0L);
		assertThat(limit.acquire(this.state, 1, now).allowed()).isFalse();
	}

	@RandomizedTest(200)
	void lateRefundAdmitsAtMostItsCostOrThePermitsEarnedSince(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		TokenBucket limit = traffic.limit();
		long taken = traffic.moment(limit);
		long cost = traffic.magnitude(limit.capacity());
		limit.acquire(this.state, cost, taken);
		long given = taken + traffic.magnitude(2 * limit.timeToFull());
		EveryWindow windows = new EveryWindow(limit, extra(limit, cost, given - taken));
		boolean kept = true;
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.laterMoment(limit, taken);
			if (kept && now >= given) {
				limit.refund(this.state, cost, given);
				kept = false;
			}
			long next = traffic.cost(limit, this.state);
			if (limit.acquire(this.state, next, now).allowed()) {
				windows.admit(next, now);
			}
		}
		assertThat(kept).isFalse();
	}

	private static BigInteger extra(TokenBucket limit, long cost, long kept) {
		BigInteger earned = BigInteger.valueOf(limit.rate().permits()).multiply(BigInteger.valueOf(kept));
		return BigInteger.valueOf(cost).multiply(BigInteger.valueOf(limit.rate().periodTicks())).min(earned);
	}

}
