package io.tierlimit.metrics;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tierlimit.store.BucketCounts;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link BucketMeters}.
 */
class BucketMetersTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final ChangingCounts counts = new ChangingCounts();

	@Test
	void metersFollowTheCountsOfTheStore() {
		new BucketMeters(this.counts).bindTo(this.registry);
		assertThat(this.registry.get("tierlimit.buckets").gauge().value()).isZero();
		this.counts.size = 3;
		assertThat(this.registry.get("tierlimit.buckets").gauge().value()).isEqualTo(3);
		assertThat(this.registry.get("tierlimit.buckets.evicted").functionCounter().count()).isEqualTo(30);
		assertThat(this.registry.get("tierlimit.buckets.overflowed").functionCounter().count()).isEqualTo(300);
	}

	/**
	 * Counts ten times as many evictions as buckets, and a hundred times as many
	 * overflows.
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
