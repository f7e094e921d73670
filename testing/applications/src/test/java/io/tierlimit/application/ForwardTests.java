package io.tierlimit.application;

import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;

import io.tierlimit.PermitRequest;
import io.tierlimit.application.ForwardApplication.Work;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.application.SecuredApplication.CountingPasswordEncoder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a forward neither bypasses a rule nor refunds charges for earlier work.
 */
@Tag("slow")
class ForwardTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	/** Forwarded when it fails, by a handler, and before the filters. */
	@ParameterizedTest
	@ValueSource(strings = { "/login", "/enter/login", "/early", "/early-async" })
	void loginThatIsForwardedIsCharged(String path) {
		start("login.scope=ip", "login.rate=5/d", "login.paths=/login", "login.methods=POST");
		RunningApplication.assertAllowed(5, 20,
				() -> this.application.postForm(path, "username=alice&password=guess", "X-To", "/login"));
		assertThat(this.application.bean(CountingPasswordEncoder.class).checks).hasValue(5);
	}

	@Test
	void pageOfAFailedLoginIsNotDeniedWithoutAUser() {
		start("user.scope=user", "user.rate=5/d", "user.on-missing-key=deny");
		assertThat(this.application.postForm("/login", "username=alice&password=guess").body()).isEqualTo("view");
	}

	@Test
	void asynchronousDispatchIsCheckedAgainstTheRulesOfItsTarget() {
		start("work.rate=9/d", "work.paths=/job/**", "view.rate=3/d", "view.paths=/view");
		this.application.assertAllowed(3, 6, "/job/async");
		assertThat(this.application.consumed("work", "")).isEqualTo(6);
	}

	@ParameterizedTest
	@CsvSource({ "/early, /view", "/early, /plain", "/early, /later", "/early-async, /view", "/early-async, /plain",
			"/early-async, /later" })
	void requestThatIsForwardedOrDispatchedBeforeTheFiltersIsChargedForItsTarget(String path, String target) {
		start("all.rate=5/d", "target.rate=3/d", "target.paths=" + target);
		this.application.assertAllowed(3, 12, path, "X-To", target);
		assertThat(this.application.consumed("target", "")).isEqualTo(3);
	}

	@ParameterizedTest
	@CsvSource({ "skip, 200", "ip, 429", "deny, 403" })
	void rulesForUsersApplyToForwardsBetweenTheStages(String onMissingKey, int status) {
		start("user.scope=user", "user.rate=2/d", "user.on-missing-key=" + onMissingKey);
		for (int i = 0; i < 4; i++) {
			boolean free = !onMissingKey.equals("deny") && i < 2;
			assertThat(this.application.get("/between").status()).isEqualTo(free ? 200 : status);
		}
	}

	@Test
	void annotatedCallBeforeTheFiltersDoesNotReplaceTheirCheck() {
		start("all.rate=2/d");
		this.application.assertAllowed(2, 4, "/view", "X-Annotated-First", "true");
	}

	@Test
	void servletThatAServletForwardsToIsChargedAdditionally() {
		start("work.rate=5/d", "work.paths=/job/**", "plain.rate=3/d", "plain.paths=/plain", "all.rate=9/d");
		this.application.bean(Work.class).take();
		this.application.assertAllowed(3, 12, "/job/plain");
		assertThat(this.application.bean(Work.class).take()).isEqualTo(5);
		assertThat(this.application.consumed("all", "")).as("once for each request").isEqualTo(5);
	}

	@Test
	void forwardIsChargedTheDifferenceToAHigherCost() {
		start("all.rate=1/d", "all.burst=100", "all.cost=pattern == '/view' ? 20 : 1");
		this.application.get("/job/x");
		assertThat(this.application.consumed("all", "")).isEqualTo(20);
		this.application.get("/job/plain");
		assertThat(this.application.consumed("all", "")).isEqualTo(21);
	}

	@Test
	void forwardToAnnotatedHandlerIsChargedTheDifferenceToItsCost() {
		start();
		for (int i = 0; i < 8; i++) {
			Response response = this.application.get((i % 2 == 0) ? "/job/x" : "/heavy", "X-To", "/heavy");
			assertThat(response.status()).isEqualTo((i < 5) ? 200 : 429);
		}
	}

	@Test
	void forwardIsChargedToTheBucketOfItsKey() {
		start("login.rate=1/d", "login.burst=100", "login.key=param('username')");
		this.application.get("/job/x?username=bob", "X-To", "/view?username=alice");
		assertThat(this.application.left(PermitRequest.of("login").part("key", "bob"))).isEqualTo(99);
		assertThat(this.application.left(PermitRequest.of("login").part("key", "alice"))).isEqualTo(99);
	}

	@ParameterizedTest
	@ValueSource(strings = { "global", "user" })
	void targetOfAForwardByAHandlerIsChargedByTheRulesThatNameIt(String scope) {
		start("plain.scope=" + scope, "plain.rate=3/d", "plain.paths=/plain", "all.rate=1/d", "all.burst=100",
				"any.paths=/**", "any.scope=endpoint", "any.rate=1/d", "any.burst=100");
		this.application.assertAllowed(3, 6, "/enter/plain");
		assertThat(this.application.consumed("all", "")).isEqualTo(6);
		assertThat(this.application.consumed("any", "* /enter/{target}")).isEqualTo(6);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void rejectionAtTheCallRefundsNothingOnceTheBodyHasBeenRead(boolean chunked) {
		start("all.rate=1/d", "all.burst=5");
		BodyPublisher body = chunked ? BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[100_000]))
				: BodyPublishers.ofByteArray(new byte[100_000]);
		for (int i = 0; i < 5; i++) {
			Response response = this.application.send("POST", "/documents/7", body);
			assertThat(response.status()).isEqualTo((i == 0) ? 200 : 429);
			assertThat(this.application.consumed("all", "")).isEqualTo(i + 1L);
		}
		assertThat(this.application.send("POST", "/documents/8", body).rateLimit().get("all")).containsEntry("r", 0L);
	}

	@Test
	void rejectionAfterAnAsynchronousDispatchRefundsNothingOnceTheBodyHasBeenRead() {
		start("all.rate=1/d", "all.burst=5");
		for (int i = 0; i < 5; i++) {
			Response response = this.application.send("POST", "/documents/7",
					BodyPublishers.ofByteArray(new byte[100_000]), "X-Again", "true");
			assertThat(response.status()).isEqualTo((i == 0) ? 200 : 429);
			assertThat(this.application.consumed("all", "")).isEqualTo(i + 1L);
		}
	}

	@ParameterizedTest
	@CsvSource({ "PUT, 1", "PATCH, 1", "DELETE, 1", "POST, 0" })
	void rejectionRefundsNothingIfSpringHasReadTheForm(String method, long consumed) {
		start("all.rate=1/d", "all.burst=100", "user.scope=user", "user.rate=1/d", "user.on-missing-key=deny");
		Response response = this.application.send(method, "/view", BodyPublishers.ofString("x=1"), "Content-Type",
				"application/x-www-form-urlencoded");
		assertThat(response.status()).isEqualTo(403);
		assertThat(this.application.consumed("all", "")).isEqualTo(consumed);
	}

	@Test
	void handlerThatForwardsStaysChargedAfterAMethodOverride() {
		start("removal.rate=2/d", "removal.methods=DELETE");
		RunningApplication.assertAllowed(2, 8,
				() -> this.application.send("POST", "/removal", "X-HTTP-Method-Override", "DELETE"));
	}

	@Test
	void catchAllBelowTheManagementPathIsChargedAndUnservedPathsAre() {
		start("all.rate=5/d");
		this.application.assertAllowed(5, 8, "/actuator/x");
		assertThat(this.application.get("/actuator/health").status()).isEqualTo(200);
	}

	@Test
	void handlerThatTheBodyOfAFormSelectsIsCharged() {
		start("endpoint.scope=endpoint", "endpoint.rate=1/d", "endpoint.burst=100");
		assertThat(this.application.postForm("/form", "x=1").body()).isEqualTo("with x");
		assertThat(this.application.postForm("/form", "y=1").body()).isEqualTo("without x");
		assertThat(this.application.postForm("/form?x=1", "y=1").body()).isEqualTo("with x");
		assertThat(this.application.consumed("endpoint", "POST /form")).isEqualTo(3);
		assertThat(this.application.postForm("/form", "x=1").header("RateLimit")).contains("r=96");
	}

	@Test
	void lookUpDoesNotWaitForAnUpload() {
		start("endpoint.scope=endpoint", "endpoint.rate=1/d");
		this.application.send("POST", "/upload");
		assertThat(this.application.raw()
			.statusOf("POST /upload HTTP/1.1",
					"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n"))
			.isEqualTo(429);
	}

	@Test
	void formIsNotRejectedForAHandlerThatDoesNotServeIt() {
		start("endpoint.scope=endpoint", "endpoint.rate=1/d");
		assertThat(this.application.get("/nosuch/at/all").status()).isEqualTo(404);
		assertThat(this.application.postForm("/form", "x=1").status()).isEqualTo(200);
	}

	@Test
	void pageAfterALoginIsCheckedAgainstTheRulesForUsers() {
		start("user.scope=user", "user.rate=2/d", "user.paths=/home");
		RunningApplication.assertAllowed(2, 6,
				() -> this.application.postForm("/login", "username=alice&password=secret"));
	}

	@Test
	void requestScopedHandlerIsCreatedWhenItsRequestIsServed() {
		start("endpoint.scope=endpoint", "endpoint.rate=9/d");
		assertThat(this.application.getAs("alice", "/scoped").body()).isEqualTo("alice");
	}

	@Test
	void managementEndpointOnItsOwnPortIsNotCharged() {
		this.application = applications.start(ForwardApplication.class, "management.server.port=0",
				"management.endpoints.web.exposure.include=health,slow", "tierlimit.rules.all.rate=2/d");
		for (int i = 0; i < 4; i++) {
			assertThat(this.application.getManagement("/actuator/health").status()).isEqualTo(200);
			assertThat(this.application.getManagement("/actuator/slow").body()).isEqualTo("slow");
		}
		assertThat(this.application.get("/view").status()).isEqualTo(200);
	}

	@Test
	void exceptionHandlerThatIsCalledEarlyHasTheRequest() {
		start("other.rate=9/d");
		this.application.get("/limited");
		Response rejected = this.application.get("/limited");
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(rejected.body()).endsWith("/limited");
	}

	private void start(String... rules) {
		this.application = applications.startWithRules(ForwardApplication.class, rules);
		this.application.bean(CountingPasswordEncoder.class).checks.set(0);
	}

}
