package io.tierlimit.metrics;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tierlimit.store.BucketCounts;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link InstanceMeters}.
 */
class InstanceMetersTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	@Test
	void metersFollowTheCountsOfTheStore() {
		AtomicInteger size = new AtomicInteger();
		InstanceMeters.ofBuckets(new BucketCounts() {

			@Override
			public int size() {
				return size.get();
			}

			@Override
			public long evictions() {
				return 10L * size.get();
			}

			@Override
			public long overflows() {
				return 100L * size.get();
			}

		}).bindTo(this.registry);
		assertThat(this.registry.get("tierlimit.buckets").gauge().value()).isZero();
		size.set(3);
		assertThat(this.registry.get("tierlimit.buckets").gauge().value()).isEqualTo(3);
		assertThat(this.registry.get("tierlimit.buckets.evicted").functionCounter().count()).isEqualTo(30);
		assertThat(this.registry.get("tierlimit.buckets.overflowed").functionCounter().count()).isEqualTo(300);
	}

	@Test
	void meterOfTheAuditFollowsTheCount() {
		AtomicLong dropped = new AtomicLong();
		InstanceMeters.ofAudit(dropped::get).bindTo(this.registry);
		assertThat(this.registry.get("tierlimit.audit.dropped").functionCounter().count()).isZero();
		dropped.set(7);
		assertThat(this.registry.get("tierlimit.audit.dropped").functionCounter().count()).isEqualTo(7);
	}

}
