package io.tierlimit.autoconfigure;

import java.time.Duration;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimited;
import io.tierlimit.RateLimiter;
import io.tierlimit.Reservation;
import io.tierlimit.Verdict;
import io.tierlimit.autoconfigure.settings.EnabledCheck;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.rule.InvalidRulesException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The property {@code tierlimit.enabled}, and the beans that remain if it is false.
 */
@ExtendWith(OutputCaptureExtension.class)
class EnabledTests {

	private static final AutoConfigurations ALL = AutoConfigurations.of(TierlimitSwitchAutoConfiguration.class,
			TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class,
			TierlimitSecurityAutoConfiguration.class, TierlimitServletAutoConfiguration.class,
			TierlimitWebMvcAutoConfiguration.class, TierlimitEventAutoConfiguration.class,
			TierlimitRedisAutoConfiguration.class);

	private final WebApplicationContextRunner web = new WebApplicationContextRunner().withConfiguration(ALL)
		.withPropertyValues("tierlimit.rules.r.rate=1/d", "tierlimit.store=memory");

	@ParameterizedTest
	@ValueSource(strings = { "yes", "on", "1", "", "flase", "enabled", "true.", "0", "no", "off" })
	void valueThatIsNeitherTrueNorFalseFailsStartup(String value) {
		this.web.withPropertyValues("tierlimit.enabled=" + value)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(InvalidRulesException.class)
				.hasMessageContainingAll("tierlimit.enabled must be true or false (was '" + value + "')",
						"Correct tierlimit.enabled (test)."));
	}

	@Test
	void valueThatAPlaceholderLeavesEmptyFailsStartup() {
		new ApplicationContextRunner().withConfiguration(ALL)
			.withPropertyValues("tierlimit.enabled=${no.such:}")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(InvalidRulesException.class)
				.hasMessageContaining("tierlimit.enabled must be true or false (was '')"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "true", "TRUE", "True" })
	void trueInAnyCaseLimits(String value, CapturedOutput output) {
		this.web.withPropertyValues("tierlimit.enabled=" + value)
			.run((context) -> assertThat(context).hasSingleBean(RateLimitEvaluator.class));
		assertThat(output).doesNotContain("disabled");
	}

	@ParameterizedTest
	@ValueSource(strings = { "false", "FALSE", "False" })
	void falseInAnyCaseIsOneLineThatNamesItsSource(String value, CapturedOutput output) {
		this.web.withPropertyValues("tierlimit.enabled=" + value).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output.getAll().lines().filter((line) -> line.contains("ierlimit"))).singleElement()
			.asString()
			.contains("INFO", "Tierlimit is disabled: no limit is enforced", "tierlimit.enabled (test)");
	}

	@Test
	void onlyTheLimiterRemains() {
		this.web.withPropertyValues("tierlimit.enabled=false")
			.run((context) -> assertThat(context.getBeanDefinitionNames())
				.filteredOn((name) -> name.startsWith("rateLimit") || name.contains("tierlimit"))
				.containsExactlyInAnyOrder("rateLimiter", "rateLimitEnabledCheck",
						TierlimitSwitchAutoConfiguration.class.getName(),
						TierlimitSwitchAutoConfiguration.Disabled.class.getName()));
	}

	@Test
	void limiterOfTheApplicationStays() {
		this.web.withBean("own", RateLimiter.class, () -> TestEvaluators.of().limiter())
			.withPropertyValues("tierlimit.enabled=false")
			.run((context) -> assertThat(context).getBeanNames(RateLimiter.class).containsExactly("own"));
	}

	@Test
	void disabledLimiterAllowsEverythingAndLimitsNothing() {
		this.web.withPropertyValues("tierlimit.enabled=false").run((context) -> {
			RateLimiter limiter = context.getBean(RateLimiter.class);
			PermitRequest request = PermitRequest.of("r").part("some", "key").cost(1000).plan("pro");
			for (int i = 0; i < 3; i++) {
				assertThat(limiter.acquire(request).allowed()).isTrue();
				assertThat(limiter.tryAcquire(request, PermitRequest.of("no-such-rule")).allowed()).isTrue();
				assertThat(limiter.peek(request).allowed()).isTrue();
			}
			Verdict verdict = limiter.acquire(request);
			assertThat(verdict.decisions()).isEmpty();
			limiter.refund(verdict);
			limiter.refund(request);
			Reservation reservation = limiter.reserve(request);
			assertThat(reservation.delay()).isEqualTo(Duration.ZERO);
			reservation.cancel();
			assertThat(limiter.reset(request)).isTrue();
			assertThat(limiter.resetAll("r")).isTrue();
			assertThatIllegalArgumentException().isThrownBy(() -> PermitRequest.of("r").cost(-1));
		});
	}

	@Test
	void annotationDoesNothingWhereDisabled() {
		this.web.withUserConfiguration(Annotated.class, AnnotationMistakeTests.mistakes())
			.withPropertyValues("tierlimit.enabled=false")
			.run((context) -> {
				Annotated.Mail mail = context.getBean(Annotated.Mail.class);
				for (int i = 0; i < 3; i++) {
					mail.send();
				}
				assertThat(mail.sent).isEqualTo(3);
			});
	}

	@Test
	void valueThatWasFalseAheadOfTimePreventsStartup() {
		new ApplicationContextRunner().withUserConfiguration(FrozenDisabled.class)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(InvalidRulesException.class)
				.hasMessageContainingAll("was false when the application was processed ahead of time",
						"Build the application again"));
	}

	@Test
	void valueThatWasTrueAheadOfTimeIsAWarning(CapturedOutput output) {
		new ApplicationContextRunner().withUserConfiguration(FrozenEnabled.class)
			.withPropertyValues("tierlimit.enabled=false")
			.run((context) -> assertThat(output)
				.containsOnlyOnce("Tierlimit is enabled, although tierlimit.enabled is false")
				.doesNotContain("Tierlimit is disabled"));
	}

	static class Annotated {

		@Bean
		Mail mail() {
			return new Mail();
		}

		static class Mail {

			int sent;

			@RateLimited(rate = "1/d")
			public void send() {
				this.sent++;
			}

		}

	}

	/** The beans of an image for which the conditions were evaluated at build time. */
	static class FrozenDisabled {

		@Bean
		static EnabledCheck check(Environment environment) {
			return new EnabledCheck(environment, TierlimitAutoConfiguration.class,
					TierlimitSwitchAutoConfiguration.Disabled.class);
		}

		@Bean
		TierlimitSwitchAutoConfiguration.Disabled disabled() {
			return new TierlimitSwitchAutoConfiguration.Disabled();
		}

	}

	static class FrozenEnabled {

		@Bean
		static EnabledCheck check(Environment environment) {
			return FrozenDisabled.check(environment);
		}

		@Bean
		TierlimitAutoConfiguration enabled() {
			return new TierlimitAutoConfiguration();
		}

	}

}
