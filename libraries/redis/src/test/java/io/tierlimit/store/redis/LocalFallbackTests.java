package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.SlidingWindow;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LocalFallback}.
 */
class LocalFallbackTests {

	private static final BanPolicy BAN = new BanPolicy(3, 60_000_000, 60_000_000, 60_000_000);

	@ParameterizedTest
	@CsvSource({ "0.5, 5, false", "1, 10, true" })
	void onlyRejectionsByTheWholeLimitCountForBans(BigDecimal share, int allowed, boolean banned) {
		LocalFallback local = new LocalFallback(new InMemoryBucketStore(new SimulatedTicker(), 10), () -> share,
				StoreFailurePolicy.LOCAL);
		Charge charge = new Charge(new BucketKey("per-user", "alice"), new TokenBucket(Rate.parse("10/h")), 1,
				ChargeOptions.ENFORCED.with(BAN));
		for (int i = 0; i < allowed; i++) {
			assertThat(local.acquire(List.of(charge), new StoreFailureFlag()).admitted()).isTrue();
		}
		Decision last = null;
		for (int i = 0; i < 5; i++) {
			last = local.acquire(List.of(charge), new StoreFailureFlag()).decision(0);
		}
		assertThat(last).isNotNull().satisfies((decision) -> assertThat(decision.ban() != null).isEqualTo(banned));
	}

	@ParameterizedTest
	@MethodSource("limits")
	void expensiveRequestsDoNotRaiseTheShareOfAnyKey(Limit limit) {
		LocalFallback local = fallback(new AtomicReference<>(new BigDecimal("0.1")));
		assertThat(admitted(local, limit, "evil", 1000, 1)).isZero();
		assertThat(admitted(local, limit, "alice", 1, 1000)).isEqualTo(100);
		assertThat(admitted(local, limit, "evil", 1, 1000)).isEqualTo(100);
	}

	@ParameterizedTest
	@MethodSource("limits")
	void changedShareRefundsNoPermits(Limit limit) {
		AtomicReference<BigDecimal> share = new AtomicReference<>(new BigDecimal("0.1"));
		LocalFallback local = fallback(share);
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

	private static LocalFallback fallback(AtomicReference<BigDecimal> share) {
		return new LocalFallback(new InMemoryBucketStore(new SimulatedTicker(), 10), share::get,
				StoreFailurePolicy.LOCAL);
	}

	/** The number of requests that are allowed. */
	private static int admitted(LocalFallback local, Limit limit, String key, long cost, int requests) {
		Charge charge = new Charge(new BucketKey("per-user", key), limit, cost);
		int admitted = 0;
		for (int i = 0; i < requests; i++) {
			admitted += local.acquire(List.of(charge), new StoreFailureFlag()).admitted() ? 1 : 0;
		}
		return admitted;
	}

}
