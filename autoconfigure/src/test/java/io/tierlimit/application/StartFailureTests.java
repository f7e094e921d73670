package io.tierlimit.application;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.tierlimit.RuleDefinition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class StartFailureTests {

	@Test
	void fileAndLineAreReported(@TempDir Path directory, CapturedOutput output) throws IOException {
		Files.writeString(directory.resolve("application.yml"), """
				tierlimit:
				  rules:
				    search:
				      rate: 10/s
				      scope: [ip, apikey]
				      paths:
				        - /api/search
				      burts: 20
				""");
		fail("spring.config.additional-location=file:" + directory + "/");
		assertThat(output).contains("Correct tierlimit.rules.search.scope[1] (application.yml, line 5), or define")
			.contains("Correct or remove tierlimit.rules.search.burts (application.yml, line 8).")
			.doesNotContain("\tat io.tierlimit");
	}

	/**
	 * Spring logs every failure of a context as a warning of one line. The server is not
	 * created, and logs nothing.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "tierlimit.rules.r.rate=10", "tierlimit.rules.r.scope=apikey",
			"tierlimit.rules.r.paths=^/api", "tierlimit.store=redi", "tierlimit.enabled=yes", "tierlimit.web.order=0" })
	void nothingIsLoggedBeforeTheAnalysisThatHidesIt(String property, CapturedOutput output) {
		fail("tierlimit.rules.r.rate=1/s", property);
		String before = output.getAll().substring(0, output.getAll().indexOf("APPLICATION FAILED TO START"));
		assertThat(before.lines()
			.filter((line) -> line.contains("WARN") || line.contains("ERROR"))
			.filter((line) -> !line.contains("LoggingFailureAnalysisReporter"))).singleElement()
			.asString()
			.endsWith("cancelling refresh attempt: io.tierlimit.autoconfigure.settings.EarlyFailure: "
					+ "The configuration of Tierlimit is not valid");
	}

	@Test
	void serverDoesNotReportMistakesOfRuleBeans(CapturedOutput output) {
		fail(RulesInCode.class, "tierlimit.rules.r.rate=10", "spring.main.allow-bean-definition-overriding=true");
		assertThat(output).contains("(was '10')")
			.contains(
					"rate must have 1 to 1000000000000 permits per period (was 0). Correct rate in the RuleDefinition bean 'inCode'")
			.doesNotContain("ERROR org.springframework.boot.tomcat", "Error starting Tomcat");
		String before = output.getAll().substring(0, output.getAll().indexOf("APPLICATION FAILED TO START"));
		assertThat(before.lines().filter((line) -> line.contains(" WARN "))).singleElement()
			.asString()
			.endsWith("ApplicationContextException: Unable to start web server");
	}

	@Import(TestApplication.class)
	static class RulesInCode {

		@Bean
		RuleDefinition inCode() {
			return RuleDefinition.of("in-code").rate(0, Duration.ofSeconds(1));
		}

	}

	private static void fail(String... properties) {
		fail(TestApplication.class, properties);
	}

	private static void fail(Class<?> application, String... properties) {
		assertThatThrownBy(() -> RunningApplication.start(application, properties).close())
			.isInstanceOf(RuntimeException.class);
	}

}
