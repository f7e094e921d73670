package io.tierlimit.actuate;

import java.time.Duration;

import io.tierlimit.actuate.LimitDescriptor.WindowDescriptor;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.SlidingWindow;
import io.tierlimit.limit.TokenBucket;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LimitDescriptor}.
 */
class LimitDescriptorTests {

	private static final Rate RATE = Rate.parse("10/m");

	@Test
	void burstIsShownForAlgorithmsThatSavePermits() {
		assertThat(LimitDescriptor.of(new TokenBucket(RATE, 5)).burst()).isEqualTo(5);
		assertThat(LimitDescriptor.of(new FixedWindow(RATE, 20, null)).burst()).isEqualTo(20);
		assertThat(LimitDescriptor.of(new SlidingWindow(RATE)).burst()).isNull();
		assertThat(LimitDescriptor.of(new SlidingLog(RATE)).burst()).isNull();
		assertThat(LimitDescriptor.of(new LeakyBucket(RATE)).burst()).isNull();
	}

	@Test
	void concurrencyHasNoRate() {
		Concurrency limit = Concurrency.of(2, Duration.ofHours(1)).retryHint(Duration.ofSeconds(5));
		assertThat(LimitDescriptor.of(limit)).isEqualTo(new LimitDescriptor("concurrency", null, null, 2L,
				Duration.ofHours(1), Duration.ofSeconds(5), null, false));
		assertThat(LimitDescriptor.of(new TokenBucket(RATE, 5)))
			.isEqualTo(new LimitDescriptor("token-bucket", "10/m", 5L, null, null, null, null, false));
	}

	@Test
	void windowIsShownIfItsStartIsSet() {
		assertThat(LimitDescriptor.of(new FixedWindow(RATE, 10, Duration.ofSeconds(20))).window())
			.isEqualTo(new WindowDescriptor(Duration.ofSeconds(20)));
		assertThat(LimitDescriptor.of(new FixedWindow(RATE)).window()).isNull();
		assertThat(LimitDescriptor.of(new TokenBucket(RATE)).window()).isNull();
	}

}
