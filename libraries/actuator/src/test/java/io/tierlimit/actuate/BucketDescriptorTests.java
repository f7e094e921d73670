package io.tierlimit.actuate;

import java.time.Duration;
import java.time.Instant;

import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.rule.TestRules;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BucketDescriptorTests {

	@Test
	void bucketOfPermitsInUseHasNoTimes() {
		BucketDescriptor exports = descriptor(Concurrency.of(2, Duration.ofMinutes(1)));
		assertThat(exports.fullIn()).isNull();
		assertThat(exports.nextPermitIn()).isNull();
		assertThat(exports.permits()).isZero();
		assertThat(exports.empty()).isTrue();
	}

	@Test
	void bucketThatRefillsHasTimes() {
		BucketDescriptor search = descriptor(TestRules.bucket(2));
		assertThat(search.fullIn()).isEqualTo(Duration.ofSeconds(2));
		assertThat(search.nextPermitIn()).isEqualTo(Duration.ofSeconds(1));
	}

	private static BucketDescriptor descriptor(Limit limit) {
		return BucketDescriptor.of(new TestDecision("rule", null, false, "", 0, limit,
				new Decision(true, 0, 0, 1_000_000, 2_000_000), false), null, Instant.EPOCH);
	}

}
