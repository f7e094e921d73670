package io.tierlimit.application;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.Reservation;
import io.tierlimit.application.WaitingApplication.ManualSleeper;
import io.tierlimit.redis.Poll;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the meters of delayed requests and reservations.
 */
@Tag("slow")
class WaitMeterTests {

	private @Nullable RunningApplication application;

	@AfterEach
	void stop() {
		if (this.application != null) {
			this.application.bean(ManualSleeper.class).end();
			this.application.close();
		}
	}

	@Test
	void delayedRequestIsCountedOnceAndTimed() {
		start("tierlimit.rules.all.rate=100/d");
		assertThat(running().get("/delayed").status()).isEqualTo(200);
		CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(() -> running().get("/delayed").status());
		ManualSleeper sleeper = running().bean(ManualSleeper.class);
		Poll.until(() -> sleeper.waiting.size() == 1, () -> "No request waits");
		sleeper.end();
		assertThat(waiting.join()).isEqualTo(200);
		assertCounts(Map.of("queue allowed", 1.0, "queue delayed", 1.0, "all allowed", 2.0));
		assertThat(timer("queue").count()).isEqualTo(1);
		assertThat(timer("queue").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(100);
		assertThat(timer("all").count()).isZero();
	}

	@Test
	void requestWithoutASlotIsRejectedAndNotTimed() {
		start("tierlimit.web.max-waiting=0");
		assertThat(running().get("/delayed").status()).isEqualTo(200);
		assertThat(running().get("/delayed").status()).isEqualTo(429);
		assertCounts(Map.of("queue allowed", 1.0, "queue rejected", 1.0));
		assertThat(timer("queue").count()).isZero();
	}

	@Test
	void reservationOfAProgramIsCountedAsDelayedIfItIs() {
		start("tierlimit.rules.imports.applies-to=methods", "tierlimit.rules.imports.rate=1/h",
				"tierlimit.rules.imports.burst=5", "tierlimit.rules.imports.max-reserved=5");
		RateLimiter limiter = running().bean(RateLimiter.class);
		limiter.reserve(PermitRequest.of("imports").costing(5));
		Reservation reservation = limiter.reserve(PermitRequest.of("imports").costing(2));
		assertCounts(Map.of("imports allowed", 1.0, "imports delayed", 1.0));
		assertThat(timer("imports").count()).isEqualTo(1);
		assertThat(timer("imports").totalTime(TimeUnit.MICROSECONDS))
			.isEqualTo(reservation.timeToAct().toNanos() / 1000.0);
	}

	private void start(String... properties) {
		this.application = RunningApplication.start(WaitingApplication.class, Stream.concat(
				Stream.of("tierlimit.rules.queue.paths=/delayed/**", "tierlimit.rules.queue.algorithm=leaky-bucket",
						"tierlimit.rules.queue.rate=10/s", "tierlimit.rules.queue.max-wait=500ms"),
				Arrays.stream(properties))
			.toArray(String[]::new));
	}

	private RunningApplication running() {
		return Objects.requireNonNull(this.application);
	}

	private Timer timer(String rule) {
		return running().bean(MeterRegistry.class).get("tierlimit.wait").tag("rule", rule).timer();
	}

	/** A request is counted when it ends, which its client doesn't wait for. */
	private void assertCounts(Map<String, Double> expected) {
		Poll.until(() -> counts().equals(expected),
				() -> "expected " + new TreeMap<>(expected) + " but was " + counts());
	}

	private Map<String, Double> counts() {
		Map<String, Double> counts = new TreeMap<>();
		running().bean(MeterRegistry.class).get("tierlimit.requests").counters().forEach((counter) -> {
			if (counter.count() > 0) {
				counts.put(counter.getId().getTag("rule") + " " + counter.getId().getTag("outcome"), counter.count());
			}
		});
		return counts;
	}

}
