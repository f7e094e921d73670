package io.tierlimit.limit;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Concurrency}. {@code BucketStoreConcurrencyContract} tests its
 * arithmetic on every store.
 */
class ConcurrencyTests {

	private static final long SECOND = 1_000_000;

	private final Concurrency limit = Concurrency.of(3, Duration.ofSeconds(10));

	private final BucketState state = new BucketState(Long.MIN_VALUE);

	@ParameterizedTest
	@ValueSource(longs = { -1, 0, 1001 })
	void rejectsPermitsOutOfRange(long permits) {
		assertThatIllegalArgumentException().isThrownBy(() -> Concurrency.of(permits, Duration.ofHours(1)))
			.withMessage("limit must be 1 to 1000 permits in use (was " + permits + ")");
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0.999S", "PT169H" })
	void rejectsDurationsOutOfRange(Duration duration) {
		assertThatIllegalArgumentException().isThrownBy(() -> Concurrency.of(1, duration))
			.withMessage("max-duration must be from 1s to 7d (was " + duration + ")");
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT-1S", "PT87601H" })
	void rejectsHintsOutOfRange(Duration hint) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.limit.retryHint(hint))
			.withMessageStartingWith("retry-after-hint must be from 0s to 3650d (was PT");
	}

	@ParameterizedTest
	@CsvSource({ "3, 0.5, 1", "10, 0.25, 2", "10, 0.04, 1", "1, 0.1, 1", "1000, 1, 1000" })
	void shareIsRoundedDownButNotToNothing(long permits, BigDecimal share, long part) {
		Concurrency whole = Concurrency.of(permits, Duration.ofHours(1)).retryHint(Duration.ofSeconds(2));
		assertThat(whole.scale(share, 1))
			.isEqualTo(Concurrency.of(part, Duration.ofHours(1)).retryHint(Duration.ofSeconds(2)));
	}

	@Test
	void shareAllowsARequiredCost() {
		assertThat(this.limit.scale(new BigDecimal("0.1"), 2).capacity()).isEqualTo(2);
		assertThat(this.limit.scale(new BigDecimal("0.1"), 5).capacity()).isEqualTo(3);
	}

	@Test
	void timesAreBounds() {
		this.limit.acquire(this.state, 1, 0);
		Decision second = this.limit.acquire(this.state, 1, 4 * SECOND);
		assertThat(second).isEqualTo(new Decision(true, 1, 0, 10 * SECOND, 10 * SECOND));
		assertThat(this.limit.peek(this.state, 2, 5 * SECOND))
			.isEqualTo(new Decision(false, 1, Decision.UNKNOWN, 10 * SECOND, 10 * SECOND));
		assertThat(this.limit.peek(this.state, 0, 14 * SECOND)).isEqualTo(new Decision(true, 3, 0, 0, 0));
	}

	@Test
	void stateWithoutHoldersHasTheirSum() {
		this.limit.acquire(this.state, 2, 0);
		byte[] packed = PackedState.pack(this.state);
		byte[] sum = Arrays.copyOf(packed, packed.length - 26);
		sum[8] = 2;
		BucketState summary = PackedState.unpack(sum);
		assertThat(this.limit.remaining(summary, 0)).isEqualTo(1);
		assertThat(this.limit.acquire(summary, 2, 0).allowed()).isFalse();
		assertThat(this.limit.acquire(summary, 1, 0)).isEqualTo(this.limit.acquire(this.state, 1, 0));
		assertThat(this.limit.remaining(summary, 0)).isZero();
	}

	@Test
	void unknownWaitRemainsUnknownLater() {
		this.limit.acquire(this.state, 3, 0);
		Decision rejection = this.limit.acquire(this.state, 1, 0);
		assertThat(rejection.after(SECOND).isWaitUnknown()).isTrue();
		assertThat(rejection.after(SECOND).neverAllowed()).isFalse();
		assertThat(this.limit.acquire(this.state, 4, 0).after(SECOND).neverAllowed()).isTrue();
	}

	@Test
	void bucketIsFullOnceNoPermitIsInUse() {
		this.limit.acquire(this.state, 1, 0);
		assertThat(this.limit.isFull(this.state, 10 * SECOND - 1)).isFalse();
		assertThat(this.limit.isFull(this.state, 10 * SECOND)).isTrue();
	}

	@Test
	void receiptsOfTheSameTickAreDistinct() {
		this.limit.acquire(this.state, 1, 0);
		Receipt first = this.state.receipt();
		this.limit.acquire(this.state, 2, 0);
		Receipt second = this.state.receipt();
		this.limit.refund(this.state, 1, first, 0);
		this.limit.refund(this.state, 1, first, 0);
		assertThat(this.limit.remaining(this.state, 0)).isEqualTo(1);
		this.limit.refund(this.state, 2, second, 0);
		this.limit.acquire(this.state, 3, 0);
		this.limit.refund(this.state, 2, second, 0);
		assertThat(this.limit.remaining(this.state, 0)).isZero();
	}

	@Test
	void laterEndsAreMoved() {
		this.limit.acquire(this.state, 1, 0);
		this.limit.acquire(this.state, 1, 5 * SECOND);
		Concurrency.endBy(this.state, 12 * SECOND);
		assertThat(Concurrency.holders(this.state, 6 * SECOND)).extracting(Holder::ends)
			.containsExactly(10 * SECOND, 12 * SECOND);
	}

	@Test
	void stateOfAnotherAlgorithmHasNoHolders() {
		BucketState other = new BucketState(0);
		new TokenBucket(Rate.parse("1/s"), 5).acquire(other, 5, 0);
		assertThat(Concurrency.holders(other, 0)).isEmpty();
		assertThat(Concurrency.release(other, 5, 0)).isFalse();
		assertThat(this.limit.remaining(other, 0)).isEqualTo(3);
	}

}
