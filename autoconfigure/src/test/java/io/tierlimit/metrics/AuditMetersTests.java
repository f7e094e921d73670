package io.tierlimit.metrics;

import java.util.concurrent.atomic.AtomicLong;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AuditMetersTests {

	@Test
	void meterFollowsTheCount() {
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		AtomicLong dropped = new AtomicLong();
		new AuditMeters(dropped::get).bindTo(registry);
		assertThat(registry.get("tierlimit.audit.dropped").functionCounter().count()).isZero();
		dropped.set(7);
		assertThat(registry.get("tierlimit.audit.dropped").functionCounter().count()).isEqualTo(7);
	}

}
