package io.tierlimit.autoconfigure.rules;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.evaluation.OverrideEditor;
import io.tierlimit.evaluation.OverrideEditor.Edit;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.spi.RuleSource;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

/**
 * The common setup of the tests of overrides: rules, a store of overrides, and a clock.
 */
abstract class OverrideTestSetup {

	final TestOverrideStore table = new TestOverrideStore();

	Instant now = Instant.parse("2029-01-01T00:00:00Z");

	private final InstantSource time = () -> this.now;

	final Clock clock = this.time.withZone(ZoneOffset.UTC);

	final ApplicationContextRunner runner = RuleReading.RUNNER.withPropertyValues("tierlimit.rules.per-user.rate=10/s",
			"tierlimit.rules.per-user.burst=50", "tierlimit.rules.per-user.scope=user",
			"tierlimit.rules.per-ip.rate=20/m", "tierlimit.rules.per-ip.scope=ip",
			"tierlimit.rules.per-ip.algorithm=fixed-window", "tierlimit.rules.per-ip.window.start=10s",
			"tierlimit.rules.all.rate=100/s", "tierlimit.rules.both.rate=50/s", "tierlimit.rules.both.scope=user,ip",
			"tierlimit.rules.off.rate=1/s", "tierlimit.rules.off.enabled=false");

	final ApplicationContextRunner withTable = this.runner.withBean("table", RuleSource.class, () -> this.table);

	/**
	 * An application with overrides of the configuration, which are separated by blanks.
	 */
	ApplicationContextRunner with(String overrides) {
		return this.runner.withPropertyValues(properties(overrides));
	}

	static String[] properties(String overrides) {
		return Stream.of(overrides.strip().split(" +"))
			.map((property) -> "tierlimit.overrides." + property)
			.toArray(String[]::new);
	}

	static void assertFails(ApplicationContextRunner runner, String... problem) {
		runner.run((context) -> assertThat(context.getStartupFailure()).rootCause().hasMessageContainingAll(problem));
	}

	static void assertWarned(ApplicationContextRunner runner, String... warning) {
		runner.run((context) -> assertThat(context.getBean(ConfiguredRules.class).warnings()).singleElement(STRING)
			.contains(warning));
	}

	static void assertNotWarned(ApplicationContextRunner runner) {
		runner.run((context) -> assertThat(context.getBean(ConfiguredRules.class).warnings()).isEmpty());
	}

	static boolean allows(AssertableApplicationContext context, String user) {
		return context.getBean(RateLimiter.class).peek(PermitRequest.of("per-user").user(user)).allowed();
	}

	static long remaining(AssertableApplicationContext context, String user) {
		return context.getBean(RateLimiter.class)
			.peek(PermitRequest.of("per-user").user(user))
			.decisions()
			.get(0)
			.decision()
			.remaining();
	}

	static OverrideEditor editor(AssertableApplicationContext context) {
		return context.getBean(OverrideEditor.class);
	}

	static void assertInvalid(Edit edit, String... problem) {
		assertThat(edit.outcome()).isEqualTo(Edit.Outcome.INVALID);
		assertThat(edit.problems()).singleElement(STRING).contains(problem);
	}

	static CallerOverride override(AssertableApplicationContext context, String id) {
		return Objects.requireNonNull(context.getBean(ActiveRules.class).current().override(id));
	}

	static List<CallerOverride> overrides(AssertableApplicationContext context) {
		return context.getBean(ActiveRules.class).current().overrides();
	}

}
