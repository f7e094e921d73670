package io.tierlimit.application;

import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.tierlimit.Hold;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.junit.Poll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sends every request of the pages that show management endpoints, and compares the
 * responses with the pages. Run with the system property {@code docs.write} to write the
 * responses to the pages.
 */
@Tag("conventions")
class ActuatorDocumentationTests {

	private static final Pattern COMMAND = Pattern.compile("-d '(\\{.*})' \\\\\n +http://localhost:8080(\\S+)\n");

	private static final String[] OPERATOR = { "tierlimit.client-ip.trusted-proxies=127.0.0.0/8",
			"management.endpoints.web.exposure.include=ratelimits,ratelimitoverrides",
			"management.endpoint.ratelimits.access=unrestricted",
			"management.endpoint.ratelimitoverrides.access=unrestricted" };

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	@TempDir
	private Path directory;

	@Test
	void answersAreAsDocumented() {
		DocumentationPage page = DocumentationPage.of("actuator");
		RunningApplication application = applications.startOwn(TestApplication.class,
				page.configuration(this.directory), "management.endpoint.health.show-details=always");
		for (int i = 0; i < 4; i++) {
			application.getAs("alice", "/orders/1");
		}
		// A request is counted when it ends, which may be after its response.
		Poll.until(() -> application.get("/actuator/ratelimits/everybody").body().contains("\"rejected\":1"),
				() -> "not counted");
		page.compare(application, 9);
	}

	@Test
	void responsesOfBansAreAsDocumented() {
		DocumentationPage page = DocumentationPage.of("single-callers").section("Ban callers that ignore their limits");
		RunningApplication application = start(page);
		for (int i = 0; i < 21; i++) {
			Response response = application.get("/orders/1");
			assertThat(response.status()).isEqualTo((i < 2) ? 200 : 429);
			assertThat(response.body()).doesNotContain("abnormal-usage-detected");
		}
		page.compare(application, 4);
		assertThat(application.get("/orders/1").status()).as("the ban was lifted").isEqualTo(200);
	}

	@Test
	void responsesOfOffendersAreAsDocumented() {
		DocumentationPage page = DocumentationPage.of("operations").section("Find the callers that are rejected most");
		RunningApplication application = start(page);
		application.statuses(11, "/orders/1", "X-Forwarded-For", "203.0.113.7");
		application.statuses(3, "/orders/1", "X-Forwarded-For", "203.0.113.8");
		// A request is counted when it ends, which may be after its response.
		Poll.until(() -> application.get("/actuator/ratelimits/orders/offenders").json("$.rejections").equals(10),
				() -> "not counted");
		page.compare(application, 2);
		assertThat(application.get("/orders/1", "X-Forwarded-For", "203.0.113.7").status()).as("the ban was lifted")
			.isEqualTo(200);
	}

	@Test
	void responsesOfOverridesAreAsDocumented() {
		DocumentationPage page = DocumentationPage.of("single-callers");
		RunningApplication application = start(page.section("Write an override"));
		page.section("Edit overrides by HTTP").compare(application, 5);
		assertThat(application.get("/orders/1").status()).as("the override was removed").isEqualTo(200);
	}

	@Test
	void documentedRequestRaisesTheLimitOfACustomer() {
		DocumentationPage page = DocumentationPage.of("single-callers").section("Raise a customer's limit now");
		RunningApplication application = applications.startOwn(TestApplication.class,
				page.configuration(this.directory));
		MatchResult command = COMMAND.matcher(page.text()).results().findFirst().orElseThrow();
		assertThat(application
			.send("POST", command.group(2), BodyPublishers.ofString(command.group(1)), "Content-Type",
					"application/json")
			.status()).isEqualTo(200);
		assertThat(application.get(command.group(2)).json("$.limits.per-user.burst")).isEqualTo(500);
	}

	@Test
	void responseOfShardsIsAsDocumented() {
		DocumentationPage page = DocumentationPage.of("shards");
		page.assertResponse(0,
				applications.startOwn(TestApplication.class, page.configuration(this.directory)).get("/any"));
	}

	@Test
	void responseOfRequestsInFlightIsAsDocumented() {
		DocumentationPage page = DocumentationPage.of("concurrency");
		RunningApplication application = applications.startOwn(SecuredApplication.class,
				page.configuration(this.directory));
		RateLimiter limiter = application.bean(RateLimiter.class);
		PermitRequest export = PermitRequest.of("exports").user("alice");
		try (Hold first = limiter.hold(export); Hold second = limiter.hold(export)) {
			assertThat(first.verdict().allowed() && second.verdict().allowed()).isTrue();
			page.assertResponse(0, application.getAs("alice", "/exports/1"));
		}
		assertThat(application.getAs("alice", "/exports/1").header("RateLimit")).isEqualTo("\"exports\";r=1");
	}

	private RunningApplication start(DocumentationPage page) {
		return applications.startOwn(TestApplication.class, OPERATOR, page.configuration(this.directory));
	}

}
