package io.tierlimit.limit;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class SlidingLogLawTests extends LimitLaws {

	@Override
	Limit limit(RandomTraffic traffic) {
		return traffic.log();
	}

	@Override
	void assertWithinLimit(Limit limit, List<Acquired> charges) {
		for (Acquired last : charges) {
			long from = last.at() - limit.rate().periodTicks();
			long sum = charges.stream()
				.filter((charge) -> charge.at() > from && charge.at() <= last.at())
				.mapToLong(Acquired::cost)
				.sum();
			assertThat(sum).isLessThanOrEqualTo(limit.capacity());
		}
	}

	/**
	 * Counts for every decision the permits that were consumed in the period before it.
	 */
	@RandomizedTest(200)
	void allowsExactlyThePermitsInAnyPeriod(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		SlidingLog limit = traffic.log();
		List<Acquired> paid = new ArrayList<>();
		for (int i = 0; i < REQUESTS; i++) {
			long now = Math.max(traffic.moment(limit), this.latest);
			long from = now - limit.rate().periodTicks();
			long consumed = paid.stream().filter((entry) -> entry.at() > from).mapToLong(Acquired::cost).sum();
			assertThat(limit.remaining(this.state, now)).isEqualTo(limit.capacity() - consumed);
			long cost = traffic.cost(limit, this.state);
			if (!paid.isEmpty() && traffic.oneIn(10)) {
				Acquired back = paid.remove((int) (traffic.magnitude(paid.size()) - 1));
				limit.refund(this.state, back.cost(), back.receipt(), now);
				this.latest = now;
			}
			else if (acquire(limit, cost, now).allowed()) {
				assertThat(consumed + cost).isLessThanOrEqualTo(Math.max(consumed, limit.capacity()));
				paid.add(new Acquired(now, cost, this.state.receipt()));
			}
		}
	}

}
