package io.tierlimit.rule;

import java.util.Map;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RuleLimits}.
 */
class RuleLimitsTests {

	private final RuleLimits limits = limits("10/s", 20, Map.of("pro", plan("100/s")));

	@Test
	void lowerRateOrSmallerCapacityIsLower() {
		assertThat(limits("9/s", 20, Map.of("pro", plan("100/s"))).areLowerThan(this.limits)).isTrue();
		assertThat(limits("599/m", 600, Map.of("pro", plan("100/s"))).areLowerThan(this.limits)).isTrue();
		assertThat(limits("10/s", 19, Map.of("pro", plan("100/s"))).areLowerThan(this.limits)).isTrue();
		assertThat(limits("10/s", 20, Map.of("pro", plan("99/s"))).areLowerThan(this.limits)).isTrue();
	}

	@Test
	void equalOrHigherLimitsAreNotLower() {
		assertThat(this.limits.areLowerThan(this.limits)).isFalse();
		assertThat(limits("600/m", 20, Map.of("pro", plan("100/s"))).areLowerThan(this.limits)).isFalse();
		assertThat(limits("11/s", 30, Map.of("pro", plan("200/s"))).areLowerThan(this.limits)).isFalse();
		assertThat(limits("10/s", 20, Map.of("pro", new PlanLimit(null))).areLowerThan(this.limits)).isFalse();
	}

	@Test
	void planThatIsNoLongerListedOrUnlimitedIsLower() {
		assertThat(limits("10/s", 20, Map.of()).areLowerThan(this.limits)).isTrue();
		assertThat(this.limits.areLowerThan(limits("10/s", 20, Map.of("pro", new PlanLimit(null))))).isTrue();
	}

	private static PlanLimit plan(String rate) {
		return new PlanLimit(new TokenBucket(Rate.parse(rate)));
	}

	private static RuleLimits limits(String rate, long burst, Map<String, PlanLimit> plans) {
		return new RuleLimits(new TokenBucket(Rate.parse(rate), burst), plans);
	}

}
