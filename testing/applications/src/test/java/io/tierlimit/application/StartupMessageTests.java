package io.tierlimit.application;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.tierlimit.RuleDefinition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class StartupMessageTests {

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
	 * Spring logs each failure to start as a warning of one line. The server has not been
	 * created, so it logs nothing.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "tierlimit.rules.r.rate=10", "tierlimit.enabled=yes" })
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

	/** Lists each unreachable path with the path that the warning proposes. */
	@ParameterizedTest
	@CsvSource(delimiter = ';', nullValues = "-", textBlock = """
			server.servlet.context-path=/shop; /shop/orders/{id} > /orders/{id}, /shop > /; /orders/{id}, /shops/1
			server.servlet.context-path=/ord; /ord/several > /several; -
			server.servlet.context-path=/pla; /pla/several > /several; -
			server.servlet.context-path=/orders; -; /orders/{id}
			server.servlet.context-path=/plain; -; /plain/program
			spring.mvc.servlet.path=/mvc; /orders/{id} > /mvc/orders/{id}, /orders/** > /mvc/orders/**; \
			/mvc/orders/{id}, /**, /*/orders/{id}, /no/such/mapping, /plain/program
			spring.mvc.servlet.path=/ord; /orders/{id} > /ord/orders/{id}; -
			server.port=0; -; /no/such/mapping
			""")
	void warningIsLoggedForAPathThatCanHardlyMatch(String property, @Nullable String unreachable,
			@Nullable String reachable, CapturedOutput output) {
		Map<String, String> proposals = new LinkedHashMap<>();
		split(unreachable).map((path) -> path.split(" > ", 2)).forEach((pair) -> proposals.put(pair[0], pair[1]));
		List<String> others = split(reachable).toList();
		List<String> properties = new ArrayList<>(List.of(property));
		Stream.concat(proposals.keySet().stream(), others.stream()).forEach((path) -> {
			for (String kind : List.of("paths", "exclude-paths")) {
				String rule = "tierlimit.rules." + kind + properties.size();
				properties.add(rule + ".rate=1/s");
				properties.add(rule + "." + kind + "=" + path);
			}
		});
		new WebApplicationContextRunner().withUserConfiguration(TestApplication.class)
			.withPropertyValues("tierlimit.store=memory")
			.withPropertyValues(properties.toArray(String[]::new))
			.run((context) -> assertThat(context).hasNotFailed());
		proposals.forEach((path, proposal) -> {
			assertThat(output).containsOnlyOnce(": path '" + path + "' ")
				.containsOnlyOnce(": excluded path '" + path + "' ");
			assertThat(output.getAll().split(Pattern.quote("Set it to " + proposal + "."), -1)).hasSize(1 + 2);
		});
		assertThat(others).allSatisfy((path) -> assertThat(output).doesNotContain("path '" + path + "' "));
	}

	private static Stream<String> split(@Nullable String paths) {
		return (paths != null) ? Arrays.stream(paths.split(", ", -1)) : Stream.empty();
	}

}
