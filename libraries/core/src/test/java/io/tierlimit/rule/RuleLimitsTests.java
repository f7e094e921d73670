package io.tierlimit.rule;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;

import io.tierlimit.limit.Concurrency;
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
	void fewerPermitsInUseAreLowerButAShorterMaximumDurationIsNot() {
		RuleLimits five = inUse(5, Duration.ofHours(1));
		assertThat(inUse(4, Duration.ofHours(2)).areLowerThan(five)).isTrue();
		assertThat(inUse(5, Duration.ofMinutes(1)).areLowerThan(five)).isFalse();
		assertThat(inUse(6, Duration.ofDays(1)).areLowerThan(five)).isFalse();
	}

	@Test
	void otherKindOfPermitsMayBeLower() {
		assertThat(inUse(1000, Duration.ofDays(7)).areLowerThan(limits("1/h", 1, Map.of()))).isTrue();
		assertThat(limits("1000/s", 1000, Map.of()).areLowerThan(inUse(1, Duration.ofSeconds(1)))).isTrue();
	}

	@Test
	void allLimitsHaveTheSameKindOfPermits() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RuleLimits(Concurrency.of(1, Duration.ofHours(1)), Map.of("pro", plan("1/s"))))
			.withMessageContaining("concurrency must be the algorithm of all limits of a rule");
		assertThatIllegalArgumentException().isThrownBy(() -> new RuleLimits(new TokenBucket(Rate.parse("1/s")),
				Map.of("pro", new PlanLimit(Concurrency.of(1, Duration.ofHours(1))))));
	}

	private static RuleLimits inUse(long permits, Duration most) {
		return new RuleLimits(Concurrency.of(permits, most));
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
