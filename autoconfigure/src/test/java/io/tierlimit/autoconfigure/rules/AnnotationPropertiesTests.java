package io.tierlimit.autoconfigure.rules;

import java.time.Duration;
import java.util.Objects;

import io.tierlimit.RateLimited;
import io.tierlimit.RuleDefinition;
import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingWindow;
import io.tierlimit.option.ban.Banning;
import io.tierlimit.rule.Rule;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Properties that annotations and code set by name.
 */
class AnnotationPropertiesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class))
		.withPropertyValues("algorithm=sliding-window", "tierlimit.rules.known.rate=1/s",
				"tierlimit.rules.known.applies-to=code");

	@Test
	void annotationSetsAnyProperty() {
		this.runner.withBean(Searches.class).run((context) -> {
			Rule rule = Objects.requireNonNull(context.getBean(ActiveRules.class).current().rule("searches")).rule();
			assertThat(rule.limits().standard()).isEqualTo(new SlidingWindow(Rate.parse("10/s")));
			assertThat(rule.scope().names()).containsExactly("endpoint", "user");
			assertThat(rule.options().find(Banning.class)).isEqualTo(
					new Banning(BanPolicy.of(5, Duration.ofMinutes(1), Duration.ofMinutes(2), Duration.ofMinutes(2))));
			assertThat(rule.appliesToRequests()).isFalse();
		});
	}

	@Test
	void unknownPropertyIsReported() {
		assertProblem(Unknown.class, "Rule 'Unknown.call': 'algoritm' is not a known property. Known properties are",
				"Correct or remove algoritm in @RateLimited on");
	}

	@Test
	void valueThatIsNotValidIsReported() {
		assertProblem(Invalid.class,
				"Rule 'Invalid.call': ban.after must be a whole number (was 'many'). Correct ban.after in @RateLimited on");
	}

	@Test
	void lineWithoutAValueIsReported() {
		assertProblem(WithoutValue.class, "@RateLimited on",
				"properties must have a name and a value, such as algorithm=sliding-window (was 'max-wait')");
	}

	@Test
	void propertyThatIsSetTwiceIsReported() {
		assertProblem(Twice.class, "@RateLimited on", "rate is set twice");
		assertProblem(ScopeTwice.class, "@RateLimited on", "scope is set twice");
		assertProblem(ForRequests.class, "@RateLimited on", "appliesTo is set twice");
	}

	@Test
	void annotationThatNamesARuleSetsNoProperties() {
		assertProblem(Naming.class, "an annotation that names a rule ('known') can set key, cost and maxWait only");
	}

	@Test
	void unknownPropertyOfCodeIsReported() {
		this.runner
			.withBean("code", RuleDefinition.class,
					() -> RuleDefinition.of("it").rate(1, Duration.ofSeconds(1)).property("bann.after", "5"))
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("Rule 'it': 'bann' is not a known property. Known properties are ")
				.hasMessageContaining("Correct or remove bann.after in the RuleDefinition bean 'code'."));
	}

	private void assertProblem(Class<?> service, String... parts) {
		this.runner.withBean(service)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.satisfies((failure) -> assertThat(failure.getMessage()).contains(parts)));
	}

	static class Searches {

		@RateLimited(name = "searches", rate = "10/s", properties = { "algorithm=${algorithm}", "scope=user,endpoint",
				"ban.after = 5", "ban.within=1m", "ban.for=2m" })
		public void call() {
		}

	}

	static class Unknown {

		@RateLimited(rate = "10/s", properties = "algoritm=sliding-window")
		public void call() {
		}

	}

	static class Invalid {

		@RateLimited(rate = "10/s", scope = "user", properties = { "ban.after=many", "ban.within=1m", "ban.for=2m" })
		public void call() {
		}

	}

	static class WithoutValue {

		@RateLimited(rate = "10/s", properties = "max-wait")
		public void call() {
		}

	}

	static class Twice {

		@RateLimited(rate = "10/s", properties = "rate=100/s")
		public void call() {
		}

	}

	static class ScopeTwice {

		@RateLimited(rate = "10/s", scope = "user", properties = "scope=ip")
		public void call() {
		}

	}

	static class ForRequests {

		@RateLimited(rate = "10/s", properties = "appliesTo=requests")
		public void call() {
		}

	}

	static class Naming {

		@RateLimited(value = "known", properties = "burst=100")
		public void call() {
		}

	}

}
