package io.tierlimit.application;

import java.util.List;
import java.util.Map;

import io.tierlimit.application.AnnotatedApplication.Mails;
import io.tierlimit.application.RunningApplication.Response;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.aop.support.AopUtils;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class RateLimitedTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	@BeforeEach
	void start() {
		this.application = applications.start(AnnotatedApplication.class, "tierlimit.keys.hash=none",
				"tierlimit.rules.named.applies-to=code", "tierlimit.rules.named.rate=2/d",
				"tierlimit.rules.meta.applies-to=code", "tierlimit.rules.meta.rate=1/d",
				"tierlimit.rules.request-rule.rate=1/d", "tierlimit.rules.request-rule.burst=100",
				"tierlimit.rules.request-rule.exclude-paths=/mail/**,/mail-servlet,/named,/inline,/meta,/whole/**",
				"spring.aop.proxy-target-class=false", "management.endpoints.web.exposure.include=ratelimits");
	}

	@Test
	void ruleOfTheConfigurationAppliesAsInTheFilter() {
		assertThat(this.application.get("/named").rateLimit()).isEqualTo(Map.of("named", Map.of("r", 1L, "t", 43200L)));
		assertThat(this.application.get("/named").status()).isEqualTo(200);
		Response rejected = this.application.get("/named");
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(rejected.rateLimit()).isEqualTo(Map.of("named", Map.of("r", 0L, "t", 43200L)));
		assertThat(rejected.header("Retry-After")).isEqualTo("43200");
		assertThat(rejected.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(rejected.body()).contains("\"violated-policies\":[\"named\"]");
	}

	@Test
	void annotationsAreTheOriginOfTheirRules() {
		assertThat(this.application.get("/actuator/ratelimits").jsons("$.rules[*].origin"))
			.anyMatch((origin) -> origin.toString().startsWith("@RateLimited"))
			.contains("commandLineArgs");
	}

	@Test
	void composedAnnotationIsSupported() {
		this.application.assertAllowed(1, 2, "/meta");
	}

	@Test
	void keyOrCostOfAnAnnotationReplacesTheChargeOfTheFilter() {
		this.application.get("/own-cost");
		assertThat(this.application.consumed("request-rule", "")).isEqualTo(3);
		assertThat(this.application.get("/own-key/acme").policies()).containsOnlyKeys("request-rule");
		assertThat(this.application.consumed("request-rule", "")).isEqualTo(3);
		assertThat(this.application.consumed("request-rule", "acme")).isEqualTo(1);
	}

	@Test
	void applicationCanHandleACaughtRejection() {
		this.application.get("/transfer/x");
		this.application.get("/transfer/x");
		Response caught = this.application.get("/transfer/caught/x");
		assertThat(caught.body()).isEqualTo("caught");
		assertThat(caught.header("Retry-After")).isEmpty();
		assertThat(caught.status()).isEqualTo(200);
		assertThat(this.application.get("/transfer/caught/x").body()).as("still rejected").isEqualTo("caught");
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
		assertThat(this.application.get("/whole/c/x").status()).isEqualTo(200);
		Response handled = this.application.get("/whole/c/x");
		assertThat(handled.status()).isEqualTo(503);
		assertThat(handled.body()).startsWith("Over the limit of 'advised'");
		assertThat(handled.header("Retry-After")).isEmpty();
		assertThat(this.application.get("/whole/a").rateLimit().get("Whole")).as("refunded").containsEntry("r", 1L);
	}

	@Test
	void serviceBehindAnInterfaceRejectsWithinARequest() {
		assertThat(AopUtils.isJdkDynamicProxy(this.application.bean(Mails.class))).isTrue();
		assertThat(this.application.getAs("alice", "/mail").status()).isEqualTo(200);
		assertThat(this.application.getAs("alice", "/mail").status()).isEqualTo(429);
		assertThat(this.application.getAs("bob", "/mail").status()).isEqualTo(200);
	}

	@Test
	void asynchronousHandlerRejects() {
		assertThat(this.application.getAs("alice", "/mail/async").status()).isEqualTo(200);
		assertThat(this.application.getAs("alice", "/mail/async").status()).isEqualTo(429);
	}

	@Test
	void servletMayHaveBegunItsResponse() {
		Response sent = this.application.getAs("bob", "/mail-servlet?writer");
		assertThat(sent.status()).isEqualTo(200);
		assertThat(sent.body()).isEqualTo("sent");
		for (String begun : List.of("writer", "stream")) {
			Response rejected = this.application.getAs("bob", "/mail-servlet?" + begun);
			assertThat(rejected.status()).isEqualTo(429);
			assertThat(rejected.header("Content-Type")).isEqualTo("application/problem+json");
			assertThat(rejected.header("ETag")).isEmpty();
			assertThat(rejected.response().headers().allValues("X-Mail")).containsExactly("first", "second");
			assertThat(rejected.json("$.status")).isEqualTo(429);
		}
	}

	@Test
	void userOutsideARequestIsTheUserOfSpringSecurity() {
		SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("carol", "", "A"));
		try {
			assertThat(this.application.bean(Mails.class).send()).isEqualTo("sent");
		}
		finally {
			SecurityContextHolder.clearContext();
		}
		assertThat(this.application.consumed("mails", "carol")).isGreaterThan(0);
	}

}
