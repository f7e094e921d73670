package io.tierlimit.limit;

import java.math.BigInteger;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class FixedWindowLawTests extends LimitLaws {

	@Override
	Limit limit(RandomTraffic traffic) {
		return traffic.window();
	}

	/** At most the burst plus n - 1 times the permits in any n windows in a row. */
	@RandomizedTest(200)
	void admitsAtMostBurstPlusIssuedPermitsInAnyWindows(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		FixedWindow limit = traffic.window();
		TreeMap<Long, BigInteger> admitted = new TreeMap<>();
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			long cost = traffic.cost(limit, this.state);
			if (acquire(limit, cost, now).allowed()) {
				admitted.merge(window(limit, this.latest), BigInteger.valueOf(cost), BigInteger::add);
			}
		}
		assertWithinLimit(limit, 0, admitted);
	}

	@Override
	void assertWithinLimit(Limit limit, List<Acquired> charges) {
		assertWithinWindows(limit, 0, charges);
	}

	static void assertWithinWindows(Limit limit, long extra, List<Acquired> charges) {
		TreeMap<Long, BigInteger> admitted = new TreeMap<>();
		charges.forEach((charge) -> admitted.merge(window((FixedWindow) limit, charge.at()),
				BigInteger.valueOf(charge.cost()), BigInteger::add));
		assertWithinLimit((FixedWindow) limit, extra, admitted);
	}

	private static void assertWithinLimit(FixedWindow limit, long extra, NavigableMap<Long, BigInteger> admitted) {
		BigInteger capacity = BigInteger.valueOf(limit.capacity() + extra);
		BigInteger permits = BigInteger.valueOf(limit.rate().permits());
		admitted.forEach((first, unused) -> {
			BigInteger sum = BigInteger.ZERO;
			for (var window : admitted.tailMap(first).entrySet()) {
				sum = sum.add(window.getValue());
				BigInteger issued = permits
					.multiply(BigInteger.valueOf(window.getKey()).subtract(BigInteger.valueOf(first)));
				assertThat(sum).isLessThanOrEqualTo(capacity.add(issued));
			}
		});
	}

	/** Counts the remaining permits of each window instead of the consumed permits. */
	@RandomizedTest(200)
	void remainingPermitsAreThoseIssuedAndNotConsumed(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		FixedWindow limit = traffic.window();
		BigInteger permits = BigInteger.valueOf(limit.rate().permits());
		BigInteger capacity = BigInteger.valueOf(limit.capacity());
		BigInteger left = capacity;
		long window = Long.MAX_VALUE;
		for (int i = 0; i < REQUESTS; i++) {
			long now = Math.max(traffic.moment(limit), this.latest);
			long windows = (window != Long.MAX_VALUE) ? window(limit, now) - window : 0;
			BigInteger there = left.add(permits.multiply(BigInteger.valueOf(windows))).min(capacity);
			long cost = traffic.cost(limit, this.state);
			if (traffic.oneIn(10)) {
				limit.refund(this.state, cost, now);
				this.latest = now;
				left = there.add(BigInteger.valueOf(cost)).min(capacity);
				window = window(limit, now);
				continue;
			}
			boolean passes = BigInteger.valueOf(cost).compareTo(there) <= 0;
			assertThat(acquire(limit, cost, now).allowed()).isEqualTo(passes);
			assertThat(limit.remaining(this.state, now))
				.isEqualTo(passes ? there.longValueExact() - cost : there.longValueExact());
			if (passes) {
				left = there.subtract(BigInteger.valueOf(cost));
				window = window(limit, now);
			}
		}
	}

	private static long window(FixedWindow limit, long moment) {
		long phase = limit.phase(SPREAD);
		return Math.floorDiv(moment - phase, limit.rate().periodTicks());
	}

}
