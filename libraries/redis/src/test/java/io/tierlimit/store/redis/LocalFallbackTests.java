package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.util.List;

import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Rate;
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

}
