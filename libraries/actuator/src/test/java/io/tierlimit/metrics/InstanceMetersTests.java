package io.tierlimit.metrics;

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

	private final ChangingCounts counts = new ChangingCounts();

	@Test
	void metersFollowTheCountsOfTheStore() {
		InstanceMeters.ofBuckets(this.counts).bindTo(this.registry);
		assertThat(this.registry.get("tierlimit.buckets").gauge().value()).isZero();
		this.counts.size = 3;
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

	/**
	 * A fixture that reports ten times as many evictions as buckets, and a hundred times
	 * as many overflows.
	 */
	private static final class ChangingCounts implements BucketCounts {

		private int size;

		@Override
		public int size() {
			return this.size;
		}

		@Override
		public long evictions() {
			return 10L * this.size;
		}

		@Override
		public long overflows() {
			return 100L * this.size;
		}

	}

}
