package io.tierlimit.sample.operations;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests {@code dashboards/tierlimit-rules.yml} without a running shop.
 */
@Tag("slow")
class AlertRulesTests {

	static final Path RULES = Path.of("../dashboards/tierlimit-rules.yml");

	private static final Path TESTS = Path.of("../dashboards/tierlimit-rules-test.yml");

	/** The names of all alerts. */
	static List<String> alerts() {
		return Pattern.compile("- alert: (\\w+)")
			.matcher(read(RULES))
			.results()
			.map((alert) -> alert.group(1))
			.toList();
	}

	@Test
	void rulesAreValid() {
		assertThat(Tool.PROMTOOL.run("check", "rules", RULES.toString())).contains("SUCCESS");
	}

	@Test
	void alertsFireWhenTheyShould() {
		assertThat(Tool.PROMTOOL.run("test", "rules", TESTS.toString())).contains("SUCCESS");
	}

	@Test
	void everyAlertHasATestThatFiresAndOneThatDoesNot() {
		String tests = read(TESTS);
		assertThat(alerts()).isNotEmpty().allSatisfy((alert) -> {
			List<String> expected = Pattern.compile("- alertname: " + alert + "\n +eval_time: \\w+\n +(?=(\\S*))")
				.matcher(tests)
				.results()
				.map((MatchResult test) -> test.group(1))
				.toList();
			assertThat(expected).contains("exp_alerts:").contains("-");
		});
	}

	@Test
	void everyAlertDescribesTheRemedy() {
		assertThat(read(RULES).split("- alert: ", -1)).hasSize(alerts().size() + 1)
			.satisfies((parts) -> assertThat(Arrays.stream(parts).skip(1)).allSatisfy(
					(alert) -> assertThat(alert).contains("for: ", "severity: ", "summary: ", "description: ")));
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
