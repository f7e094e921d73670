package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Deadline}.
 */
class DeadlineTests {

	private final CompletableFuture<String> answer = new CompletableFuture<>();

	@Test
	void waitTimesOutAndCancelsTheCall() {
		long start = System.nanoTime();
		assertThatExceptionOfType(StoreFailure.class)
			.isThrownBy(() -> Deadline.in(Duration.ofMillis(100), System::nanoTime).get(this.answer))
			.withMessage("no reply in time");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(100));
		assertThat(this.answer).isCancelled();
	}

	@Test
	void presentReplyCountsAfterTheDeadline() throws StoreFailure {
		this.answer.complete("answer");
		assertThat(Deadline.in(Duration.ofSeconds(-1), System::nanoTime).get(this.answer)).isEqualTo("answer");
	}

	@Test
	void interruptedThreadStaysInterrupted() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(StoreFailure.NotAwaited.class)
			.isThrownBy(() -> Deadline.in(Duration.ofHours(1), System::nanoTime).get(this.answer));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.answer).isCancelled();
	}

}
