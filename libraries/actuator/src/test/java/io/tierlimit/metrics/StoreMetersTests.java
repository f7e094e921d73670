package io.tierlimit.metrics;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tierlimit.store.StoreListener.CallOutcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StoreMeters}.
 */
class StoreMetersTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final StoreMeters meters = new StoreMeters(this.registry, "redis");

	@Test
	void metersExistBeforeTheFirstCall() {
		this.meters.onCachedRejection();
		assertThat(count("tierlimit.store.rejections.cached")).isOne();
		assertThat(this.registry.get("tierlimit.store.calls").timers()).hasSize(3)
			.allSatisfy((timer) -> assertThat(timer.count()).isZero());
		assertThat(count("tierlimit.store.failures")).isZero();
	}

	@Test
	void callIsTimedByItsOutcome() {
		this.meters.onCall(CallOutcome.ANSWERED, 2_000_000);
		this.meters.onCall(CallOutcome.SKIPPED, 0);
		assertThat(calls("answered").count()).isOne();
		assertThat(calls("answered").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(2);
		assertThat(calls("skipped").count()).isOne();
		assertThat(calls("failed").count()).isZero();
		assertThat(count("tierlimit.store.failures")).isZero();
		this.meters.onCall(CallOutcome.FAILED, 1);
		assertThat(calls("failed").count()).isOne();
		assertThat(count("tierlimit.store.failures")).isOne();
	}

	@Test
	void lostHolderIsCountedByItsRule() {
		this.meters.onLostHolder("exports");
		this.meters.onLostHolder("exports");
		assertThat(this.registry.get("tierlimit.holders.lost").tag("rule", "exports").counter().count()).isEqualTo(2);
	}

	private Timer calls(String outcome) {
		return this.registry.get("tierlimit.store.calls").tags("store", "redis", "outcome", outcome).timer();
	}

	private double count(String name) {
		return this.registry.get(name).tag("store", "redis").counter().count();
	}

}
