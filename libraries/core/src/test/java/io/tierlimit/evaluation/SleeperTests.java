package io.tierlimit.evaluation;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that the sleeper of the system sleeps at least for the given time.
 */
class SleeperTests {

	private static final Duration TIME = Duration.ofNanos(2_500_000);

	private final Sleeper sleeper = Sleeper.system();

	@Test
	void threadSleepsAtLeastTheGivenTime() throws InterruptedException {
		long start = System.nanoTime();
		this.sleeper.sleep(TIME);
		assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TIME.toNanos());
	}

	@Test
	void interruptEndsTheSleep() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> this.sleeper.sleep(Duration.ofHours(1)));
	}

}
