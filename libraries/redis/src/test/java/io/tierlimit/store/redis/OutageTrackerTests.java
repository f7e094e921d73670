package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.tierlimit.limit.Decision;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OutageTracker}.
 */
@ExtendWith(OutputCaptureExtension.class)
class OutageTrackerTests {

	private static final Decision DECISION = new Decision(true, 1, 0, 0, 0);

	private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE);

	private final OutageTracker outage = new OutageTracker(this.nanoTime::get);

	@Test
	void nothingIsLoggedWithoutFailure(CapturedOutput output) {
		this.outage.recordSuccess();
		assertThat(this.outage.isOver()).isTrue();
		assertThat(output).doesNotContain("Redis");
	}

	@Test
	void outageIsLoggedOnceWithItsReason(CapturedOutput output) {
		fail("Connection refused");
		fail("it has failed too often");
		assertThat(this.outage.isOver()).isFalse();
		assertThat(output).containsOnlyOnce("WARN").containsOnlyOnce("cannot be reached (Connection refused)");
	}

	@Test
	void failureWithinASecondIsTheSameOutage(CapturedOutput output) {
		fail("once");
		advance(Duration.ofMillis(900));
		this.outage.recordSuccess();
		fail("twice");
		advance(Duration.ofSeconds(1));
		this.outage.recordSuccess();
		assertThat(output).containsOnlyOnce("WARN").doesNotContain("INFO");
	}

	@Test
	void endIsLoggedOnceWithNumbers(CapturedOutput output) {
		fail("no reply in time");
		count(5, new AcquireResult(true, Source.FALLBACK, Collections.nCopies(1, DECISION), List.of()));
		count(3, new AcquireResult(true, Source.FALLBACK, Collections.nCopies(1, null), List.of()));
		count(2, new AcquireResult(false, Source.NONE, Collections.nCopies(1, null), List.of()));
		advance(Duration.ofSeconds(90));
		fail("no reply in time");
		advance(Duration.ofNanos(1_000_000_001));
		this.outage.recordSuccess();
		this.outage.recordSuccess();
		assertThat(this.outage.isOver()).isTrue();
		assertThat(output).containsOnlyOnce("INFO")
			.contains("Redis can be reached again after 90000 ms. In the meantime, 5 requests were decided by this "
					+ "instance alone, 3 were allowed, and 2 were rejected as unavailable.");
	}

	@Test
	void nextOutageIsLoggedWithItsOwnNumbers(CapturedOutput output) {
		fail("first");
		count(7, new AcquireResult(true, Source.FALLBACK, Collections.nCopies(1, DECISION), List.of()));
		advance(Duration.ofSeconds(2));
		this.outage.recordSuccess();
		count(9, new AcquireResult(true, Source.FALLBACK, Collections.nCopies(1, DECISION), List.of()));
		fail("second");
		advance(Duration.ofSeconds(2));
		this.outage.recordSuccess();
		assertThat(output).contains("(first)", "(second)", "In the meantime, 7 requests",
				"In the meantime, 0 requests");
	}

	private void fail(String reason) {
		this.outage.recordFailure(new StoreFailure(reason, null));
	}

	private void count(int times, AcquireResult result) {
		for (int i = 0; i < times; i++) {
			this.outage.count(result);
		}
	}

	private void advance(Duration time) {
		this.nanoTime.addAndGet(time.toNanos());
	}

}
