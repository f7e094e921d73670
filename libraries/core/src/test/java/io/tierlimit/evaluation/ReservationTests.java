package io.tierlimit.evaluation;

import java.time.Duration;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.Reservation;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.RuleOutcome;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.TestRules;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ReservationTests {

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final RateLimiter limiter = TestEvaluators
		.of(new InMemoryBucketStore(this.ticker, 100), rule("imports", RuleMode.ENFORCE, 5),
				rule("strict", RuleMode.ENFORCE, 0), rule("shadow", RuleMode.SHADOW, 5))
		.limiter();

	@Test
	void permitsOfAReservationAreAvailableAfterItsDelay() {
		this.limiter.acquire(PermitRequest.of("imports").cost(7));
		Reservation reservation = this.limiter.reserve(PermitRequest.of("imports").cost(5));
		assertThat(reservation.delay()).isEqualTo(Duration.ofSeconds(2));
		assertThat(reservation.verdict().decisions()).extracting(RuleDecision::outcome)
			.containsExactly(RuleOutcome.DELAYED);
		assertThat(this.limiter.tryAcquire(PermitRequest.of("imports")).allowed()).isFalse();
		this.ticker.advance(3_000_000);
		assertThat(this.limiter.tryAcquire(PermitRequest.of("imports")).allowed()).isTrue();
	}

	@Test
	void reservationThatExceedsTheMaximumDebtIsRejected() {
		this.limiter.reserve(PermitRequest.of("imports").cost(15));
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> this.limiter.reserve(PermitRequest.of("imports")))
			.withMessage("Over the limit of 'imports' (retry after PT1S)");
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> this.limiter.reserve(PermitRequest.of("imports").cost(16)))
			.withMessage("Over the limit of 'imports' (can never be allowed)");
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> this.limiter.reserve(PermitRequest.of("strict").cost(11)))
			.withMessage("Over the limit of 'strict' (can never be allowed)");
	}

	@Test
	void severalRequestsAreReservedTogetherUntilTheLatestTime() {
		this.limiter.acquire(PermitRequest.of("strict").cost(10));
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> this.limiter.reserve(PermitRequest.of("imports").cost(12), PermitRequest.of("strict")));
		this.ticker.advance(1_000_000);
		assertThat(this.limiter.reserve(PermitRequest.of("imports").cost(12), PermitRequest.of("strict")).delay())
			.isEqualTo(Duration.ofSeconds(2));
	}

	@Test
	void cancelRefundsOnceForAllThreads() throws Exception {
		Reservation reservation = this.limiter.reserve(PermitRequest.of("imports").cost(6));
		this.limiter.acquire(PermitRequest.of("imports").cost(4));
		Crowd.run(8, (member) -> {
			reservation.cancel();
			return member;
		});
		assertThat(remaining("imports")).isEqualTo(6);
		reservation.cancel();
		assertThat(remaining("imports")).isEqualTo(6);
	}

	@Test
	void shadowRuleDelaysNoReservation() {
		assertThat(this.limiter.reserve(PermitRequest.of("shadow").cost(12)).delay()).isZero();
		Reservation rejected = this.limiter.reserve(PermitRequest.of("shadow").cost(12));
		assertThat(rejected.verdict().decisions()).extracting(RuleDecision::outcome)
			.containsExactly(RuleOutcome.SHADOW_REJECTED);
		rejected.cancel();
		assertThat(remaining("shadow")).as("permits that were not consumed are not refunded").isZero();
	}

	@Test
	void onlyReserveReservesPermits() {
		assertThat(this.limiter.tryAcquire(PermitRequest.of("imports").cost(11)).allowed()).isFalse();
		assertThat(this.limiter.peek(PermitRequest.of("imports").cost(11)).allowed()).isFalse();
	}

	@Test
	void ruleWhoseAlgorithmSupportsNoReservationsIsRejected() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> TestRules.rule("log", new SlidingLog(Rate.parse("1/s")))
				.options((options) -> options.with(new ReservationOptions(1, Duration.ZERO))))
			.withMessageContaining("'log': max-reserved and max-wait are not supported by sliding-log");
	}

	private long remaining(String rule) {
		return this.limiter.peek(PermitRequest.of(rule).cost(0))
			.decisions()
			.stream()
			.map(RuleDecision::decision)
			.mapToLong(Decision::remaining)
			.sum();
	}

	private static Rule rule(String id, RuleMode mode, long maxReserved) {
		return TestRules.rule(id, new TokenBucket(Rate.parse("1/s"), 10))
			.options((options) -> options.mode(mode).with(new ReservationOptions(maxReserved, Duration.ZERO)));
	}

}
