package io.tierlimit.application;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.Verdict;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.application.TestApplication.Handlers;
import io.tierlimit.spi.PlanResolver;
import io.tierlimit.spi.web.RateLimitRejectionHandler;
import io.tierlimit.web.HandlerLookup;
import io.tierlimit.web.mvc.HandlerMappingLookup;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class FilterTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	@Test
	void rejectedRequestDoesNotReachItsHandlerAndGetsTheReason() {
		start("global.rate=1/d", "global.burst=100", "address.scope=ip", "address.rate=2/h");
		this.application.get("/orders/1");
		this.application.get("/orders/1");
		Response response = this.application.get("/orders/1");
		assertThat(response.status()).isEqualTo(429);
		assertThat(this.application.bean(Handlers.class).calls).hasValue(2);
		assertThat(response.header("Retry-After")).isEqualTo("1800");
		assertThat(response.header("RateLimit-Reset")).isEqualTo("1800");
		assertThat(response.rateLimit()).containsOnlyKeys("address");
		assertThat(response.rateLimit().get("address")).containsEntry("r", 0L).containsEntry("t", 1800L);
		assertThat(response.policies()).containsOnlyKeys("global", "address");
		assertThat(response.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(json(response)).isEqualTo(JsonMapper.shared().readTree("""
				{
				  "type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
				  "title": "Too Many Requests",
				  "status": 429,
				  "detail": "The request is over its rate limit.",
				  "violated-policies": ["address"],
				  "retry-after": 1800
				}"""));
	}

	@Test
	void requestThatOneScopeRejectsConsumesNothingInTheOthers() {
		String[] rules = { "global.rate=1/d", "global.burst=100", "address.scope=ip", "address.rate=1/d",
				"address.burst=100", "user.scope=user", "user.rate=3/h", "user.plans.pro.rate=5/h", "plan.scope=plan",
				"plan.rate=1/d", "plan.burst=100", "endpoint.scope=endpoint", "endpoint.rate=1/d", "endpoint.burst=100",
				"tenant.scope=tenant", "tenant.rate=1/d", "tenant.burst=100", "both.scope=user,endpoint",
				"both.rate=1/d", "both.burst=100", "shadow.rate=1/d", "shadow.burst=100", "shadow.mode=shadow" };
		start(rules);
		for (int i = 0; i < 10; i++) {
			Response response = this.application.getAs("bob", "/orders/1");
			assertThat(response.status()).isEqualTo((i < 5) ? 200 : 429);
			if (i >= 5) {
				assertThat(json(response).path("violated-policies")).hasToString("[\"user\"]");
			}
		}
		assertThat(this.application.consumed("global", "")).isEqualTo(5);
		assertThat(this.application.consumed("address", "127.0.0.1")).isEqualTo(5);
		assertThat(this.application.consumed("plan", "pro")).isEqualTo(5);
		assertThat(this.application.consumed("endpoint", "GET /orders/{id}")).isEqualTo(5);
		assertThat(this.application.consumed("tenant", "(ip)127.0.0.1")).isEqualTo(5);
		assertThat(this.application.consumed("both", "GET /orders/{id}|bob")).isEqualTo(5);
		assertThat(this.application.consumed("shadow", "")).isEqualTo(5);
	}

	@Test
	void everyRejectionHasItsOwnJitter() {
		this.application = applications.start(TestApplication.class, "tierlimit.headers.retry-after-jitter=10%",
				"tierlimit.rules.all.rate=1/h");
		this.application.get("/any");
		Set<Long> waits = Stream.generate(() -> Long.valueOf(this.application.get("/any").header("Retry-After")))
			.limit(10)
			.collect(Collectors.toSet());
		assertThat(waits).allMatch((wait) -> wait >= 3600 && wait <= 3960);
		// The probability of ten equal values out of 360 is 360 to the power of -9.
		assertThat(waits).as("all of the same bucket, at the same time").hasSizeGreaterThan(1);
		this.application.clock().advance(Duration.ofHours(1));
		assertThat(this.application.get("/any").status()).as("the limit itself has no jitter").isEqualTo(200);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/async", "/failing", "/plain/forward", "/nowhere", "/hello.txt", "/functional/1" })
	void everyRequestIsChargedOnceAndHasHeaders(String path) {
		start("r.rate=1/d", "r.burst=100");
		Response response = this.application.get(path);
		assertThat(response.rateLimit().get("r")).containsEntry("r", 99L);
		assertThat(this.application.consumed("r", "")).isEqualTo(1);
	}

	@Test
	void endpointWithoutAMappingIsThePathOfTheRule() {
		start("r.scope=endpoint", "r.rate=1/d", "r.burst=100", "r.paths=/never,/plain/**,/*.txt");
		this.application.get("/plain/x");
		this.application.get("/hello.txt");
		assertThat(this.application.consumed("r", "/plain/**")).isEqualTo(1);
		assertThat(this.application.consumed("r", "/*.txt")).isEqualTo(1);
	}

	@Test
	void endpointAndPlanAreLookedUpOnceForEachRequest() {
		this.application = applications.start(CountedLookUps.class, "tierlimit.rules.a.rate=1/d",
				"tierlimit.rules.a.scope=endpoint", "tierlimit.rules.a.plans.pro.rate=1/d",
				"tierlimit.rules.b.rate=2/d", "tierlimit.rules.b.scope=endpoint",
				"tierlimit.rules.b.plans.pro.rate=1/d");
		this.application.get("/any");
		assertThat(this.application.bean(Counts.class).lookUps).hasValue(1);
		assertThat(this.application.bean(Counts.class).resolved).hasValue(1);
	}

	@Test
	void callerHasNoPlanIfTheResolverFails() {
		this.application = applications.start(FailingPlans.class, "tierlimit.rules.r.rate=1/d",
				"tierlimit.rules.r.plans.pro.rate=5/d");
		assertThat(this.application.get("/any").policies().get("r")).containsEntry("q", 1L);
	}

	@Test
	void anonymousCallerMayBeDenied() {
		start("r.rate=1/d", "r.scope=user", "r.on-missing-key=deny");
		Response response = this.application.get("/any");
		assertThat(response.status()).isEqualTo(403);
		assertThat(response.header("RateLimit")).isEmpty();
		assertThat(response.header("Retry-After")).isEmpty();
		assertThat(json(response)).isEqualTo(JsonMapper.shared().readTree("""
				{
				  "type": "about:blank",
				  "title": "Forbidden",
				  "status": 403,
				  "detail": "The request needs an authenticated caller."
				}"""));
		assertThat(this.application.getAs("alice", "/any").status()).isEqualTo(200);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/program", "/program/async", "/plain/program" })
	void rejectionByCodeHasTheSameResponseWithAllRules(String path) {
		start("all.rate=1/d", "all.burst=100", "program.rate=1/h", "program.applies-to=code");
		assertThat(this.application.get(path).status()).isEqualTo(200);
		Response response = this.application.get(path);
		assertThat(response.status()).isEqualTo(429);
		assertThat(response.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(response.header("Retry-After")).isEqualTo("3600");
		assertThat(response.policies()).containsOnlyKeys("all", "program");
		assertThat(response.rateLimit()).containsOnlyKeys("program");
		assertThat(json(response).path("violated-policies")).hasToString("[\"program\"]");
		assertThat(this.application.consumed("all", "")).isEqualTo(2);
	}

	@Test
	void ownHandlerWritesViolatedLimitsWithTheWait() {
		RunningApplication application = applications.startWithRules(OwnRejections.class, "r.rate=1/d");
		application.get("/any");
		Response rejected = application.get("/any");
		assertAnswer(rejected, 429, "Too many requests – slow down");
		assertThat(rejected.json("$.retryAfter")).isEqualTo(86400);
		assertThat(rejected.header("Retry-After")).isEqualTo("86400");
		assertThat(rejected.rateLimit()).containsOnlyKeys("r");
	}

	@Test
	void ownHandlerWritesOtherRejectionsWithoutAWait() {
		Response never = applications
			.startWithRules(OwnRejections.class, "r.rate=1/d", "r.cost=method == 'GET' ? 2 : 1")
			.get("/any");
		assertAnswer(never, 429, "Too many requests – slow down");
		assertThat(never.body()).doesNotContain("retryAfter");
		assertAnswer(applications.startWithRules(OwnRejections.class, "r.rate=1/d").get("/invalid"), 400, "Rejected");
		assertAnswer(
				applications.startWithRules(OwnRejections.class, "r.rate=1/d", "r.scope=user", "r.on-missing-key=deny")
					.get("/any"),
				403, "Rejected");
	}

	private static void assertAnswer(Response rejected, int status, String message) {
		assertThat(rejected.status()).isEqualTo(status);
		assertThat(rejected.header("Content-Type")).isEqualToIgnoringCase("application/json;charset=UTF-8");
		assertThat(rejected.json("$.status")).isEqualTo(status);
		assertThat(rejected.json("$.message")).isEqualTo(message);
	}

	private void start(String... rules) {
		this.application = applications.startWithRules(TestApplication.class, rules);
		this.application.bean(Handlers.class).calls.set(0);
	}

	private static JsonNode json(Response response) {
		return JsonMapper.shared().readTree(response.body());
	}

	/** Counts calls. */
	static final class Counts {

		final AtomicInteger lookUps = new AtomicInteger();

		final AtomicInteger resolved = new AtomicInteger();

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ TestApplication.class, Counts.class })
	static class CountedLookUps {

		@Bean
		HandlerLookup handlers(Counts counts, ListableBeanFactory beans) {
			HandlerLookup found = new HandlerMappingLookup(beans);
			return (request, arrived) -> {
				counts.lookUps.incrementAndGet();
				return found.find(request, arrived);
			};
		}

		@Bean
		PlanResolver plans(Counts counts) {
			return (caller) -> {
				counts.resolved.incrementAndGet();
				return null;
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(TestApplication.class)
	static class FailingPlans {

		@Bean
		PlanResolver plans() {
			return (caller) -> {
				throw new IllegalStateException("plans of " + caller.plan());
			};
		}

	}

	/** The handler of docs/headers.md. */
	@Configuration(proxyBeanMethods = false)
	@Import({ TestApplication.class, Invalid.class })
	static class OwnRejections {

		// What docs/headers.md shows begins here.
		@Bean
		RateLimitRejectionHandler rejections() {
			return (verdict, request, response) -> {
				int status = response.getStatus(); // 429, 403, 400 or 503, as it is set
				String message = (status == 429) ? "Too many requests – slow down" : "Rejected";
				String wait = response.getHeader("Retry-After");
				response.setContentType("application/json");
				response.setCharacterEncoding("UTF-8");
				response.getWriter()
					.write("{\"status\":" + status + ",\"message\":\"" + message + "\""
							+ ((wait != null) ? ",\"retryAfter\":" + wait : "") + "}");
			};
		}
		// What docs/headers.md shows ends here.

	}

	@RestController
	static class Invalid {

		@GetMapping("/invalid")
		String invalid() {
			throw new RateLimitExceededException(new Verdict(Verdict.Outcome.INVALID, List.of()));
		}

	}

}
