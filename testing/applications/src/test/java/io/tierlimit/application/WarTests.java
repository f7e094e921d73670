package io.tierlimit.application;

import java.util.List;
import java.util.function.Function;

import io.tierlimit.PermitRequest;
import io.tierlimit.application.RunningApplication.Response;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.web.servlet.support.ErrorPageFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * For error pages, Spring Boot's filter for deployed WARs uses a forward, and an embedded
 * server uses a separate dispatch. Tests that neither of them is treated as another
 * request.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("slow")
class WarTests {

	private static final String[] RULES = { "tierlimit.rules.endpoint.scope=endpoint",
			"tierlimit.rules.endpoint.rate=1/d", "tierlimit.rules.endpoint.burst=3",
			"tierlimit.rules.page.paths=/error", "tierlimit.rules.page.rate=1/d" };

	private RunningApplication embedded;

	private RunningApplication deployed;

	@BeforeAll
	void start() {
		this.embedded = RunningApplication.start(EndingApplication.class, RULES);
		this.deployed = RunningApplication.startAsWar(EndingApplication.class, RULES);
	}

	@AfterAll
	void stop() {
		this.embedded.close();
		this.deployed.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/mine", "/error-page?status=404", "/nothing" })
	void errorPageIsNeitherLimitedNorCharged(String path) {
		List<String> embedded = inApplication(this.embedded, path);
		assertThat(inApplication(this.deployed, path)).isEqualTo(embedded);
		assertThat(embedded).last().isEqualTo("consumed of the error page: 0, 0");
	}

	@Test
	void errorPageOfAnExceptionHasNoHeadersBecauseTheFilterResetsTheResponse() {
		assertThat(inApplication(this.deployed, "/exception")).startsWith("500   application/json")
			.contains("429 \"endpoint\";r=0;t=86400 86400 application/problem+json")
			.last()
			.isEqualTo("consumed of the error page: 0, 0");
	}

	@Test
	void filterForErrorPagesIsThere() {
		assertThat(this.deployed.bean(ErrorPageFilter.class)).isNotNull();
	}

	private static List<String> inApplication(RunningApplication application, String path) {
		application.begin(RULES);
		Function<Integer, String> remaining = (i) -> {
			Response response = application.get(path);
			return response.status() + " " + response.header("RateLimit") + " " + response.header("Retry-After") + " "
					+ response.header("Content-Type");
		};
		return List.of(remaining.apply(0), remaining.apply(1), remaining.apply(2), remaining.apply(3),
				remaining.apply(4),
				"consumed of the error page: "
						+ (3 - application.left(PermitRequest.of("endpoint").endpoint("* /error"))) + ", "
						+ (1 - application.left(PermitRequest.of("page"))));
	}

}
