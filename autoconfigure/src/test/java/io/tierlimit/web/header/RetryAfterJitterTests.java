package io.tierlimit.web.header;

import java.util.Arrays;
import java.util.Random;

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
		RetryAfterJitter jitter = new RetryAfterJitter(percent, random.nextLong());
		for (int i = 0; i < 100_000; i++) {
			long wait = 1 + random.nextLong(LONGEST >> random.nextInt(40));
			assertThat(jitter.next().applyAsLong(wait)).isBetween(wait, wait + wait * percent / 100);
		}
		assertThat(jitter.next().applyAsLong(LONGEST)).isBetween(LONGEST, LONGEST / 100 * (100 + percent));
		assertThat(jitter.next().applyAsLong(0)).isZero();
	}

	@Test
	void refusalsOfOneMomentAreSpreadEvenly() {
		RetryAfterJitter jitter = RetryAfterJitter.parse("10%");
		int[] comingBack = new int[60];
		for (int i = 0; i < 6000; i++) {
			long longer = jitter.next().applyAsLong(600 * SECOND) - 600 * SECOND;
			comingBack[(int) (longer / SECOND)]++;
		}
		assertThat(Arrays.stream(comingBack)).allSatisfy((clients) -> assertThat(clients).isBetween(90, 110));
	}

	@Test
	void fewRefusalsAreSpreadAsWell() {
		RetryAfterJitter jitter = RetryAfterJitter.parse("100%");
		long[] waits = new long[8];
		Arrays.setAll(waits, (i) -> jitter.next().applyAsLong(100 * SECOND));
		Arrays.sort(waits);
		for (int i = 1; i < waits.length; i++) {
			assertThat(waits[i] - waits[i - 1]).isGreaterThan(5 * SECOND);
		}
	}

	@Test
	void sameStartGivesTheSameWaits() {
		RetryAfterJitter one = new RetryAfterJitter(10, 7);
		RetryAfterJitter other = new RetryAfterJitter(10, 7);
		for (int i = 0; i < 100; i++) {
			assertThat(one.next().applyAsLong(LONGEST)).isEqualTo(other.next().applyAsLong(LONGEST));
		}
	}

	@Test
	void instancesStartAtPlacesOfTheirOwn() {
		assertThat(RetryAfterJitter.parse("10%").next().applyAsLong(LONGEST))
			.isNotEqualTo(RetryAfterJitter.parse("10%").next().applyAsLong(LONGEST));
	}

	@ParameterizedTest
	@ValueSource(strings = { "0%", "00%", " 0 % " })
	void noPercentageLeavesWaitsAsTheyAre(String none) {
		RetryAfterJitter jitter = RetryAfterJitter.parse(none);
		for (long wait = 1; wait < LONGEST; wait *= 3) {
			assertThat(jitter.next().applyAsLong(wait)).isEqualTo(wait);
		}
	}

}
