package io.tierlimit.autoconfigure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares reported problems by the parts that matter: rule, property, value and place.
 */
public final class ReportedProblems {

	private ReportedProblems() {
	}

	/**
	 * Asserts that there is one problem for each expectation, and no other.
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
		TroubleshootingPage.assertDocumented("Startup stops", problems);
	}

}
