package io.tierlimit.limit;

import java.math.BigInteger;
import java.util.List;

class LeakyBucketLawTests extends LimitLaws {

	@Override
	Limit limit(RandomTraffic traffic) {
		return traffic.leaky();
	}

	@Override
	void assertWithinLimit(Limit limit, List<Acquired> charges) {
		EveryWindow windows = new EveryWindow(limit, BigInteger.ZERO);
		charges.forEach((charge) -> windows.admit(charge.cost(), charge.at()));
	}

	@RandomizedTest(200)
	void admitsAtMostOnePlusTheRateInAnyWindow(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		LeakyBucket limit = traffic.leaky();
		EveryWindow windows = new EveryWindow(limit, BigInteger.ZERO);
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			if (acquire(limit, 1, now).allowed()) {
				windows.admit(1, this.latest);
			}
		}
	}

}
