package io.tierlimit.store.memory;

import java.util.List;
import java.util.Objects;

import io.tierlimit.limit.Ban;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.Crowd;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests which bans remain in a full store.
 */
class BanEvictionTests extends InMemoryTraffic {

	private static final BanPolicy POLICY = new BanPolicy(2, 60 * SECOND, 600 * SECOND, 3600 * SECOND);

	private final InMemoryBucketStore store = store(50);

	@Test
	void floodOfKeysNeitherLiftsABanNorExceedsTheBound() {
		ban("attacker");
		this.ticker.advance(60 * SECOND);
		for (int i = 0; i < 5000; i++) {
			// The second half leaves no bucket with permits.
			acquire("flood " + i, (i < 2500) ? TEN : ONE, 1);
			assertThat(this.store.size()).isLessThanOrEqualTo(50);
		}
		assertThat(acquire("attacker", ONE, 1).ban()).isEqualTo(new Ban(540 * SECOND, 1, false));
	}

	@Test
	void bucketOfAllKeysWithoutRoomIsNeverBanned() {
		for (int i = 0; i < 50; i++) {
			ban("attacker " + i);
		}
		for (int i = 0; i < 100; i++) {
			acquire("other " + i, ONE, 1);
		}
		assertThat(this.store.overflows()).isPositive();
		this.ticker.advance(SECOND);
		assertThat(acquire("innocent", ONE, 1)).isNotNull()
			.extracting(Decision::allowed, Decision::ban)
			.containsExactly(true, null);
		assertThat(this.store.bans("per-ip", 100)).hasSize(50);
		assertThat(this.store.bans("(overflow) per-ip", 100)).isEmpty();
	}

	@Test
	void bucketsWithPermitsAreEvictedBeforeEarlierBans() {
		ban("repeated");
		this.ticker.advance(600 * SECOND);
		for (int i = 0; i < 500; i++) {
			acquire("flood " + i, TEN, 1);
		}
		assertThat(ban("repeated")).isEqualTo(new Ban(1200 * SECOND, 2, true));
	}

	@Test
	void earlierBansMakeRoomIfThereIsNoOther() {
		for (int i = 0; i < 50; i++) {
			ban("attacker " + i);
		}
		this.ticker.advance(600 * SECOND);
		acquire("new", TEN, 3);
		assertThat(this.store.overflows()).isZero();
		assertThat(acquire("new", TEN, 1).remaining()).isEqualTo(6);
	}

	@Test
	void bucketWithoutBansThatMatterIsRemovedFirst() {
		ban("attacker");
		this.ticker.advance(4200 * SECOND);
		for (int i = 0; i < 49; i++) {
			acquire("user " + i, TEN, 2);
		}
		acquire("new", TEN, 1);
		assertThat(this.store.evictions()).isZero();
		assertThat(ban("attacker")).isEqualTo(new Ban(600 * SECOND, 1, true));
	}

	@Test
	void oneOfManyThreadsStartsEachBan() throws Exception {
		BanPolicy policy = new BanPolicy(1000, 60 * SECOND, 600 * SECOND, 3600 * SECOND);
		Charge charge = new Charge(new BucketKey("per-ip", "crowd"), ONE, 1, ChargeOptions.ENFORCED.with(policy));
		List<Integer> started = Crowd.run(8, (thread) -> {
			int bans = 0;
			for (int i = 0; i < 500; i++) {
				AcquireResult result = acquire(this.store, charge);
				Ban ban = decision(result).ban();
				bans += (ban != null && ban.started()) ? 1 : 0;
			}
			return bans;
		});
		assertThat(started.stream().mapToInt(Integer::intValue).sum()).isOne();
		this.ticker.advance(600 * SECOND);
		int rejected = 0;
		@Nullable Ban ban = null;
		while (ban == null) {
			Decision decision = decision(acquire(this.store, charge));
			rejected += decision.allowed() ? 0 : 1;
			ban = decision.ban();
		}
		assertThat(rejected).as("no rejection was lost or counted twice").isEqualTo(1000);
	}

	private Ban ban(String key) {
		@Nullable Ban ban = acquire(key, ONE, 1).ban();
		while (ban == null) {
			ban = acquire(key, ONE, 1).ban();
		}
		return ban;
	}

	private Decision acquire(String key, TokenBucket limit, long cost) {
		Charge charge = new Charge(new BucketKey("per-ip", key), limit, cost, ChargeOptions.ENFORCED.with(POLICY));
		return decision(acquire(this.store, charge));
	}

	private static Decision decision(AcquireResult result) {
		return Objects.requireNonNull(result.decision(0));
	}

}
