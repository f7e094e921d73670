package io.tierlimit.web.header;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.function.LongUnaryOperator;

import io.tierlimit.limit.Rate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class RetryAfterJitterTests {

	private static final long SECOND = 1_000_000;

	private static final long LONGEST = new Rate(1, Rate.MAX_PERIOD).periodTicks();

	@ParameterizedTest
	@ValueSource(ints = { 1, 10, 33, 100 })
	void waitIsNeverShorterAndNeverLongerThanThePercentage(int percent) {
		Random random = new Random(percent);
		RetryAfterJitter jitter = new RetryAfterJitter(percent, random::nextDouble);
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
		RetryAfterJitter jitter = new RetryAfterJitter(10, numbers::next);
		assertThat(budget(jitter)).containsExactly(600 * SECOND, 60 * SECOND);
		assertThat(budget(jitter)).containsExactly(630 * SECOND, 63 * SECOND);
		assertThat(budget(jitter)).containsExactly(615 * SECOND, 61_500_000L);
		assertThat(budget(jitter)).containsExactly(660 * SECOND - 1, 66 * SECOND - 1);
		assertThat(numbers).isExhausted();
	}

	@Test
	void simultaneousRejectionsAreSpreadOverTheWholePercentage() {
		RetryAfterJitter jitter = new RetryAfterJitter(10, new Random(4)::nextDouble);
		int[] comingBack = new int[60];
		for (int i = 0; i < 6000; i++) {
			long longer = jitter.next().applyAsLong(600 * SECOND) - 600 * SECOND;
			comingBack[(int) (longer / SECOND)]++;
		}
		assertThat(Arrays.stream(comingBack)).allSatisfy((clients) -> assertThat(clients).isBetween(60, 140));
	}

	@ParameterizedTest
	@ValueSource(strings = { "1%", "10%", "100 %" })
	void percentageIsRead(String text) {
		int percent = Integer.parseInt(text.replaceAll("\\D", ""));
		RetryAfterJitter jitter = RetryAfterJitter.parse(text);
		for (int i = 0; i < 1000; i++) {
			assertThat(jitter.next().applyAsLong(LONGEST)).isBetween(LONGEST, LONGEST / 100 * (100 + percent));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "0%", "00%", " 0 % " })
	void zeroPercentChangesNoWait(String none) {
		RetryAfterJitter jitter = RetryAfterJitter.parse(none);
		for (long wait = 1; wait < LONGEST; wait *= 3) {
			assertThat(jitter.next().applyAsLong(wait)).isEqualTo(wait);
		}
	}

	private static long[] budget(RetryAfterJitter jitter) {
		LongUnaryOperator rejection = jitter.next();
		return new long[] { rejection.applyAsLong(600 * SECOND), rejection.applyAsLong(60 * SECOND) };
	}

}
