package io.tierlimit.limit;

import java.math.BigInteger;
import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class TokenBucketLawTests extends LimitLaws {

	@Override
	Limit limit(RandomTraffic traffic) {
		return traffic.limit();
	}

	@Override
	void assertWithinLimit(Limit limit, List<Acquired> charges) {
		EveryWindow windows = new EveryWindow(limit, BigInteger.ZERO);
		charges.forEach((charge) -> windows.admit(charge.cost(), charge.at()));
	}

	@RandomizedTest(200)
	void admitsNoMoreThanBurstPlusRateInAnyWindow(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		TokenBucket limit = traffic.limit();
		EveryWindow windows = new EveryWindow(limit, BigInteger.ZERO);
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			long cost = traffic.cost(limit, this.state);
			if (acquire(limit, cost, now).allowed()) {
				windows.admit(cost, this.latest);
			}
		}
	}

	@RandomizedTest(100)
	void decidesLikeExactFractionsInLongRuns(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		TokenBucket limit = traffic.limit();
		ExactTokenBucket exact = new ExactTokenBucket();
		for (int i = 0; i < 5 * REQUESTS; i++) {
			long now = traffic.moment(limit);
			long cost = traffic.cost(limit, this.state);
			assertThat(limit.peek(this.state, cost, now)).isEqualTo(exact.peek(limit, cost, now));
			assertThat(limit.acquire(this.state, cost, now)).isEqualTo(exact.acquire(limit, cost, now));
			if (traffic.oneIn(20)) {
				limit.refund(this.state, cost, now);
				exact.refund(limit, cost, now);
			}
			if (traffic.oneIn(100)) {
				this.state.reset(now);
				exact.reset(limit, now);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "3/s", "7/m", "1/3h", "50000/s", "1000000/m", "1000/15m", "999983/m" })
	void clientThatWaitsForRetryAfterGetsEveryEarnedPermit(String rate) {
		TokenBucket limit = new TokenBucket(Rate.parse(rate), 5);
		BigInteger permits = BigInteger.valueOf(limit.rate().permits());
		limit.acquire(this.state, 5, 0);
		long now = 0;
		for (long earned = 1; earned <= 100_000; earned++) {
			now += limit.acquire(this.state, 1, now).retryAfterTicks();
			assertThat(limit.acquire(this.state, 1, now).allowed()).isTrue();
		}
		BigInteger[] exact = BigInteger.valueOf(100_000)
			.multiply(BigInteger.valueOf(limit.rate().periodTicks()))
			.divideAndRemainder(permits);
		assertThat(now).isEqualTo(exact[0].longValueExact() + exact[1].signum());
	}

}
