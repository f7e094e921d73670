package io.tierlimit.application;

import java.nio.file.Path;
import java.util.Collections;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import io.tierlimit.PermitRequest;
import io.tierlimit.application.Completions.LanguageModel;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.junit.Poll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the configurations and the code of the page about actual costs.
 */
@Tag("slow")
class ActualCostsPageTests {

	private static final DocumentationPage PAGE = DocumentationPage.of("actual-costs");

	private static final PermitRequest TOKENS = PermitRequest.of("tokens").user("alice");

	@TempDir
	private Path directory;

	@Test
	void costIsTheValueOfAHeader() {
		try (RunningApplication application = RunningApplication.start(
				new SpringApplicationBuilder(TestApplication.class, CompleteAnswers.class),
				PAGE.configuration(this.directory))) {
			PAGE.assertResponse(0, application.getAs("alice", "/completions"));
			awaitRemaining(application, 9880);
		}
	}

	@Test
	void codeMetersAndSettlesItsTokens() {
		try (RunningApplication application = RunningApplication.start(
				new SpringApplicationBuilder(TestApplication.class, Completions.class, SimulatedModel.class),
				PAGE.configuration(this.directory, 1))) {
			assertThat(application.getAs("alice", "/completions?prompt=120").body()).hasSize(120);
			awaitRemaining(application, 9880);
			assertThat(application.bean(Completions.class).summarize("alice", "700")).hasSize(700);
			awaitRemaining(application, 9180);
			assertThat(percentiles(application).percentileValues()).extracting((value) -> value.percentile())
				.containsExactly(0.9);
			assertThat(percentiles(application).max()).isEqualTo(1.4);
			// Ends only if metering reports that the bucket owes the maximum debt.
			application.getAs("alice", "/completions?prompt=" + Integer.MAX_VALUE);
			Response rejected = application.getAs("alice", "/completions?prompt=120");
			assertThat(rejected.status()).isEqualTo(429);
			assertThat(rejected.header("Retry-After")).as("2,000 permits of debt and 500").isEqualTo("900");
		}
	}

	/** A response may end before its cost is settled. */
	private static void awaitRemaining(RunningApplication application, long remaining) {
		Poll.until(() -> application.left(TOKENS) == remaining, () -> "Remaining are " + application.left(TOKENS));
	}

	private static HistogramSnapshot percentiles(RunningApplication application) {
		return application.bean(MeterRegistry.class).get("tierlimit.settled").summary().takeSnapshot();
	}

	@RestController
	static class CompleteAnswers {

		@GetMapping("/completions")
		ResponseEntity<String> complete() {
			return ResponseEntity.ok().header("X-Tokens", "120").body("an answer of 120 tokens");
		}

	}

	/**
	 * Answers with as many tokens as the number in the prompt.
	 */
	static class SimulatedModel implements LanguageModel {

		@Override
		public Iterable<String> answer(String prompt) {
			return Collections.nCopies(Integer.parseInt(prompt.replaceAll("\\D", "")), "x");
		}

	}

}
