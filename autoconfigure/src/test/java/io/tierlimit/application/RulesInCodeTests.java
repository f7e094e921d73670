package io.tierlimit.application;

import java.time.Duration;

import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.RuleLimits;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the example of docs/programmatic.md.
 */
class RulesInCodeTests {

	private static final Rate RATE = new Rate(10, Duration.ofSeconds(1));

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class))
		.withUserConfiguration(RulesInCode.class)
		.withPropertyValues("tierlimit.store=memory");

	@Test
	void rulesAreInForceWithTheirLimits() {
		this.runner.run((context) -> assertThat(context.getBean(ConfiguredRules.class).rules().rules())
			.satisfiesExactlyInAnyOrder((rule) -> {
				assertThat(rule.id()).isEqualTo("searches");
				assertThat(rule.limits().standard()).isEqualTo(new TokenBucket(RATE, 600));
				assertThat(rule.limits().plans())
					.containsEntry("pro", new PlanLimit(new TokenBucket(Rate.parse("100/s"), 2000)))
					.containsEntry("partner", PlanLimit.UNLIMITED);
			}, (rule) -> {
				assertThat(rule.id()).isEqualTo("partner-calls");
				assertThat(rule.limits()).isEqualTo(new RuleLimits(new LeakyBucket(RATE)));
			}));
	}

}
