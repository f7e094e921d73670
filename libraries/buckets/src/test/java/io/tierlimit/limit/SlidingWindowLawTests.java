package io.tierlimit.limit;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class SlidingWindowLawTests extends LimitLaws {

	@Override
	Limit limit(RandomTraffic traffic) {
		return traffic.sliding();
	}

	/**
	 * At most permits * (2 - x / period) in a period that starts x before a window ends.
	 */
	@RandomizedTest(200)
	void consumptionStaysWithinTheErrorBoundInAnyPeriod(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		SlidingWindow limit = traffic.sliding();
		List<Acquired> paid = new ArrayList<>();
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			long cost = traffic.cost(limit, this.state);
			if (acquire(limit, cost, now).allowed() && cost > 0) {
				paid.add(new Acquired(this.latest, cost, this.state.receipt()));
			}
		}
		assertWithinLimit(limit, paid);
	}

	@Override
	void assertWithinLimit(Limit limit, List<Acquired> paid) {
		long period = limit.rate().periodTicks();
		for (int first = 0; first < paid.size(); first++) {
			long from = paid.get(first).at();
			BigInteger sum = BigInteger.ZERO;
			for (int i = first; i < paid.size() && paid.get(i).at() - from < period; i++) {
				sum = sum.add(BigInteger.valueOf(paid.get(i).cost()));
			}
			long toBorder = period - Math.floorMod(from - limit.phase(SPREAD), period);
			BigInteger most = BigInteger.valueOf(limit.capacity())
				.multiply(BigInteger.valueOf(2 * period - toBorder))
				.divide(BigInteger.valueOf(period));
			assertThat(sum).isLessThanOrEqualTo(most);
		}
	}

	/** The weighted sum, counted again from all consumed permits. */
	@RandomizedTest(200)
	void remainingPermitsFollowFromTheWeightedWindows(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		SlidingWindow limit = traffic.sliding();
		BigInteger period = BigInteger.valueOf(limit.rate().periodTicks());
		List<long[]> paid = new ArrayList<>();
		for (int i = 0; i < REQUESTS; i++) {
			long now = Math.max(traffic.moment(limit), this.latest);
			long window = window(limit, now);
			BigInteger present = paidIn(paid, window);
			long toBorder = (window + 1) * limit.rate().periodTicks() + limit.phase(SPREAD) - now;
			BigInteger[] weighted = paidIn(paid, window - 1).multiply(BigInteger.valueOf(toBorder))
				.divideAndRemainder(period);
			long used = present.add(weighted[0]).longValueExact() + weighted[1].signum();
			assertThat(limit.remaining(this.state, now)).isEqualTo(limit.capacity() - used);
			long cost = traffic.cost(limit, this.state);
			if (acquire(limit, cost, now).allowed()) {
				paid.add(new long[] { window, cost });
			}
		}
	}

	private static BigInteger paidIn(List<long[]> paid, long window) {
		return paid.stream()
			.filter((entry) -> entry[0] == window)
			.map((entry) -> BigInteger.valueOf(entry[1]))
			.reduce(BigInteger.ZERO, BigInteger::add);
	}

	private static long window(SlidingWindow limit, long moment) {
		return Math.floorDiv(moment - limit.phase(SPREAD), limit.rate().periodTicks());
	}

}
