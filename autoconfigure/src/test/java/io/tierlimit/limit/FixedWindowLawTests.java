package io.tierlimit.limit;

import java.math.BigInteger;
import java.util.TreeMap;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

import static org.assertj.core.api.Assertions.assertThat;

class FixedWindowLawTests {

	private static final int REQUESTS = 400;

	private final BucketState state = new BucketState(Long.MIN_VALUE, 1_234_567_890_123_456_789L);

	private long latest = Long.MIN_VALUE;

	/** In any n windows in a row at most the capacity, and n - 1 times the permits. */
	@RepeatedTest(200)
	void admitsNoMoreThanCapacityAndWhatIsIssuedInAnyWindows(RepetitionInfo seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		FixedWindow limit = traffic.window();
		TreeMap<Long, BigInteger> admitted = new TreeMap<>();
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			long cost = traffic.cost(limit, this.state);
			if (take(limit, cost, now).allowed()) {
				admitted.merge(window(limit, this.latest), BigInteger.valueOf(cost), BigInteger::add);
			}
		}
		BigInteger capacity = BigInteger.valueOf(limit.capacity());
		BigInteger permits = BigInteger.valueOf(limit.rate().permits());
		admitted.forEach((first, unused) -> {
			BigInteger sum = BigInteger.ZERO;
			for (var window : admitted.tailMap(first).entrySet()) {
				sum = sum.add(window.getValue());
				BigInteger issued = permits.multiply(BigInteger.valueOf(window.getKey() - first));
				assertThat(sum).isLessThanOrEqualTo(capacity.add(issued));
			}
		});
	}

	@RepeatedTest(200)
	void refusedRequestPassesAfterItsWaitAndNotOneTickBefore(RepetitionInfo seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		FixedWindow limit = traffic.window();
		int refused = 0;
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			long cost = traffic.cost(limit, this.state);
			Decision decision = take(limit, cost, now);
			if (!decision.allowed() && !decision.neverPasses()) {
				long passes = Math.max(now, this.latest) + decision.retryAfterTicks();
				assertThat(limit.allows(this.state, cost, passes - 1)).isFalse();
				assertThat(limit.allows(this.state, cost, passes)).isTrue();
				refused++;
			}
		}
		assertThat(refused).isPositive();
	}

	@RepeatedTest(200)
	void nextPermitAndTheLastComeWhenItIsSaidAndNotOneTickBefore(RepetitionInfo seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		FixedWindow limit = traffic.window();
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			Decision decision = take(limit, traffic.cost(limit, this.state), now);
			long base = Math.max(now, this.latest);
			if (decision.remaining() < limit.capacity()) {
				long next = base + decision.nextPermitTicks();
				assertThat(limit.remaining(this.state, next - 1)).isEqualTo(decision.remaining());
				assertThat(limit.remaining(this.state, next)).isGreaterThan(decision.remaining());
				long full = base + decision.resetTicks();
				assertThat(limit.isFull(this.state, full - 1)).isFalse();
				assertThat(limit.isFull(this.state, full)).isTrue();
				assertThat(decision.resetTicks()).isLessThanOrEqualTo(limit.timeToFull());
			}
			else {
				assertThat(decision.nextPermitTicks() + decision.resetTicks()).isZero();
			}
		}
	}

	/** Counts what is left, window by window, instead of what is spent. */
	@RepeatedTest(200)
	void hasLeftWhatIsIssuedAndNotPaid(RepetitionInfo seed) {
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
			assertThat(take(limit, cost, now).allowed()).isEqualTo(passes);
			assertThat(limit.remaining(this.state, now))
				.isEqualTo(passes ? there.longValueExact() - cost : there.longValueExact());
			if (passes) {
				left = there.subtract(BigInteger.valueOf(cost));
				window = window(limit, now);
			}
		}
	}

	@RepeatedTest(100)
	void refusalAndPeekChangeNothing(RepetitionInfo seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		FixedWindow limit = traffic.window();
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			long cost = traffic.cost(limit, this.state);
			String before = this.state.toString();
			Decision peeked = limit.peek(this.state, cost, now);
			assertThat(this.state).hasToString(before);
			Decision decision = take(limit, cost, now);
			assertThat(decision).isEqualTo(peeked);
			if (!decision.allowed()) {
				assertThat(this.state).hasToString(before);
			}
		}
	}

	private Decision take(FixedWindow limit, long cost, long now) {
		Decision decision = limit.take(this.state, cost, now);
		if (decision.allowed()) {
			this.latest = Math.max(this.latest, now);
		}
		return decision;
	}

	private long window(FixedWindow limit, long moment) {
		long phase = limit.phase(1_234_567_890_123_456_789L);
		return Math.floorDiv(moment - phase, limit.rate().periodTicks());
	}

}
