package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.SlidingWindow;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LocalFallback}.
 */
class LocalFallbackTests {

	private static final BanPolicy BAN = new BanPolicy(3, 60_000_000, 60_000_000, 60_000_000);

	private static final TokenBucket TEN = new TokenBucket(Rate.parse("1/s"), 10);

	private final Charge own = with(StoreFailurePolicy.LOCAL, false, "own");

	private final Charge other = with(StoreFailurePolicy.LOCAL, false, "other");

	private final Charge allow = with(StoreFailurePolicy.ALLOW, false, "allow");

	private final Charge deny = with(StoreFailurePolicy.DENY, false, "deny");

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final InMemoryBucketStore buckets = new InMemoryBucketStore(this.ticker, 10);

	@Test
	void denyRejectsAndNothingIsCharged() {
		LocalFallback local = fallback("1", StoreFailurePolicy.LOCAL);
		AcquireResult result = acquire(local, this.own, this.allow, this.deny);
		assertThat(result)
			.isEqualTo(new AcquireResult(false, Source.NONE, Collections.nCopies(3, null), result.charges()));
		assertThat(this.buckets.size()).isZero();
		assertThat(acquire(local, cost(0, this.deny)).admitted()).as("a cost of zero").isTrue();
	}

	@Test
	void onlyLocalBucketsHaveDecisions() {
		LocalFallback local = fallback("1", StoreFailurePolicy.DENY);
		Charge shadow = with(StoreFailurePolicy.DENY, true, "shadow");
		assertThat(remaining(acquire(local, shadow, this.allow, this.own))).containsExactly(null, null, 9L);
		assertThat(remaining(acquire(local, this.allow))).containsOnlyNulls();
		assertThat(this.buckets.size()).isOne();
	}

	@Test
	void localBucketsAreChargedTogether() {
		LocalFallback local = fallback("1", StoreFailurePolicy.LOCAL);
		acquire(local, cost(10, this.own));
		AcquireResult result = acquire(local, this.other, this.allow, this.own);
		assertThat(result.admitted()).isFalse();
		assertThat(result.source()).isEqualTo(Source.FALLBACK);
		assertThat(result.decisions()).extracting((decision) -> (decision != null) ? decision.allowed() : null)
			.containsExactly(true, null, false);
		assertThat(remaining(local.peek(List.of(cost(0, this.other))))).containsExactly(10L);
	}

	@ParameterizedTest
	@CsvSource({ "LOCAL, 10", "ALLOW, 20", "DENY, 0" })
	void chargesWithoutPolicyUseThePolicyOfTheStore(StoreFailurePolicy policy, int admitted) {
		LocalFallback local = fallback("1", policy);
		Charge without = new Charge(new BucketKey("without", "alice"), TEN, 1);
		assertThat(admitted(20, local, without)).isEqualTo(admitted);
		assertThat(admitted(20, local, this.own)).isEqualTo(10);
	}

	@Test
	void shareIsAPartOfBurstAndRate() {
		LocalFallback local = fallback("0.25", StoreFailurePolicy.LOCAL);
		assertThat(admitted(20, local, this.own)).isEqualTo(2);
		this.ticker.advance(3_999_999);
		assertThat(admitted(20, local, this.own)).isZero();
		this.ticker.advance(1);
		assertThat(admitted(20, local, this.own)).isOne();
		assertThat(admitted(5, fallback("0.01", StoreFailurePolicy.LOCAL), this.other)).as("at least one").isOne();
	}

	@Test
	void costAboveTheShareIsRejected() {
		LocalFallback local = fallback("0.25", StoreFailurePolicy.LOCAL);
		assertThat(acquire(local, cost(3, this.own)).decisions().get(0)).matches(Decision::neverAllowed);
		assertThat(admitted(5, local, this.own, cost(2, this.own))).isZero();
		assertThat(admitted(5, local, this.own, this.own)).isOne();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1 })
	void shareIsKeptForRequestsOfAnyCost(int cheap) {
		LocalFallback local = fallback("0.05", StoreFailurePolicy.LOCAL);
		Charge charge = new Charge(new BucketKey("costs", "alice"), new TokenBucket(Rate.parse("1/s"), 100), 1);
		long granted = 0;
		for (int second = 0; second < 3600; second++) {
			this.ticker.advance(1_000_000);
			for (int cost : new int[] { 100, 5, cheap }) {
				granted += acquire(local, cost(cost, charge)).admitted() ? cost : 0;
			}
		}
		assertThat(granted).isBetween(180L, 180L + 5);
	}

	@Test
	void reservationIsLocalAndCanBeRefunded() {
		LocalFallback local = fallback("1", StoreFailurePolicy.LOCAL);
		Charge reserved = new Charge(this.own.key(), TEN, 7,
				new ChargeOptions(false, StoreFailurePolicy.LOCAL, true, Overdraft.ofPermits(5), null, true));
		assertThat(acquire(local, reserved).decisions().get(0).delayTicks()).isZero();
		AcquireResult inDebt = acquire(local, reserved);
		assertThat(inDebt.decisions().get(0).delayTicks()).isEqualTo(4_000_000);
		assertThat(acquire(local, reserved).admitted()).isFalse();
		local.settle(Settlement.refund(inDebt.charge(0)), new StoreFailureFlag());
		assertThat(remaining(local.peek(List.of(cost(0, this.own))))).containsExactly(3L);
	}

	@Test
	void shareIsRefunded() {
		LocalFallback local = fallback("0.5", StoreFailurePolicy.LOCAL);
		AcquireResult result = acquire(local, cost(5, this.own));
		assertThat(admitted(1, local, this.own)).isZero();
		local.settle(Settlement.refund(result.charge(0)), new StoreFailureFlag());
		assertThat(admitted(20, local, this.own)).isEqualTo(5);
	}

	@ParameterizedTest
	@CsvSource({ "0.5, 5, false", "1, 10, true" })
	void onlyRejectionsByTheWholeLimitCountForBans(String share, int allowed, boolean banned) {
		LocalFallback local = fallback(share, StoreFailurePolicy.LOCAL);
		Charge charge = new Charge(this.own.key(), TEN, 1, ChargeOptions.ENFORCED.with(BAN));
		assertThat(admitted(allowed + 4, local, charge)).isEqualTo(allowed);
		assertThat(acquire(local, charge).decisions().get(0)).matches((last) -> (last.ban() != null) == banned);
	}

	@ParameterizedTest
	@MethodSource("limits")
	void expensiveRequestsDoNotRaiseTheShareOfAnyKey(Limit limit) {
		LocalFallback local = fallback("0.1", StoreFailurePolicy.LOCAL);
		assertThat(admitted(local, limit, "evil", 1000, 1)).isZero();
		assertThat(admitted(local, limit, "alice", 1, 1000)).isEqualTo(100);
		assertThat(admitted(local, limit, "evil", 1, 1000)).isEqualTo(100);
	}

	@ParameterizedTest
	@MethodSource("limits")
	void changedShareRefundsNoPermits(Limit limit) {
		AtomicReference<BigDecimal> share = new AtomicReference<>(new BigDecimal("0.1"));
		LocalFallback local = new LocalFallback(this.buckets, share::get, StoreFailurePolicy.LOCAL);
		admitted(local, limit, "evil", 1000, 1);
		assertThat(admitted(local, limit, "evil", 1, 1000)).isEqualTo(100);
		for (String changed : List.of("0.05", "0.1")) {
			share.set(new BigDecimal(changed));
			assertThat(admitted(local, limit, "evil", 900, 1)).isZero();
			assertThat(admitted(local, limit, "evil", 1, 1000)).isZero();
		}
	}

	static List<Limit> limits() {
		Rate rate = Rate.parse("1000/h");
		return List.of(new TokenBucket(rate), new FixedWindow(rate, 1000, null), new SlidingWindow(rate),
				new SlidingLog(rate));
	}

	private LocalFallback fallback(String share, StoreFailurePolicy policy) {
		BigDecimal number = new BigDecimal(share);
		return new LocalFallback(this.buckets, () -> number, policy);
	}

	private static AcquireResult acquire(LocalFallback local, Charge... charges) {
		return local.acquire(List.of(charges), new StoreFailureFlag());
	}

	/** The number of requests that are allowed, each with all these charges. */
	private static int admitted(int requests, LocalFallback local, Charge... charges) {
		return (int) IntStream.range(0, requests).filter((i) -> acquire(local, charges).admitted()).count();
	}

	private static int admitted(LocalFallback local, Limit limit, String key, long cost, int requests) {
		return admitted(requests, local, new Charge(new BucketKey("per-user", key), limit, cost));
	}

	private static List<@Nullable Long> remaining(AcquireResult result) {
		List<@Nullable Long> remaining = new ArrayList<>();
		result.decisions().forEach((decision) -> remaining.add((decision != null) ? decision.remaining() : null));
		return remaining;
	}

	private static Charge cost(long cost, Charge charge) {
		return new Charge(charge.key(), charge.limit(), cost, charge.options());
	}

	private static Charge with(StoreFailurePolicy policy, boolean shadow, String rule) {
		return new Charge(new BucketKey(rule, "alice"), TEN, 1,
				new ChargeOptions(shadow, policy, true, Overdraft.NONE, null, true));
	}

}
