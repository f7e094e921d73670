package io.tierlimit.autoconfigure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.tierlimit.rule.InvalidRulesException;

import org.springframework.boot.test.context.assertj.ApplicationContextAssertProvider;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares reported problems by the parts that matter: rule, property, value and place.
 */
public final class ReportedProblems {

	private ReportedProblems() {
	}

	/**
	 * Starts an application, which must fail.
	 * @param <C> the type of its context
	 * @param <A> the type that asserts it
	 * @param runner starts the application
	 * @return the problems because of which the application does not start
	 */
	public static <C extends ConfigurableApplicationContext, A extends ApplicationContextAssertProvider<C>> List<String> of(
			AbstractApplicationContextRunner<?, C, A> runner) {
		List<String> problems = new ArrayList<>();
		runner.run((context) -> assertThat(context.getStartupFailure()).rootCause()
			.isInstanceOfSatisfying(InvalidRulesException.class, (ex) -> problems.addAll(ex.problems())));
		TroubleshootingPage.assertDocumented(TroubleshootingPage.PROBLEMS, problems);
		return problems;
	}

	/**
	 * Asserts that there is exactly one problem for each expectation.
	 * @param problems the problems
	 * @param expected the parts of each problem, separated by {@code |}
	 */
	public static void assertReported(List<String> problems, String... expected) {
		List<String> others = new ArrayList<>(problems);
		for (String parts : expected) {
			List<String> all = Arrays.stream(parts.split("\\|")).map(String::strip).toList();
			assertThat(others).as(parts).anyMatch((problem) -> all.stream().allMatch(problem::contains));
			others.remove(others.stream()
				.filter((problem) -> all.stream().allMatch(problem::contains))
				.findFirst()
				.orElseThrow());
		}
		assertThat(others).as("not expected").isEmpty();
		TroubleshootingPage.assertDocumented(TroubleshootingPage.PROBLEMS, problems);
	}

}
