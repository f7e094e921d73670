package io.tierlimit.evaluation;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The system's own pause, for the shortest time: that it is over no sooner than that.
 */
class SleeperTests {

	private static final Duration TIME = Duration.ofNanos(2_500_000);

	private final Sleeper sleeper = Sleeper.system();

	@Test
	void threadGoesOnNoSooner() throws InterruptedException {
		long start = System.nanoTime();
		this.sleeper.sleep(TIME);
		assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TIME.toNanos());
	}

	@Test
	void interruptEndsIt() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> this.sleeper.sleep(Duration.ofHours(1)));
	}

}
