package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleDecision;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingWindow;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.TestRules;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.DelegatingBucketStore;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests buckets that are lowered to the level that another party reports.
 */
class ReportedLevelTests {

	private static final PermitRequest BUCKET = PermitRequest.of("bucket");

	private static final Rate RATE = Rate.parse("100/m");

	private static final Duration UNKNOWN = Duration.ZERO;

	private final SimulatedTicker ticker = new SimulatedTicker();

	private RateLimiter limiter = limiter(new TokenBucket(RATE));

	@ParameterizedTest
	@CsvSource({ "99, 99", "1, 1", "0, 0", "100, 100", "1000000000000, 100" })
	void levelIsLoweredAndNeverRaised(long reported, long remaining) {
		this.limiter.syncRemaining(BUCKET, reported, UNKNOWN);
		assertThat(remaining()).isEqualTo(remaining);
		this.limiter.syncRemaining(BUCKET, 100, UNKNOWN);
		assertThat(remaining()).isEqualTo(remaining);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 599_999, 600_000, 600_001, 1_000_000, 17_300_000, 3_600_000_000L })
	void noPermitIsAvailableBeforeTheReportedTime(long ticks) {
		this.limiter.acquire(BUCKET.cost(37));
		this.ticker.advance(250_000);
		this.limiter.syncRemaining(BUCKET, 0, Duration.ofNanos(1000 * ticks));
		assertThat(waitOfNext()).isBetween(ticks, Math.max(ticks, 350_000) + 600_000);
		this.ticker.advance(ticks - 1);
		assertThat(remaining()).isZero();
	}

	@Test
	void permitIsAvailableAtTheReportedTimeIfItIsTheTimeOfThePermitsOfTheRate() {
		this.limiter.syncRemaining(BUCKET, 0, Duration.ofSeconds(30));
		assertThat(waitOfNext()).isEqualTo(30_000_000);
	}

	@Test
	void equalReportsHaveOneEffect() {
		this.limiter.syncRemaining(BUCKET, 0, Duration.ofSeconds(30));
		this.limiter.syncRemaining(BUCKET, 0, Duration.ofSeconds(30));
		this.limiter.syncRemaining(BUCKET, 0, Duration.ofSeconds(10));
		assertThat(waitOfNext()).isEqualTo(30_000_000);
		this.limiter.syncRemaining(BUCKET, 0, Duration.ofSeconds(60));
		assertThat(waitOfNext()).isEqualTo(60_000_000);
	}

	@Test
	void reportsOfTwoInstancesAtTheSameTimeHaveOneEffect() {
		InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 100);
		TestEvaluator evaluator = TestEvaluators.of(store, TestRules.rule("bucket", new TokenBucket(RATE)));
		RuleCharge none = Objects
			.requireNonNull(PermitCharges.of(evaluator.rule("bucket"), BUCKET.cost(0), RuleChargeOptions::immediate));
		ChargeDecision before = evaluator.evaluator().peek(List.of(none)).get(0);
		ReportedLevel level = new ReportedLevel(0, Duration.ofSeconds(30));
		for (int i = 0; i < 3; i++) {
			Charge charge = Objects.requireNonNull(level.difference(none, before));
			store.acquire(List.of(charge), new StoreFailureFlag());
		}
		this.limiter = evaluator.limiter();
		assertThat(waitOfNext()).isEqualTo(30_000_000);
	}

	@ParameterizedTest
	@CsvSource({ "0, 10, 10", "1, 10, 10", "4, 10, 10", "4, 0, 0" })
	void callsOfOthersDoNotPreventIt(int others, long reported, long remaining) {
		TestEvaluator evaluator = TestEvaluators.of(new BusyStore(new InMemoryBucketStore(this.ticker, 100), others),
				TestRules.rule("bucket", new TokenBucket(RATE)));
		this.limiter = evaluator.limiter();
		this.limiter.syncRemaining(BUCKET, reported, (reported > 0) ? UNKNOWN : Duration.ofSeconds(30));
		assertThat(remaining()).isEqualTo(remaining);
		if (reported == 0) {
			assertThat(waitOfNext()).isGreaterThanOrEqualTo(30_000_000);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT1H1S", "PT876000H", "PT2562047788015215H30M7S" })
	void timeIsAtMostAnHour(Duration time) {
		this.limiter.syncRemaining(BUCKET, 0, time);
		assertThat(waitOfNext()).isEqualTo(3_600_000_000L);
	}

	@Test
	void timeHasNoEffectIfPermitsAreLeft() {
		this.limiter.syncRemaining(BUCKET, 5, Duration.ofSeconds(30));
		assertThat(remaining()).isEqualTo(5);
	}

	@Test
	void debtOfAFastRateIsBounded() {
		this.limiter = limiter(new TokenBucket(Rate.parse("1000000000000/ms")));
		this.limiter.syncRemaining(BUCKET, 0, Duration.ofHours(1));
		assertThat(remaining()).isZero();
	}

	@Test
	void leakyBucketOwesPermits() {
		this.limiter = limiter(new LeakyBucket(RATE));
		this.limiter.syncRemaining(BUCKET, 0, Duration.ofSeconds(30));
		assertThat(waitOfNext()).isEqualTo(30_000_000);
	}

	@Test
	void otherAlgorithmsAreOnlyEmptied() {
		for (Limit limit : List.of(new FixedWindow(RATE), new SlidingWindow(RATE))) {
			this.limiter = limiter(limit);
			this.limiter.syncRemaining(BUCKET, 40, Duration.ofMinutes(5));
			assertThat(remaining()).isEqualTo(40);
			this.limiter.syncRemaining(BUCKET, 0, Duration.ofMinutes(5));
			assertThat(remaining()).isZero();
			this.ticker.advance(Duration.ofMinutes(2));
			assertThat(remaining()).isEqualTo(100);
		}
	}

	@Test
	void negativeNumbersAreRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.limiter.syncRemaining(BUCKET, -1, UNKNOWN))
			.withMessageContaining("(was -1)");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.limiter.syncRemaining(BUCKET, 0, Duration.ofSeconds(-1)))
			.withMessageContaining("(was PT-1S)");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.limiter.syncRemaining(PermitRequest.of("other"), 0, UNKNOWN))
			.withMessageContaining("'other'");
	}

	private RateLimiter limiter(Limit limit) {
		return TestEvaluators.of(new InMemoryBucketStore(this.ticker, 100), TestRules.rule("bucket", limit)).limiter();
	}

	private long remaining() {
		return peek(0).decision().remaining();
	}

	/** The time until the next permit, in ticks. */
	private long waitOfNext() {
		return peek(1).decision().retryAfterTicks();
	}

	private RuleDecision peek(long cost) {
		return this.limiter.peek(BUCKET.cost(cost)).decisions().get(0);
	}

	/**
	 * A store in which other callers consume 15 permits after each of the first readings
	 * of a level.
	 */
	private static final class BusyStore extends DelegatingBucketStore {

		private int others;

		BusyStore(BucketStore store, int others) {
			super(store);
			this.others = others;
		}

		@Override
		public AcquireResult peek(List<Charge> charges) {
			AcquireResult result = super.peek(charges);
			if (this.others-- > 0) {
				acquire(List.of(new Charge(charges.get(0).key(), charges.get(0).limit(), 15)), new StoreFailureFlag());
			}
			return result;
		}

	}

}
