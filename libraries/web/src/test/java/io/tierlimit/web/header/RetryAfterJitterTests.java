package io.tierlimit.web.header;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

import io.tierlimit.limit.Rate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RetryAfterJitterTests {

	private static final long SECOND = 1_000_000;

	private static final long LONGEST = new Rate(1, Rate.MAX_PERIOD).periodTicks();

	@ParameterizedTest
	@ValueSource(ints = { 1, 10, 33, 100 })
	void waitIsNeverShorterAndNeverLongerThanTheShare(int percent) {
		Random random = new Random(percent);
		RetryAfterJitter jitter = new RetryAfterJitter(percent / 100.0, random::nextDouble);
		for (int i = 0; i < 100_000; i++) {
			long wait = 1 + random.nextLong(LONGEST >> random.nextInt(40));
			assertThat(jitter.next().applyAsLong(wait)).isBetween(wait, wait + wait * percent / 100);
		}
		assertThat(jitter.next().applyAsLong(LONGEST)).isBetween(LONGEST, LONGEST / 100 * (100 + percent));
		assertThat(jitter.next().applyAsLong(0)).isZero();
	}

	@Test
	void rejectionUsesOneRandomNumberForAllItsWaits() {
		Iterator<Double> numbers = List.of(0.0, 0.5, 0.25, Math.nextDown(1.0)).iterator();
		RetryAfterJitter jitter = new RetryAfterJitter(0.1, numbers::next);
		assertThat(waits(jitter)).containsExactly(600 * SECOND, 60 * SECOND);
		assertThat(waits(jitter)).containsExactly(630 * SECOND, 63 * SECOND);
		assertThat(waits(jitter)).containsExactly(615 * SECOND, 61_500_000L);
		assertThat(waits(jitter)).containsExactly(660 * SECOND - 1, 66 * SECOND - 1);
		assertThat(numbers).isExhausted();
	}

	@Test
	void simultaneousRejectionsAreSpreadOverTheWholeShare() {
		RetryAfterJitter jitter = new RetryAfterJitter(0.1, new Random(4)::nextDouble);
		int[] comingBack = new int[60];
		for (int i = 0; i < 6000; i++) {
			long longer = jitter.next().applyAsLong(600 * SECOND) - 600 * SECOND;
			comingBack[(int) (longer / SECOND)]++;
		}
		assertThat(Arrays.stream(comingBack)).allSatisfy((clients) -> assertThat(clients).isBetween(60, 140));
	}

	@Test
	void increasesAreRandom() {
		RetryAfterJitter jitter = RetryAfterJitter.of(0.1);
		List<Long> waits = LongStream.range(0, 1000).mapToObj((i) -> jitter.next().applyAsLong(LONGEST)).toList();
		assertThat(waits).allSatisfy((wait) -> assertThat(wait).isBetween(LONGEST, LONGEST / 100 * 110));
		assertThat(waits.stream().distinct().count()).isGreaterThan(900);
	}

	@Test
	void shareOfZeroChangesNoWait() {
		RetryAfterJitter jitter = RetryAfterJitter.of(0);
		for (long wait = 1; wait < LONGEST; wait *= 3) {
			assertThat(jitter.next().applyAsLong(wait)).isEqualTo(wait);
		}
	}

	@ParameterizedTest
	@ValueSource(doubles = { -0.01, 1.01, 10, Double.NaN })
	void shareIsInRange(double share) {
		assertThatIllegalArgumentException().isThrownBy(() -> RetryAfterJitter.of(share))
			.withMessage("The jitter must be from 0 to 1 (was " + share + ")");
	}

	private static long[] waits(RetryAfterJitter jitter) {
		LongUnaryOperator rejection = jitter.next();
		return new long[] { rejection.applyAsLong(600 * SECOND), rejection.applyAsLong(60 * SECOND) };
	}

}
