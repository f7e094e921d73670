package io.tierlimit.limit;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link BanPolicy}. {@code BucketStoreBanContract} tests its laws.
 */
class BanPolicyTests {

	private static final TokenBucket ONE = new TokenBucket(Rate.parse("1/s"));

	@ParameterizedTest
	@CsvSource(delimiter = ';', textBlock = """
			0; 1; 1; 1; ban.after must be from 1 to 1000000000000 rejections (was 0)
			1000000000001; 1; 1; 1; ban.after must be from 1 to 1000000000000 rejections (was 1000000000001)
			1; 0; 1; 1; ban.within must be above 0s and up to 3650d (was PT0S)
			1; 1; -1; 1; ban.for must be above 0s and up to 3650d (was PT-0.000001S)
			1; 1; 1; 315360000000001; ban.max must be above 0s and up to 3650d (was PT87600H0.000001S)
			1; 1; 3; 2; ban.max must not be shorter than ban.for, PT0.000003S (was PT0.000002S)
			""")
	void rejectsNumbersOutOfRange(long after, long within, long duration, long max, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> new BanPolicy(after, within, duration, max))
			.withMessage(message);
	}

	@ParameterizedTest
	@CsvSource({ "1, 10, 1, 1", "1, 10, 4, 8", "1, 10, 5, 10", "3, 10, 2, 6", "3, 10, 3, 10", "10, 10, 1, 10",
			"1, 315360000000000, 49, 281474976710656", "1, 315360000000000, 50, 315360000000000",
			"1, 315360000000000, 9223372036854775807, 315360000000000",
			"315360000000000, 315360000000000, 2, 315360000000000" })
	void durationsDoubleUpToTheMaximum(long duration, long max, long number, long expected) {
		assertThat(new BanPolicy(1, 1, duration, max).duration(number)).isEqualTo(expected);
	}

	@Test
	void timesAreRoundedDownToTicks() {
		assertThat(BanPolicy.of(2, Duration.ofNanos(1999), Duration.ofMillis(1), Duration.ofSeconds(1)))
			.isEqualTo(new BanPolicy(2, 1, 1000, 1_000_000));
	}

	@Test
	void historyThatDoesNotMatterIsRemovedWithTheNextCharge() {
		BanPolicy policy = new BanPolicy(2, 10_000_000, 30_000_000, 40_000_000);
		BucketState state = new BucketState(0);
		ONE.acquire(state, 1, 0);
		count(policy, state, 0);
		assertThat(state.bansMatterUntil()).isEqualTo(10_000_000);
		policy.acquire(state, ONE, 1, Overdraft.NONE, 9_999_999);
		assertThat(state.bansMatterUntil()).isEqualTo(10_000_000);
		policy.acquire(state, ONE, 1, Overdraft.NONE, 11_000_000);
		assertThat(state.bansMatterUntil()).isEqualTo(Long.MIN_VALUE);
		count(policy, state, 20_000_000);
		count(policy, state, 20_000_000);
		assertThat(state.ban(20_000_000)).isEqualTo(new Ban(30_000_000, 1, false));
		assertThat(state.bansMatterUntil()).as("its end, and the maximum").isEqualTo(90_000_000);
		policy.acquire(state, ONE, 1, Overdraft.NONE, 90_000_000);
		assertThat(state.bansMatterUntil()).isEqualTo(Long.MIN_VALUE);
	}

	@Test
	void windowBeginsWithTheFirstRejectionThatIsInNoOther() {
		BanPolicy policy = new BanPolicy(3, 10, 5, 5);
		BucketState state = new BucketState(0);
		ONE.acquire(state, 1, 0);
		count(policy, state, 100);
		count(policy, state, 109);
		count(policy, state, 110);
		assertThat(state.isBanned(110)).as("the window ended before").isFalse();
		count(policy, state, 119);
		count(policy, state, 119);
		assertThat(state.isBanned(119)).isTrue();
	}

	@RandomizedTest(20)
	void unpackedBansEqualThePackedOnes(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		BanPolicy policy = new BanPolicy(3, 10_000_000_000L, 10_000_000, 1_000_000_000);
		for (Limit limit : new Limit[] { traffic.limit(), traffic.sliding(), traffic.log() }) {
			BucketState state = new BucketState(0);
			long now = 0;
			for (int i = 0; i < 20; i++) {
				now = Math.max(now, traffic.moment(limit));
				limit.acquire(state, traffic.cost(limit, state), now);
				count(policy, state, now);
				BucketState unpacked = PackedState.unpack(PackedState.pack(state));
				assertThat(unpacked).hasToString(state.toString());
				assertThat(state.copy()).hasToString(state.toString());
				assertThat(unpacked.ban(now)).isEqualTo(state.ban(now));
			}
			state.refill(now);
			assertThat(PackedState.unpack(PackedState.pack(state)).ban(now)).isEqualTo(state.ban(now));
			state.reset(now);
			assertThat(PackedState.pack(state)).hasSize(73);
		}
	}

	private static Decision count(BanPolicy policy, BucketState state, long now) {
		return policy.count(state, ONE.inspect(state, 1, Overdraft.NONE, now), now);
	}

}
