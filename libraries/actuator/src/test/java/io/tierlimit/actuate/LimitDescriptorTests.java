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
		Concurrency limit = Concurrency.of(2, Duration.ofHours(1));
		assertThat(LimitDescriptor.of(limit))
			.isEqualTo(new LimitDescriptor("concurrency", null, null, 2L, Duration.ofHours(1), null, null, false));
		assertThat(LimitDescriptor.of(limit.retryHint(Duration.ofSeconds(5))).retryAfterHint())
			.isEqualTo(Duration.ofSeconds(5));
		LimitDescriptor bucket = LimitDescriptor.of(new TokenBucket(RATE, 5));
		assertThat(bucket.rate()).isEqualTo("10/m");
		assertThat(bucket.limit()).isNull();
		assertThat(bucket.maxDuration()).isNull();
	}

	@Test
	void windowIsShownIfItsStartIsSet() {
		assertThat(LimitDescriptor.of(new FixedWindow(RATE, 10, Duration.ofSeconds(20))).window())
			.isEqualTo(new WindowDescriptor(Duration.ofSeconds(20)));
		assertThat(LimitDescriptor.of(new FixedWindow(RATE)).window()).isNull();
		assertThat(LimitDescriptor.of(new TokenBucket(RATE)).window()).isNull();
	}

}
