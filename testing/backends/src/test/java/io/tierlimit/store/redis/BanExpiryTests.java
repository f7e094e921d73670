package io.tierlimit.store.redis;

import java.util.List;

import io.tierlimit.limit.Ban;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests how long Redis stores rejections and bans: until they no longer affect a
 * decision.
 */
class BanExpiryTests extends RedisServerTest {

	private static final long SECOND = 1_000_000;

	private static final BanPolicy POLICY = new BanPolicy(3, 3600 * SECOND, 36_000 * SECOND, 360_000 * SECOND);

	private final Charge charge = charge(ChargeOptions.ENFORCED.with(POLICY));

	private Instance instance;

	@BeforeEach
	void start() {
		this.instance = Instance.on(this.server.port());
	}

	@AfterEach
	void stop() {
		this.instance.close();
	}

	@Test
	void rejectionsAreStoredForTheirWindow() {
		this.instance.acquire(this.charge);
		assertExpiry(1);
		assertThat(this.instance.acquire(this.charge).admitted()).isFalse();
		assertExpiry(3600);
	}

	@Test
	void bansAreStoredUntilTheyDoNotMatter() {
		ban();
		assertExpiry(396_000);
		this.instance.acquire(charge(ChargeOptions.ENFORCED));
		assertExpiry(396_000);
		this.instance.store.refill(this.charge.key(), new StoreFailureFlag());
		assertExpiry(396_000);
		AcquireResult acquired = this.instance.acquire(charge(ChargeOptions.ENFORCED));
		this.instance.refund(acquired);
		assertExpiry(396_000);
	}

	@Test
	void liftedBanIsNotStored() {
		ban();
		this.instance.store.reset(this.charge.key(), new StoreFailureFlag());
		assertExpiry(0);
	}

	private void ban() {
		for (int i = 0; i < 3; i++) {
			this.instance.acquire(this.charge);
		}
		assertThat(this.instance.acquire(this.charge).decision(0)).isNotNull()
			.extracting(Decision::ban)
			.isEqualTo(new Ban(36_000 * SECOND, 1, true));
	}

	/**
	 * Asserts the remaining time of a key. The store adds a second, and a slow machine
	 * may need a few seconds.
	 */
	private void assertExpiry(long seconds) {
		List<String> keys = List.of(this.server.command("KEYS", "*").split("\n", -1));
		assertThat(keys).hasSize(1);
		assertThat(Long.parseLong(this.server.command("PTTL", keys.get(0)).strip())).isBetween(1000 * seconds - 600_000,
				1000 * seconds + 1000);
	}

	private static Charge charge(ChargeOptions options) {
		Charge charge = Instance.charge("banned", new TokenBucket(Rate.parse("1/s")));
		return new Charge(charge.key(), charge.limit(), 1, options);
	}

}
