package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The system's own pause, for the shortest time: that it is over no sooner than that.
 */
class PauseTests {

	private static final Duration TIME = Duration.ofNanos(2_500_000);

	private final Pause pause = Pause.system();

	@Test
	void threadGoesOnNoSooner() throws InterruptedException {
		long start = this.pause.nanoTime();
		this.pause.await(TIME);
		assertThat(this.pause.nanoTime() - start).isGreaterThanOrEqualTo(TIME.toNanos());
	}

	@Test
	void nextIsRunNoSoonerAndElsewhere() {
		long start = this.pause.nanoTime();
		CompletableFuture<Long> ran = new CompletableFuture<>();
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		this.pause.thenRun(TIME, () -> {
			thread.complete(Thread.currentThread());
			ran.complete(this.pause.nanoTime());
		});
		assertThat(ran.join() - start).isGreaterThanOrEqualTo(TIME.toNanos());
		assertThat(thread.join()).isNotEqualTo(Thread.currentThread());
	}

	@Test
	void interruptEndsIt() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> this.pause.await(Duration.ofHours(1)));
	}

}
