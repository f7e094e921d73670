package io.tierlimit.application;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.application.AnnotatedApplication.Mails;
import io.tierlimit.application.AnnotatedApplication.Transfers;
import io.tierlimit.application.RunningApplication.Response;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.aop.support.AopUtils;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.test.util.AopTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Tag("slow")
class RateLimitedTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	@BeforeEach
	void start() {
		this.application = applications.start(AnnotatedApplication.class, "tierlimit.keys.hash=none",
				"tierlimit.rules.named.applies-to=methods", "tierlimit.rules.named.rate=2/d",
				"tierlimit.rules.meta.applies-to=methods", "tierlimit.rules.meta.rate=1/d",
				"tierlimit.rules.request-rule.rate=1/d", "tierlimit.rules.request-rule.burst=100",
				"tierlimit.rules.request-rule.exclude-paths=/mail/**,/mail-servlet,/named,/inline,/meta,/whole/**",
				"spring.aop.proxy-target-class=false");
	}

	@Test
	void ruleOfTheConfigurationAppliesAsInTheFilter() {
		assertThat(get("/named").rateLimit()).isEqualTo(Map.of("named", Map.of("r", 1L, "t", 43200L)));
		assertThat(get("/named").status()).isEqualTo(200);
		RunningApplication.Response rejected = get("/named");
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(rejected.rateLimit()).isEqualTo(Map.of("named", Map.of("r", 0L, "t", 43200L)));
		assertThat(rejected.header("Retry-After")).isEqualTo("43200");
		assertThat(rejected.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(rejected.body()).contains("\"violated-policies\":[\"named\"]");
	}

	@Test
	void ruleOfAnAnnotationIsNamedByItsMethod() {
		assertThat(get("/inline").policies()).containsOnlyKeys("Methods.inline");
		get("/inline");
		assertThat(get("/inline").status()).isEqualTo(429);
	}

	@Test
	void composedAnnotationIsSupported() {
		assertThat(get("/meta").status()).isEqualTo(200);
		assertThat(get("/meta").status()).isEqualTo(429);
	}

	@Test
	void severalAnnotationsAreDecidedTogether() {
		assertThat(getAs("alice", "/repeated").policies()).containsKeys("five", "two");
		getAs("alice", "/repeated");
		assertThat(getAs("alice", "/repeated").body()).contains("\"violated-policies\":[\"two\"]");
		assertThat(getAs("bob", "/repeated").rateLimit().get("five")).containsEntry("r", 2L);
		assertThat(this.application.consumed("two", "GET /repeated|bob")).isEqualTo(1);
	}

	@Test
	void classHasOneBucketForAllItsMethods() {
		assertThat(get("/whole/a").rateLimit().get("Whole")).containsEntry("r", 2L);
		assertThat(get("/whole/b").rateLimit().get("Whole")).containsEntry("r", 1L);
		assertThat(get("/whole/b").status()).as("its own limit, reported by the exception handler").isEqualTo(503);
		assertThat(get("/whole/a").status()).as("the rejection cost nothing").isEqualTo(200);
		assertThat(get("/whole/a").body()).startsWith("Over the limit of 'Whole'");
	}

	@Test
	void keyAndCostReadArguments() {
		get("/tenants/acme?items=a,b,c");
		assertThat(this.application.consumed("by-argument", "acme")).isEqualTo(3);
		assertThat(get("/tenants/acme?items=1,2,3,4,5,6,7,8").status()).isEqualTo(429);
		assertThat(get("/tenants/other?items=1,2,3,4,5,6,7,8").status()).isEqualTo(200);
	}

	@Test
	void requestRuleThatAnAnnotationNamesIsChargedOnce() {
		get("/twice");
		assertThat(this.application.consumed("request-rule", "")).isEqualTo(1);
		get("/transfer/x");
		assertThat(this.application.consumed("request-rule", "")).isEqualTo(2);
	}

	@Test
	void keyOrCostOfAnAnnotationReplacesTheChargeOfTheFilter() {
		get("/own-cost");
		assertThat(this.application.consumed("request-rule", "")).isEqualTo(3);
		assertThat(get("/own-key/acme").policies()).containsOnlyKeys("request-rule");
		assertThat(this.application.consumed("request-rule", "")).isEqualTo(3);
		assertThat(this.application.consumed("request-rule", "acme")).isEqualTo(1);
	}

	@Test
	void rejectionBeforeTheHandlerRefundsTheChargesOfTheFilter() {
		AnnotatedApplication.Methods handlers = AopTestUtils
			.getUltimateTargetObject(this.application.bean(AnnotatedApplication.Methods.class));
		int calls = handlers.calls.get();
		get("/tenants/acme?items=1,2,3,4,5,6,7,8");
		assertThat(get("/tenants/acme?items=1,2,3").status()).isEqualTo(429);
		assertThat(this.application.consumed("request-rule", "")).isEqualTo(1);
		assertThat(handlers.calls).hasValue(calls + 1);
	}

	@Test
	void rejectionWithinTheHandlerRefundsNothing() {
		get("/transfer/x");
		get("/transfer/x");
		assertThat(get("/transfer/x").status()).isEqualTo(429);
		assertThat(this.application.consumed("request-rule", "")).isEqualTo(3);
	}

	@Test
	void applicationCanHandleACaughtRejection() {
		get("/transfer/x");
		get("/transfer/x");
		RunningApplication.Response caught = get("/transfer/caught/x");
		assertThat(caught.body()).isEqualTo("caught");
		assertThat(caught.header("Retry-After")).isEmpty();
		assertThat(caught.status()).isEqualTo(200);
		assertThat(get("/transfer/caught/x").body()).as("still rejected").isEqualTo("caught");
	}

	@Test
	void lazyApplicationOnVirtualThreadsIsLimited() {
		try (RunningApplication lazy = RunningApplication.start(AnnotatedApplication.class,
				"spring.main.lazy-initialization=true", "spring.threads.virtual.enabled=true",
				"spring.aop.proxy-target-class=false", "tierlimit.rules.named.rate=9/d",
				"tierlimit.rules.meta.rate=9/d", "tierlimit.rules.request-rule.rate=100/d")) {
			assertThat(lazy.get("/inline").status()).isEqualTo(200);
			assertThat(lazy.get("/inline").policies()).containsKey("Methods.inline");
			assertThat(lazy.get("/inline").status()).isEqualTo(429);
		}
	}

	@Test
	void exceptionHandlerOfTheApplicationComesFirst() {
		assertThat(get("/whole/c/x").status()).isEqualTo(200);
		RunningApplication.Response handled = get("/whole/c/x");
		assertThat(handled.status()).isEqualTo(503);
		assertThat(handled.body()).startsWith("Over the limit of 'advised'");
		assertThat(handled.header("Retry-After")).isEmpty();
		assertThat(get("/whole/a").rateLimit().get("Whole")).as("refunded").containsEntry("r", 1L);
	}

	@Test
	void serviceBehindAnInterfaceRejectsWithinARequest() {
		assertThat(AopUtils.isJdkDynamicProxy(this.application.bean(Mails.class))).isTrue();
		assertThat(getAs("alice", "/mail").status()).isEqualTo(200);
		assertThat(getAs("alice", "/mail").status()).isEqualTo(429);
		assertThat(getAs("bob", "/mail").status()).isEqualTo(200);
	}

	@Test
	void asynchronousHandlerRejects() {
		assertThat(getAs("alice", "/mail/async").status()).isEqualTo(200);
		assertThat(getAs("alice", "/mail/async").status()).isEqualTo(429);
	}

	@Test
	void servletMayHaveBegunItsResponse() {
		Response sent = getAs("bob", "/mail-servlet?writer");
		assertThat(sent.status()).isEqualTo(200);
		assertThat(sent.body()).isEqualTo("sent");
		for (String begun : List.of("writer", "stream")) {
			Response rejected = getAs("bob", "/mail-servlet?" + begun);
			assertThat(rejected.status()).isEqualTo(429);
			assertThat(rejected.header("Content-Type")).isEqualTo("application/problem+json");
			assertThat(rejected.header("ETag")).isEmpty();
			assertThat(rejected.response().headers().allValues("X-Mail")).containsExactly("first", "second");
			assertThat(rejected.json("$.status")).isEqualTo(429);
		}
	}

	@Test
	void plainServletRejects() {
		assertThat(getAs("alice", "/mail-servlet").status()).isEqualTo(200);
		assertThat(getAs("alice", "/mail-servlet").status()).isEqualTo(429);
	}

	@Test
	void exceptionOutsideARequestHasAllDetails() {
		Transfers transfers = this.application.bean(Transfers.class);
		assertThat(AopUtils.isCglibProxy(transfers)).isTrue();
		transfers.transfer("x", 1);
		transfers.transfer("x", 1);
		assertThat(this.application.consumed("request-rule", "")).as("once per call").isEqualTo(2);
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> transfers.transfer("x", 1))
			.satisfies((ex) -> assertThat(ex.verdict().violated()).singleElement()
				.satisfies((decision) -> assertThat(decision.rule()).isEqualTo("transfers")));
		assertThat(transfers.transfer("y", 1)).isEqualTo("sent");
	}

	@Test
	void userOutsideARequestIsThatOfSpringSecurity() {
		AtomicReference<String> sent = new AtomicReference<>();
		SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("carol", "", "A"));
		try {
			sent.set(this.application.bean(Mails.class).send());
		}
		finally {
			SecurityContextHolder.clearContext();
		}
		assertThat(sent).hasValue("sent");
		assertThat(this.application.consumed("mails", "carol")).isGreaterThan(0);
	}

	private RunningApplication.Response get(String path) {
		return this.application.get(path);
	}

	private RunningApplication.Response getAs(String user, String path) {
		return this.application.getAs(user, path);
	}

}
