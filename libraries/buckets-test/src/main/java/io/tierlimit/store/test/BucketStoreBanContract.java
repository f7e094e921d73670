package io.tierlimit.store.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

import io.tierlimit.limit.Ban;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.StoreFailureFlag;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The part of the {@link BucketStoreContract} for bans.
 */
abstract class BucketStoreBanContract extends BucketStoreRefundContract {

	/** After 3 rejections within 10 seconds, a ban of a minute, at most 5 minutes. */
	private static final BanPolicy POLICY = new BanPolicy(3, 10 * SECOND, 60 * SECOND, 300 * SECOND);

	private static final ChargeOptions BANNING = ChargeOptions.ENFORCED.with(POLICY);

	private static final Charge USER_CHARGE = new Charge(USER, FOUR, 1, BANNING);

	@Test
	void rejectionThatCompletesTheNumberStartsABan() {
		exhaust();
		assertThat(acquire(USER_CHARGE).decisions())
			.containsExactly(new Decision(false, 0, SECOND, SECOND, 4 * SECOND));
		assertThat(acquire(USER_CHARGE).decisions())
			.containsExactly(new Decision(false, 0, SECOND, SECOND, 4 * SECOND));
		Decision third = decide(USER_CHARGE);
		assertThat(third.ban()).isEqualTo(new Ban(60 * SECOND, 1, true));
		assertThat(third.allowed()).isFalse();
		assertThat(third.remaining()).isZero();
		assertThat(third.retryAfterTicks()).isEqualTo(60 * SECOND);
		assertThat(third.nextPermitTicks()).isEqualTo(60 * SECOND);
		assertThat(third.resetTicks()).isEqualTo(60 * SECOND);
	}

	@Test
	void banEndsExactlyAfterItsDuration() {
		ban();
		advanceClock(60 * SECOND - 1);
		assertThat(decide(USER_CHARGE).ban()).isEqualTo(new Ban(1, 1, false));
		assertThat(decide(USER_CHARGE).retryAfterTicks()).isEqualTo(1);
		advanceClock(1);
		assertThat(decide(USER_CHARGE)).isEqualTo(new Decision(true, 3, 0, SECOND, SECOND));
	}

	@Test
	void waitOfABanIsAtLeastTheWaitOfTheBucket() {
		TokenBucket slow = new TokenBucket(Rate.parse("1/h"));
		Charge charge = new Charge(USER, slow, 1, BANNING);
		for (int i = 0; i < 4; i++) {
			acquire(charge);
		}
		assertThat(decide(charge).retryAfterTicks()).isEqualTo(3600 * SECOND);
		assertThat(decide(new Charge(USER, slow, 2, BANNING)).neverAllowed()).isTrue();
	}

	@Test
	void fewerRejectionsInEveryWindowStartNoBan() {
		exhaust();
		for (int i = 0; i < 20; i++) {
			acquire(new Charge(USER, FOUR, 4, BANNING));
			advanceClock(5 * SECOND);
		}
		assertThat(this.store.bans("per-user", 10)).isEmpty();
	}

	@Test
	void rejectionsDuringABanNeitherExtendItNorCount() {
		ban();
		for (int i = 0; i < 20; i++) {
			acquire(USER_CHARGE);
			advanceClock(3 * SECOND);
		}
		exhaust();
		assertThat(decide(USER_CHARGE).ban()).isNull();
		assertThat(decide(USER_CHARGE).ban()).isNull();
		assertThat(decide(USER_CHARGE).ban()).isEqualTo(new Ban(120 * SECOND, 2, true));
	}

	@Test
	void bansInARowAreTwiceAsLongUpToTheMaximum() {
		long[] seconds = { 60, 120, 240, 300, 300 };
		for (int i = 0; i < seconds.length; i++) {
			assertThat(ban()).isEqualTo(new Ban(seconds[i] * SECOND, i + 1, true));
			advanceClock(seconds[i] * SECOND + 299 * SECOND);
		}
		advanceClock(SECOND);
		assertThat(ban()).as("after the maximum without a ban").isEqualTo(new Ban(60 * SECOND, 1, true));
	}

	@Test
	void bannedBucketRejectsTheWholeRequest() {
		ban();
		advanceClock(30 * SECOND);
		AcquireResult result = acquire(new Charge(GLOBAL, TEN, 2), USER_CHARGE, new Charge(IP, FOUR, 1));
		assertThat(result.admitted()).isFalse();
		assertThat(result.decisions()).extracting(Decision::allowed).containsExactly(true, false, true);
		assertThat(remaining(GLOBAL, TEN)).isEqualTo(10);
		assertThat(remaining(IP, FOUR)).isEqualTo(4);
	}

	@Test
	void ignoredRejectionStartsNoBan() {
		Charge uncounted = new Charge(USER, FOUR, 1, BANNING.withoutCounting());
		exhaust();
		for (int i = 0; i < 10; i++) {
			assertThat(decide(uncounted)).isEqualTo(new Decision(false, 0, SECOND, SECOND, 4 * SECOND));
		}
		decide(USER_CHARGE);
		decide(USER_CHARGE);
		assertThat(decide(uncounted).ban()).isNull();
		assertThat(decide(USER_CHARGE).ban()).isEqualTo(new Ban(60 * SECOND, 1, true));
		assertThat(decide(uncounted).ban()).as("a banned bucket").isEqualTo(new Ban(60 * SECOND, 1, false));
	}

	@Test
	void onlyTheBucketsThatRejectCount() {
		BucketKey other = new BucketKey("per-user", "bob");
		acquire(new Charge(IP, FOUR, 4));
		for (int i = 0; i < 10; i++) {
			assertThat(acquire(new Charge(IP, FOUR, 1), USER_CHARGE).admitted()).isFalse();
			acquire(new Charge(other, FOUR, 1, BANNING));
		}
		assertThat(this.store.bans("per-user", 10).keySet()).containsExactly(other);
	}

	@Test
	void shadowChargeIsBannedButRejectsNothing() {
		Charge shadow = new Charge(USER, FOUR, 1, ChargeOptions.SHADOW.with(POLICY));
		for (int i = 0; i < 7; i++) {
			assertThat(acquire(shadow, new Charge(GLOBAL, TEN, 1)).admitted()).isTrue();
		}
		advanceClock(10 * SECOND);
		assertThat(decide(shadow).ban()).isEqualTo(new Ban(50 * SECOND, 1, false));
		assertThat(decide(shadow).allowed()).isFalse();
	}

	@Test
	void costOfZeroIsAllowedDuringABan() {
		ban();
		Charge free = new Charge(USER, FOUR, 0, BANNING);
		for (AcquireResult result : List.of(acquire(free), this.store.peek(List.of(free)))) {
			assertThat(result.admitted()).isTrue();
			Decision decision = result.decision(0);
			assertThat(decision).isNotNull().extracting(Decision::ban).isEqualTo(new Ban(60 * SECOND, 1, false));
			assertThat(decision).extracting(Decision::remaining, Decision::nextPermitTicks)
				.containsExactly(0L, 60 * SECOND);
		}
	}

	@Test
	void peekShowsTheBanAndCountsNothing() {
		exhaust();
		for (int i = 0; i < 10; i++) {
			assertThat(this.store.peek(List.of(USER_CHARGE)).decision(0))
				.isEqualTo(new Decision(false, 0, SECOND, SECOND, 4 * SECOND));
		}
		ban();
		assertThat(this.store.peek(List.of(USER_CHARGE)).decision(0)).isNotNull()
			.extracting(Decision::allowed, Decision::ban)
			.containsExactly(false, new Ban(60 * SECOND, 1, false));
	}

	@Test
	void banAppliesOnlyToChargesWithAPolicy() {
		ban();
		advanceClock(10 * SECOND);
		assertThat(acquire(new Charge(USER, FOUR, 4)).admitted()).isTrue();
		assertThat(acquire(new Charge(USER, FOUR, 1)).decisions())
			.containsExactly(new Decision(false, 0, SECOND, SECOND, 4 * SECOND));
		assertThat(decide(USER_CHARGE).ban()).isEqualTo(new Ban(50 * SECOND, 1, false));
	}

	@Test
	void changedPolicyAppliesToLaterBansAndKeepsTheEndOfACurrentBan() {
		BanPolicy changed = new BanPolicy(2, 60 * SECOND, 10 * SECOND, 30 * SECOND);
		Charge tooMuch = new Charge(USER, FOUR, 5, ChargeOptions.ENFORCED.with(changed));
		ban();
		advanceClock(20 * SECOND);
		assertThat(decide(tooMuch).ban()).isEqualTo(new Ban(40 * SECOND, 1, false));
		advanceClock(40 * SECOND);
		assertThat(decide(tooMuch).ban()).isNull();
		advanceClock(20 * SECOND);
		assertThat(decide(tooMuch).ban()).as("twice the new duration").isEqualTo(new Ban(20 * SECOND, 2, true));
		advanceClock(20 * SECOND);
		assertThat(decide(tooMuch).ban()).isNull();
		assertThat(decide(tooMuch).ban()).as("the new maximum").isEqualTo(new Ban(30 * SECOND, 3, true));
	}

	@Test
	void banOutlivesTheFullBucketRefundsAndRefills() {
		AcquireResult before = acquire(new Charge(USER, FOUR, 4, BANNING));
		for (int i = 0; i < 3; i++) {
			acquire(USER_CHARGE);
		}
		this.store.refund(before.charges(), new StoreFailureFlag());
		assertThat(this.store.refill(USER, new StoreFailureFlag())).isTrue();
		advanceClock(20 * SECOND);
		assertThat(decide(USER_CHARGE).ban()).isEqualTo(new Ban(40 * SECOND, 1, false));
		assertThat(remaining(USER, FOUR)).isEqualTo(4);
	}

	@Test
	void rejectionsCountAfterARefill() {
		exhaust();
		acquire(USER_CHARGE);
		acquire(USER_CHARGE);
		this.store.refill(USER, new StoreFailureFlag());
		exhaust();
		assertThat(decide(USER_CHARGE).ban()).isEqualTo(new Ban(60 * SECOND, 1, true));
	}

	@Test
	void resetLiftsTheBanAndRemovesEarlierRejections() {
		ban();
		this.store.reset(USER, new StoreFailureFlag());
		assertThat(this.store.bans("per-user", 10)).isEmpty();
		assertThat(decide(USER_CHARGE)).isEqualTo(new Decision(true, 3, 0, SECOND, SECOND));
		assertThat(ban()).isEqualTo(new Ban(60 * SECOND, 1, true));
		assertThat(this.store.resetAll("per-user")).isTrue();
		assertThat(this.store.bans("per-user", 10)).isEmpty();
		acquire(new Charge(USER, FOUR, 4, BANNING));
		acquire(USER_CHARGE);
		acquire(USER_CHARGE);
		this.store.reset(USER, new StoreFailureFlag());
		exhaust();
		assertThat(decide(USER_CHARGE).ban()).isNull();
	}

	@Test
	void costAboveTheCapacityCounts() {
		Charge tooMuch = new Charge(USER, FOUR, 5, BANNING);
		acquire(tooMuch);
		acquire(tooMuch);
		assertThat(decide(tooMuch).ban()).isEqualTo(new Ban(60 * SECOND, 1, true));
		assertThat(decide(USER_CHARGE).retryAfterTicks()).isEqualTo(60 * SECOND);
	}

	@Test
	void bansOfARuleAreFound() {
		BucketKey composite = new BucketKey("per-user", "ada|GET /a", "ada");
		BucketKey otherRule = new BucketKey("per-user2", "ada");
		for (BucketKey key : List.of(USER, composite, otherRule)) {
			ban(key);
		}
		acquire(new Charge(new BucketKey("per-user", "bob"), FOUR, 1, BANNING));
		assertThat(this.store.bans("per-user", 10))
			.isEqualTo(Map.of(USER, new Ban(60 * SECOND, 1, false), composite, new Ban(60 * SECOND, 1, false)));
		assertThat(this.store.bans("per-user", 1)).hasSize(1);
		assertThat(this.store.bans("unknown", 10)).isEmpty();
		for (BucketKey found : this.store.bans("per-user", 10).keySet()) {
			this.store.reset(found, new StoreFailureFlag());
		}
		assertThat(this.store.bans("per-user", 10)).isEmpty();
		assertThat(decide(new Charge(composite, FOUR, 1, BANNING)).allowed()).isTrue();
		advanceClock(60 * SECOND);
		assertThat(this.store.bans("per-user2", 10)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "", "a b", "a:b", "{a}", "}{", "*", "\0", "\n", "%25", "%u", "a\u0308", "漢字", "😀", "\ud83d" })
	void bannedKeysMayHaveAnyCharacters(String text) {
		List<BucketKey> keys = List.of(new BucketKey("r", text), new BucketKey("r", text + "|x", text),
				new BucketKey("r", "x|" + text, "x"));
		keys.forEach(this::ban);
		assertThat(this.store.bans("r", 10).keySet()).containsExactlyInAnyOrderElementsOf(keys);
	}

	/** The clock and the costs are random. {@link ObservedBans} checks the laws. */
	@RepeatedTest(20)
	void randomRequestsAreBannedByTheirRejections(RepetitionInfo seed) {
		Random random = new Random(seed.getCurrentRepetition());
		long duration = random.nextLong(1, 31);
		BanPolicy policy = new BanPolicy(1 + random.nextInt(4), SECOND * (1 + random.nextInt(20)), SECOND * duration,
				SECOND * duration * (1 + random.nextInt(5)));
		ObservedBans observed = new ObservedBans(policy);
		for (int i = 0; i < 300; i++) {
			advanceClock(SECOND / 2 * random.nextInt((random.nextInt(4) > 0) ? 4 : 80));
			Charge charge = new Charge(USER, FOUR, random.nextInt(6), ChargeOptions.ENFORCED.with(policy));
			observed.check(charge, decide(charge), now());
		}
		assertThat(observed.bans).isPositive();
	}

	private Decision decide(Charge charge) {
		return Objects.requireNonNull(acquire(charge).decision(0));
	}

	private void exhaust() {
		assertThat(acquire(new Charge(USER, FOUR, 4, BANNING)).admitted()).isTrue();
	}

	private @Nullable Ban ban() {
		return ban(USER);
	}

	private @Nullable Ban ban(BucketKey key) {
		Charge all = new Charge(key, FOUR, 4, BANNING);
		for (int i = 0; i < 4; i++) {
			Ban ban = decide(all).ban();
			if (ban != null) {
				return ban;
			}
		}
		throw new AssertionError("Three rejections have not started a ban");
	}

	/**
	 * Checks the laws of bans for the rejections of one bucket.
	 */
	private static final class ObservedBans {

		private final BanPolicy policy;

		/** The times of all rejections since the last ban. */
		private final List<Long> rejections = new ArrayList<>();

		private long number;

		private long end = Long.MIN_VALUE;

		private int bans;

		ObservedBans(BanPolicy policy) {
			this.policy = policy;
		}

		void check(Charge charge, Decision decision, long now) {
			if (now < this.end) {
				assertThat(decision.ban()).isEqualTo(new Ban(this.end - now, this.number, false));
				assertThat(decision.allowed()).isEqualTo(charge.cost() == 0);
				return;
			}
			if (decision.allowed()) {
				assertThat(decision.ban()).isNull();
				return;
			}
			this.rejections.add(now);
			long inWindow = this.rejections.stream().filter((moment) -> moment > now - this.policy.within()).count();
			if (decision.ban() == null) {
				assertThat(inWindow).isLessThan(2 * this.policy.after() - 1);
				return;
			}
			assertThat(inWindow).isGreaterThanOrEqualTo(this.policy.after());
			boolean inRow = this.number > 0 && now - this.end < this.policy.max();
			this.number = inRow ? this.number + 1 : 1;
			long length = this.policy.duration();
			for (long i = 1; i < this.number && length < this.policy.max(); i++) {
				length = Math.min(this.policy.max(), 2 * length);
			}
			this.end = now + length;
			assertThat(decision.ban()).isEqualTo(new Ban(this.end - now, this.number, true));
			this.rejections.clear();
			this.bans++;
		}

	}

}
