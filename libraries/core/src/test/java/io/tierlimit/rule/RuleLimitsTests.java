package io.tierlimit.rule;

import java.util.Map;
import java.util.Objects;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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

	@Test
	void unlistedPlanIsReplacedByTheDefaultPlan() {
		RuleLimits limits = Objects
			.requireNonNull(RuleLimits.ofPlans(Map.of("free", plan("1/s"), "pro", plan("100/s")), "free"));
		assertThat(limits.standard()).isEqualTo(new TokenBucket(Rate.parse("1/s")));
		assertThat(limits.listed("pro")).isEqualTo("pro");
		assertThat(limits.listed("por")).isEqualTo("free");
		assertThat(limits.listed(null)).isEqualTo("free");
		assertThat(this.limits.listed("por")).isNull();
	}

	@Test
	void defaultPlanMustHaveALimit() {
		assertThat(RuleLimits.ofPlans(Map.of("pro", plan("1/s")), "free")).isNull();
		assertThat(RuleLimits.ofPlans(Map.of("free", PlanLimit.UNLIMITED), "free")).isNull();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RuleLimits(new TokenBucket(Rate.parse("2/s")), Map.of("free", plan("1/s")), "free"))
			.withMessageContaining("default plan 'free'");
	}

	private static PlanLimit plan(String rate) {
		return new PlanLimit(new TokenBucket(Rate.parse(rate)));
	}

	private static RuleLimits limits(String rate, long burst, Map<String, PlanLimit> plans) {
		return new RuleLimits(new TokenBucket(Rate.parse(rate), burst), plans);
	}

}
