package io.tierlimit.limit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The laws of every algorithm.
 */
abstract class LimitLaws {

	static final int REQUESTS = 400;

	/** Replaces a key. */
	static final long SPREAD = 1_234_567_890_123_456_789L;

	final BucketState state = new BucketState(Long.MIN_VALUE, SPREAD);

	/**
	 * The latest time of the bucket: a clock that runs backwards is treated as stopped.
	 */
	long latest = Long.MIN_VALUE;

	Overdraft overdraft = Overdraft.NONE;

	/** Any limit of the algorithm. */
	abstract Limit limit(RandomTraffic traffic);

	/** The overdraft of all charges in a run. */
	Overdraft overdraft(RandomTraffic traffic, Limit limit) {
		return Overdraft.NONE;
	}

	/**
	 * Asserts that charges, in the order of their times, are within the limit in every
	 * window.
	 */
	abstract void assertWithinLimit(Limit limit, List<Acquired> charges);

	final Limit start(RandomTraffic traffic) {
		Limit limit = limit(traffic);
		this.overdraft = overdraft(traffic, limit);
		return limit;
	}

	@RandomizedTest(200)
	void rejectedRequestIsAllowedExactlyAfterItsWait(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = start(traffic);
		int rejected = 0;
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			long cost = traffic.cost(limit, this.state);
			Decision decision = acquire(limit, cost, now);
			if (!decision.allowed() && !decision.neverAllowed()) {
				long passes = Math.max(now, this.latest) + decision.retryAfterTicks();
				assertThat(limit.allows(this.state, cost, this.overdraft, passes - 1)).isFalse();
				assertThat(limit.allows(this.state, cost, this.overdraft, passes)).isTrue();
				rejected++;
			}
		}
		if (this.overdraft.equals(Overdraft.NONE)) {
			assertThat(rejected).isPositive();
		}
	}

	@RandomizedTest(200)
	void nextPermitIsEarnedExactlyAfterItsTime(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = start(traffic);
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			Decision decision = acquire(limit, traffic.cost(limit, this.state), now);
			long next = Math.max(now, this.latest) + decision.nextPermitTicks();
			if (decision.remaining() < limit.capacity()) {
				assertThat(limit.remaining(this.state, next - 1)).isEqualTo(decision.remaining());
				assertThat(limit.remaining(this.state, next)).isGreaterThan(decision.remaining());
			}
			else {
				assertThat(decision.nextPermitTicks()).isZero();
			}
		}
	}

	@RandomizedTest(100)
	void rejectionsAndPeeksChangeNothing(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = start(traffic);
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			long cost = traffic.cost(limit, this.state);
			String before = numbers(this.state);
			limit.peek(this.state, cost, this.overdraft, now);
			limit.inspect(this.state, cost, this.overdraft, now);
			limit.isFull(this.state, now);
			assertThat(numbers(this.state)).isEqualTo(before);
			if (!limit.allows(this.state, cost, this.overdraft, now)) {
				limit.acquire(this.state, cost, this.overdraft, now);
				assertThat(numbers(this.state)).isEqualTo(before);
			}
			else {
				limit.acquire(this.state, cost, this.overdraft, now);
			}
		}
	}

	@RandomizedTest(100)
	void peekReturnsTheDecisionOfTheFollowingAcquire(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = start(traffic);
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			long cost = traffic.cost(limit, this.state);
			boolean allows = limit.allows(this.state, cost, this.overdraft, now);
			long remaining = limit.remaining(this.state, now);
			Decision peeked = limit.peek(this.state, cost, this.overdraft, now);
			Decision left = limit.inspect(this.state, cost, this.overdraft, now);
			Decision taken = limit.acquire(this.state, cost, this.overdraft, now);
			assertThat(taken).isEqualTo(peeked);
			assertThat(taken.allowed()).isEqualTo(allows).isEqualTo(left.allowed());
			assertThat(left.remaining()).isEqualTo(remaining);
			assertThat(taken.remaining()).isEqualTo(allows ? Math.max(0, remaining - cost) : remaining);
		}
	}

	@RandomizedTest(100)
	void backwardClockEarnsNoAdditionalPermits(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = start(traffic);
		long latest = traffic.moment(limit);
		limit.acquire(this.state, limit.capacity(), latest);
		BucketState undisturbed = this.state.copy();
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			limit.acquire(this.state, 0, now);
			latest = Math.max(latest, now);
			assertThat(limit.peek(this.state, 1, latest)).isEqualTo(limit.peek(undisturbed, 1, latest));
		}
	}

	@RandomizedTest(100)
	void idleBucketEqualsANewOneAfterItsResetTime(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = start(traffic);
		long reset = 0;
		for (int i = 0; i < 50; i++) {
			long now = traffic.moment(limit);
			Decision decision = acquire(limit, traffic.cost(limit, this.state), now);
			reset = Math.max(now, this.latest) + decision.resetTicks();
			assertThat(limit.isFull(this.state, reset)).isTrue();
			assertThat(limit.isFull(this.state, reset - Math.min(1, decision.resetTicks())))
				.isEqualTo(decision.resetTicks() == 0);
		}
		BucketState unknown = new BucketState(reset, SPREAD);
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.laterMoment(limit, reset);
			long cost = traffic.cost(limit, unknown);
			assertThat(limit.acquire(this.state, cost, this.overdraft, now))
				.isEqualTo(limit.acquire(unknown, cost, this.overdraft, now));
		}
	}

	@RandomizedTest(100)
	void waitIsNeverExactlyForCostsThatNoBucketAllows(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = start(traffic);
		long bestMoment = 1000 * limit.rate().periodTicks() + limit.phase(SPREAD) - 1;
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			long cost = traffic.cost(limit, this.state);
			Decision decision = limit.acquire(this.state, cost, this.overdraft, now);
			boolean passes = limit.allows(new BucketState(bestMoment, SPREAD), cost, this.overdraft, bestMoment);
			if (!decision.allowed()) {
				assertThat(decision.neverAllowed()).isEqualTo(!passes);
			}
			assertThat(decision.retryAfterTicks()).isNotNegative();
			if (this.overdraft.equals(Overdraft.NONE)) {
				assertThat(passes).isEqualTo(cost <= limit.capacity());
				assertThat(decision.retryAfterTicks())
					.isLessThanOrEqualTo(passes ? limit.timeToFull() : Decision.NEVER);
			}
		}
	}

	@RandomizedTest(300)
	void keptChargesAreWithinTheLimitInEveryWindow(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = start(traffic);
		List<Acquired> charges = new ArrayList<>();
		List<Acquired> settled = new ArrayList<>();
		int refunded = 0;
		for (int i = 0; i < REQUESTS; i++) {
			long now = (i > 0 && traffic.oneIn(2)) ? this.state.updatedAt() : traffic.moment(limit);
			if (!charges.isEmpty() && traffic.oneIn(3)) {
				Acquired charge = charges.remove((int) (traffic.magnitude(charges.size()) - 1));
				boolean used = limit.isReservable() && now >= charge.at() && traffic.oneIn(2);
				long actual = used ? traffic.magnitude(charge.cost()) : 0;
				limit.refund(this.state, charge.cost() - actual, charge.receipt(), now);
				if (actual > 0) {
					settled.add(new Acquired(charge.at(), actual, charge.receipt()));
				}
				refunded++;
				continue;
			}
			long cost = Math.min(traffic.cost(limit, this.state), limit.capacity());
			Decision decision = limit.acquire(this.state, cost, this.overdraft, now);
			if (decision.allowed() && cost > 0) {
				Receipt receipt = this.state.receipt();
				charges.add(new Acquired(receipt.at() + decision.delayTicks(), cost, receipt));
			}
		}
		assertThat(refunded).isPositive();
		charges.addAll(settled);
		charges.sort(Comparator.comparingLong(Acquired::at));
		assertWithinLimit(limit, charges);
	}

	@RandomizedTest(200)
	void refundWithoutOtherChargesRestoresTheState(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = start(traffic);
		for (int i = 0; i < REQUESTS; i++) {
			BucketState undisturbed = this.state.copy();
			long now = traffic.laterMoment(limit, this.latest);
			long cost = traffic.cost(limit, this.state);
			this.latest = now;
			if (limit.acquire(this.state, cost, this.overdraft, now).allowed() && traffic.oneIn(2)) {
				this.latest = now + (traffic.oneIn(2) ? 0 : traffic.magnitude(Math.max(2, limit.timeToFull())));
				limit.refund(this.state, cost, this.state.receipt(), this.latest);
				long later = this.latest + traffic.magnitude(Math.max(2, limit.timeToFull()));
				for (long moment : new long[] { this.latest, this.latest + 1, later }) {
					assertThat(limit.peek(this.state, 1, moment)).isEqualTo(limit.peek(undisturbed, 1, moment));
				}
			}
		}
	}

	@RandomizedTest(100)
	void resetMakesReceiptsVoid(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = start(traffic);
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.laterMoment(limit, this.latest);
			long cost = traffic.magnitude(limit.capacity());
			if (limit.acquire(this.state, cost, now).allowed()) {
				Receipt receipt = this.state.receipt();
				this.state.reset(now);
				limit.acquire(this.state, limit.capacity(), now);
				limit.refund(this.state, cost, receipt, now);
				assertThat(limit.remaining(this.state, now)).isZero();
				this.state.reset(now);
			}
			this.latest = now;
		}
	}

	@RandomizedTest(200)
	void changedLimitRefundsNoMoreThanTheDifference(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = start(traffic);
		long now = traffic.laterMoment(limit, 0);
		limit.acquire(this.state, traffic.magnitude(limit.capacity()), now);
		BucketState without = this.state.copy();
		long cost = traffic.magnitude(limit.capacity());
		if (!limit.acquire(this.state, cost, now).allowed()) {
			return;
		}
		Receipt receipt = this.state.receipt();
		Limit changed = limit(traffic);
		// At the end, the other limit is applied at least once.
		changed.acquire(this.state, 0, now);
		changed.acquire(without, 0, now);
		for (int i = 0; i < 5; i++) {
			now = traffic.laterMoment(traffic.oneIn(2) ? limit : changed, now);
			long next = traffic.magnitude(changed.capacity());
			if (changed.acquire(this.state, next, now).allowed()) {
				assertThat(changed.acquire(without, next, now).allowed()).isTrue();
			}
		}
		long refunded = traffic.laterMoment(traffic.oneIn(2) ? limit : changed, now);
		Limit by = traffic.oneIn(2) ? limit : changed;
		by.refund(this.state, cost, receipt, refunded);
		assertThat(changed.remaining(this.state, refunded)).isLessThanOrEqualTo(changed.remaining(without, refunded));
	}

	/**
	 * The same law for a change of only the permits of a period, which the consumed
	 * permits do not show.
	 */
	@RandomizedTest(200)
	void changedPermitsOfTheSamePeriodRefundNoMoreThanTheDifference(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = start(traffic);
		Limit changed = RandomTraffic.faster(limit);
		long now = traffic.laterMoment(limit, 0);
		BucketState without = this.state.copy();
		long cost = traffic.magnitude(limit.capacity());
		assertThat(limit.acquire(this.state, cost, now).allowed()).isTrue();
		Receipt receipt = this.state.receipt();
		for (int i = 0; i < 5; i++) {
			now += traffic.magnitude(Math.max(2, changed.timeToFull() / 2));
			long next = traffic.magnitude(limit.capacity());
			if (changed.acquire(this.state, next, now).allowed()) {
				assertThat(changed.acquire(without, next, now).allowed()).isTrue();
			}
		}
		limit.refund(this.state, cost, receipt, now);
		assertThat(changed.remaining(this.state, now)).isLessThanOrEqualTo(changed.remaining(without, now));
	}

	Decision acquire(Limit limit, long cost, long now) {
		Decision decision = limit.acquire(this.state, cost, this.overdraft, now);
		this.latest = decision.allowed() ? Math.max(this.latest, now) : this.latest;
		return decision;
	}

	private static String numbers(BucketState state) {
		return state.toString();
	}

}
