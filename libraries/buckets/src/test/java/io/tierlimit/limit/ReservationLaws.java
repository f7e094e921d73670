package io.tierlimit.limit;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The laws of every algorithm whose permits can be reserved, in addition to the laws of
 * all algorithms.
 */
abstract class ReservationLaws extends LimitLaws {

	@Override
	Overdraft overdraft(RandomTraffic traffic, Limit limit) {
		return traffic.overdraft(limit);
	}

	@Override
	void assertWithinLimit(Limit limit, List<Acquired> charges) {
		if (limit instanceof FixedWindow) {
			// Reserved permits may be used together with permits that were available at
			// once.
			FixedWindowLawTests.assertWithinWindows(limit, limit.rate().permits(), charges);
		}
		else {
			// Waits are rounded up to ticks, so a window may be one tick too short.
			EveryWindow windows = new EveryWindow(limit, BigInteger.valueOf(limit.rate().permits()));
			charges.forEach((charge) -> windows.admit(charge.cost(), charge.at()));
		}
	}

	@RandomizedTest(200)
	void debtStaysWithinTheOverdraft(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		ReservableLimit limit = (ReservableLimit) limit(traffic);
		Overdraft overdraft = traffic.overdraft(limit);
		int reserved = 0;
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			Decision decision = limit.acquire(this.state, traffic.cost(limit, this.state), overdraft, now);
			assertThat(this.state.debt()).isLessThanOrEqualTo(overdraft.permits());
			assertThat(decision.delayTicks()).isBetween(0L, overdraft.ticks());
			reserved += (decision.delayTicks() > 0) ? 1 : 0;
		}
		if (overdraft.ticks() == Rate.MAX_TICKS) {
			assertThat(reserved).isPositive();
		}
	}

	/**
	 * Each caller waits for its delay: the permits are earned by then, and no caller acts
	 * early.
	 */
	@RandomizedTest(200)
	void reservedPermitsAreEarnedWhenTheyAreUsed(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = limit(traffic);
		Overdraft overdraft = traffic.overdraft(limit);
		TreeMap<Long, BigInteger> acted = new TreeMap<>();
		long first = Long.MAX_VALUE;
		List<Reserved> pending = new ArrayList<>();
		for (int i = 0; i < REQUESTS; i++) {
			long now = Math.max(traffic.moment(limit), this.latest);
			this.latest = now;
			first = Math.min(first, now);
			pending.removeIf((reserved) -> reserved.actAt <= this.latest);
			if (!pending.isEmpty() && traffic.oneIn(5)) {
				Reserved canceled = pending.remove((int) (traffic.magnitude(pending.size()) - 1));
				limit.refund(this.state, canceled.cost, canceled.receipt, now);
				acted.merge(canceled.actAt, BigInteger.valueOf(-canceled.cost), BigInteger::add);
				continue;
			}
			long cost = traffic.cost(limit, this.state);
			Decision decision = limit.acquire(this.state, cost, traffic.oneIn(3) ? Overdraft.NONE : overdraft, now);
			if (decision.allowed()) {
				long actAt = now + decision.delayTicks();
				acted.merge(actAt, BigInteger.valueOf(cost), BigInteger::add);
				pending.add(new Reserved(cost, actAt, this.state.receipt()));
			}
		}
		BigInteger sum = BigInteger.ZERO;
		for (var moment : acted.entrySet()) {
			sum = sum.add(moment.getValue());
			assertThat(sum).isLessThanOrEqualTo(mostBy(limit, first, moment.getKey()));
		}
	}

	private static BigInteger mostBy(Limit limit, long first, long moment) {
		BigInteger permits = BigInteger.valueOf(limit.rate().permits());
		long period = limit.rate().periodTicks();
		BigInteger come;
		if (limit.algorithm() == Algorithm.FIXED_WINDOW) {
			long phase = limit.phase(SPREAD);
			come = permits.multiply(
					BigInteger.valueOf(Math.floorDiv(moment - phase, period) - Math.floorDiv(first - phase, period)));
		}
		else {
			come = permits.multiply(BigInteger.valueOf(moment - first)).divide(BigInteger.valueOf(period));
		}
		return come.add(BigInteger.valueOf(limit.capacity()));
	}

	@RandomizedTest(200)
	void cancelWithoutOtherChargesRestoresTheState(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = limit(traffic);
		Overdraft overdraft = traffic.overdraft(limit);
		for (int i = 0; i < REQUESTS; i++) {
			long now = Math.max(traffic.moment(limit), this.latest);
			BucketState undisturbed = this.state.copy();
			long cost = traffic.cost(limit, this.state);
			Decision decision = limit.acquire(this.state, cost, overdraft, now);
			long later = now + (traffic.oneIn(2) ? 0 : traffic.magnitude(Math.max(2, limit.timeToFull())));
			if (decision.allowed() && traffic.oneIn(2)) {
				limit.refund(this.state, cost, this.state.receipt(), later);
				for (int k = 0; k < 5; k++) {
					long moment = later + traffic.magnitude(Math.max(2, limit.timeToFull()));
					assertThat(limit.peek(this.state, 1, moment)).isEqualTo(limit.peek(undisturbed, 1, moment));
				}
			}
			this.latest = later;
		}
	}

	/**
	 * Permits that later reservations rely on are not refunded: their owners act in time.
	 */
	@RandomizedTest(100)
	void cancelLeavesPermitsOfLaterReservations(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		ReservableLimit limit = (ReservableLimit) limit(traffic);
		Overdraft overdraft = Overdraft.ofPermits(Math.min(Rate.MAX_PERMITS, 4 * limit.capacity()));
		long now = traffic.moment(limit);
		limit.acquire(this.state, limit.capacity(), now);
		long first = traffic.magnitude(limit.capacity());
		Decision canceled = limit.acquire(this.state, first, overdraft, now);
		Receipt receipt = this.state.receipt();
		long second = traffic.magnitude(limit.capacity());
		Decision kept = limit.acquire(this.state, second, overdraft, now);
		if (!canceled.allowed() || !kept.allowed()) {
			return;
		}
		long debt = this.state.debt();
		limit.refund(this.state, first, receipt, now);
		long since = Math.max(0, limit.consumedAt(this.state, now) - limit.capacity());
		assertThat(debt - since).isBetween(0L, Math.max(0, first - second) + limit.rate().permits());
		assertThat(since).isGreaterThanOrEqualTo(Math.min(second, debt));
	}

	@RandomizedTest(100)
	void changedLimitKeepsDebt(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		ReservableLimit limit = (ReservableLimit) limit(traffic);
		ReservableLimit changed = (ReservableLimit) limit(traffic);
		long now = traffic.moment(limit);
		limit.acquire(this.state, limit.capacity(), now);
		Decision decision = limit.acquire(this.state, traffic.magnitude(limit.capacity()), traffic.overdraft(limit),
				now);
		if (decision.delayTicks() == 0) {
			return;
		}
		long expected = Math.min(this.state.consumed, changed.capacity()) + changed.maxDebt(this.state.debt());
		assertThat(changed.consumedAt(this.state, now)).isEqualTo(expected);
		assertThat(changed.peek(this.state, 1, now).resetTicks()).isBetween(1L,
				2 * Rate.MAX_TICKS + changed.timeToFull());
	}

	private record Reserved(long cost, long actAt, Receipt receipt) {

	}

	@RandomizedTest(100)
	void settlementsOweAtMostTheMaximumDebt(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		ReservableLimit limit = (ReservableLimit) start(traffic);
		long most = limit.capacity() + limit.maxDebt(Math.min(Rate.MAX_PERMITS, traffic.magnitude(limit.capacity())));
		int dropped = 0;
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			limit.acquire(this.state, traffic.cost(limit, this.state), this.overdraft, now);
			long before = limit.consumedAt(this.state, now);
			long actual = traffic.magnitude(2 * limit.capacity());
			Overrun overrun = limit.consume(this.state, actual, most - limit.capacity(), now);
			long after = limit.consumedAt(this.state, now);
			assertThat(after).isEqualTo(before + actual - overrun.dropped())
				.isLessThanOrEqualTo(Math.max(before, most));
			assertThat(overrun.reached()).isEqualTo(after >= most);
			dropped += (overrun.dropped() > 0) ? 1 : 0;
		}
		assertThat(dropped).isPositive();
	}

}
