package io.tierlimit.limit;

import java.util.List;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What holds for every algorithm.
 */
abstract class LimitLaws {

	static final int REQUESTS = 400;

	/** Stands for a key. */
	static final long SPREAD = 1_234_567_890_123_456_789L;

	final BucketState state = new BucketState(Long.MIN_VALUE, SPREAD);

	/** The bucket's own moment: a clock that runs backwards counts as standing still. */
	long latest = Long.MIN_VALUE;

	/** Any limit of the algorithm. */
	abstract Limit limit(RandomTraffic traffic);

	@RepeatedTest(200)
	void refusedRequestPassesAfterItsWaitAndNotOneTickBefore(RepetitionInfo seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = limit(traffic);
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
	void nextPermitComesWhenItIsSaidAndNotOneTickBefore(RepetitionInfo seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = limit(traffic);
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			Decision decision = take(limit, traffic.cost(limit, this.state), now);
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

	@RepeatedTest(100)
	void refusalAndQuestionsChangeNothing(RepetitionInfo seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = limit(traffic);
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			long cost = traffic.cost(limit, this.state);
			List<Object> before = numbers(this.state);
			limit.peek(this.state, cost, now);
			limit.leave(this.state, cost, now);
			limit.isFull(this.state, now);
			assertThat(numbers(this.state)).isEqualTo(before);
			if (!limit.allows(this.state, cost, now)) {
				limit.take(this.state, cost, now);
				assertThat(numbers(this.state)).isEqualTo(before);
			}
			else {
				limit.take(this.state, cost, now);
			}
		}
	}

	@RepeatedTest(100)
	void questionsFirstGiveTheSameAnswerAsTheTaking(RepetitionInfo seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = limit(traffic);
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			long cost = traffic.cost(limit, this.state);
			boolean allows = limit.allows(this.state, cost, now);
			long remaining = limit.remaining(this.state, now);
			Decision peeked = limit.peek(this.state, cost, now);
			Decision left = limit.leave(this.state, cost, now);
			Decision taken = limit.take(this.state, cost, now);
			assertThat(taken).isEqualTo(peeked);
			assertThat(taken.allowed()).isEqualTo(allows).isEqualTo(left.allowed());
			assertThat(left.remaining()).isEqualTo(remaining);
			assertThat(taken.remaining()).isEqualTo(allows ? remaining - cost : remaining);
		}
	}

	@RepeatedTest(100)
	void clockThatRunsBackAndForthEarnsNoMoreThanOneThatDoesNot(RepetitionInfo seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = limit(traffic);
		long latest = traffic.moment(limit);
		limit.take(this.state, limit.capacity(), latest);
		BucketState undisturbed = this.state.copy();
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			limit.take(this.state, 0, now);
			latest = Math.max(latest, now);
			assertThat(limit.peek(this.state, 1, latest)).isEqualTo(limit.peek(undisturbed, 1, latest));
		}
	}

	@RepeatedTest(100)
	void idleBucketIsFullAfterItsResetTimeAndEqualsANewOneFromThenOn(RepetitionInfo seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = limit(traffic);
		long reset = 0;
		for (int i = 0; i < 50; i++) {
			long now = traffic.moment(limit);
			Decision decision = take(limit, traffic.cost(limit, this.state), now);
			reset = Math.max(now, this.latest) + decision.resetTicks();
			assertThat(limit.isFull(this.state, reset)).isTrue();
			assertThat(limit.isFull(this.state, reset - Math.min(1, decision.resetTicks())))
				.isEqualTo(decision.resetTicks() == 0);
		}
		BucketState unknown = new BucketState(reset, SPREAD);
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.laterMoment(limit, reset);
			long cost = traffic.cost(limit, unknown);
			assertThat(limit.take(this.state, cost, now)).isEqualTo(limit.take(unknown, cost, now));
		}
	}

	@RepeatedTest(100)
	void neverIsSaidOfCostsAboveTheCapacityAndOfNothingElse(RepetitionInfo seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		Limit limit = limit(traffic);
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.moment(limit);
			long cost = traffic.cost(limit, this.state);
			Decision decision = limit.take(this.state, cost, now);
			assertThat(decision.neverPasses()).isEqualTo(cost > limit.capacity());
			assertThat(decision.retryAfterTicks()).isBetween(0L,
					decision.neverPasses() ? Decision.NEVER : limit.timeToFull());
		}
	}

	Decision take(Limit limit, long cost, long now) {
		Decision decision = limit.take(this.state, cost, now);
		this.latest = decision.allowed() ? Math.max(this.latest, now) : this.latest;
		return decision;
	}

	private static List<Object> numbers(BucketState state) {
		return List.of(state.algorithm, state.spent, state.earned, state.period, state.asOf);
	}

}
