package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.tierlimit.autoconfigure.ReportedProblems;
import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.rule.Rule;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reads rules from properties.
 */
final class RuleReading {

	static final ApplicationContextRunner RUNNER = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class));

	private RuleReading() {
	}

	/** An application with another source of properties, which overrides all others. */
	static ApplicationContextRunner withSource(String name, Map<String, Object> properties) {
		return RUNNER.withInitializer((context) -> context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource(name, properties)));
	}

	/** Reads the rule {@code r} from its properties. */
	static Rule read(String... properties) {
		List<Rule> rules = rules(of("r.", properties));
		assertThat(rules).hasSize(1);
		return rules.get(0);
	}

	static List<Rule> rules(String... properties) {
		List<Rule> rules = new ArrayList<>();
		RUNNER.withPropertyValues(properties)
			.run((context) -> rules.addAll(context.getBean(ConfiguredRules.class).rules().rules()));
		return rules;
	}

	/** The problems of rules whose properties begin with the id. */
	static List<String> problems(String... rules) {
		return allProblems(of("", rules));
	}

	static List<String> allProblems(String... properties) {
		return ReportedProblems.of(RUNNER.withPropertyValues(properties));
	}

	/**
	 * Reads a rule for each line of a table: a property, a bar, and parts of the only
	 * problem of the rule.
	 */
	static void assertProblems(String table, String common) {
		List<String[]> lines = table.strip().lines().map((line) -> line.split("\\s+\\|\\s*")).toList();
		List<String> rules = new ArrayList<>();
		for (int i = 0; i < lines.size(); i++) {
			rules.addAll(List.of("r" + i + "." + common, "r" + i + "." + lines.get(i)[0]));
		}
		List<String> problems = problems(rules.toArray(String[]::new));
		assertThat(problems).hasSameSizeAs(lines);
		for (int i = 0; i < lines.size(); i++) {
			List<String> parts = new ArrayList<>(List.of(lines.get(i)));
			parts.set(0, "tierlimit.rules.r" + i + "." + parts.get(0).replaceFirst("=.*", "") + " (test)");
			String start = "Rule 'r" + i + "'";
			assertThat(problems).as("%s %s", start, parts)
				.anyMatch((problem) -> problem.startsWith(start) && parts.stream().allMatch(problem::contains));
		}
	}

	private static String[] of(String rule, String... properties) {
		return Arrays.stream(properties)
			.map((property) -> "tierlimit.rules" + (property.startsWith("[") ? "" : ".") + rule + property)
			.toArray(String[]::new);
	}

}
