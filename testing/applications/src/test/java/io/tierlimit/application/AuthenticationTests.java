package io.tierlimit.application;

import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.application.SecuredApplication.CountingPasswordEncoder;
import jakarta.servlet.Filter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests rules before and after Spring Security.
 */
@Tag("slow")
class AuthenticationTests {

	private static final String[] BOTH_SIDES = { "address.scope=ip", "address.rate=1/d", "address.burst=100",
			"user.scope=user", "user.rate=1/d", "user.burst=3" };

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	@Test
	void floodOfLoginsIsRejectedBeforeAnyPasswordIsChecked() {
		start("address.scope=ip", "address.rate=5/d", "user.scope=user", "user.rate=1/d", "user.burst=3");
		for (int i = 0; i < 100; i++) {
			Response response = basic("alice", "guess" + i, "/basic");
			assertThat(response.status()).isEqualTo((i < 5) ? 401 : 429);
		}
		assertThat(this.application.bean(CountingPasswordEncoder.class).checks).hasValue(5);
		assertThat(this.application.consumed("user", "alice")).isZero();
	}

	@Test
	void floodOfFormLoginsIsRejectedBeforeAnyPasswordIsChecked() {
		start("login.scope=ip", "login.rate=5/d", "login.paths=/login", "login.methods=POST");
		for (int i = 0; i < 20; i++) {
			Response response = login("alice", "guess" + i);
			assertThat(response.status()).isEqualTo((i < 5) ? 302 : 429);
		}
		assertThat(this.application.bean(CountingPasswordEncoder.class).checks).hasValue(5);
	}

	@Test
	void rejectionAfterAuthenticationRefundsTheBucketOfTheAddress() {
		start(BOTH_SIDES);
		for (int i = 0; i < 10; i++) {
			Response response = basic("alice", "secret", "/basic");
			assertThat(response.status()).isEqualTo((i < 3) ? 200 : 429);
			if (i >= 3) {
				assertThat(response.body()).contains("\"violated-policies\":[\"user\"]");
				assertThat(response.rateLimit()).containsOnlyKeys("user");
				assertThat(response.policies()).containsOnlyKeys("address", "user");
			}
		}
		assertThat(this.application.consumed("address", "127.0.0.1")).isEqualTo(3);
		assertThat(basic("bob", "secret", "/basic").rateLimit().get("address")).containsEntry("r", 96L);
	}

	@Test
	void requestThatSpringSecurityRejectsIsChargedAndHasHeaders() {
		start(BOTH_SIDES);
		Response response = basic("alice", "wrong", "/basic");
		assertThat(response.status()).isEqualTo(401);
		assertThat(response.rateLimit()).containsOnlyKeys("address");
		assertThat(this.application.consumed("address", "127.0.0.1")).isEqualTo(1);
	}

	@Test
	void userOfASessionHasABucket() {
		start(BOTH_SIDES);
		String session = login("bob", "secret").header("Set-Cookie").split(";", 2)[0];
		Response response = this.application.get("/session/data", "Cookie", session);
		assertThat(response.status()).isEqualTo(200);
		assertThat(response.rateLimit().get("user")).containsEntry("r", 2L);
		assertThat(this.application.consumed("user", "bob")).isPositive();
	}

	@Test
	void ownerOfABearerTokenHasABucket() {
		start(BOTH_SIDES);
		RunningApplication.assertAllowed(3, 4,
				() -> this.application.get("/token/data", "Authorization", "Bearer carol"));
		assertThat(this.application.get("/token/data", "Authorization", "Bearer dave").status()).isEqualTo(200);
		assertThat(this.application.get("/token/data", "Authorization", "Bearer forged").status()).isEqualTo(401);
		assertThat(this.application.consumed("address", "127.0.0.1")).isEqualTo(5);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/async", "/open/async" })
	void asynchronousRequestIsChargedOnceAtEachStage(String path) {
		start(BOTH_SIDES);
		Response response = basic("alice", "secret", path);
		assertThat(response.body()).isEqualTo("later");
		assertThat(response.rateLimit().get("address")).containsEntry("r", 99L);
		assertThat(response.rateLimit().get("user")).containsEntry("r", 2L);
	}

	@Test
	void annotationThatNeedsNoUserIsEvaluatedBeforeAuthentication() {
		start("address.scope=ip", "address.rate=1/d", "address.burst=100");
		for (int i = 0; i < 10; i++) {
			assertThat(basic("alice", "wrong", "/annotated/address").status()).isEqualTo((i < 3) ? 401 : 429);
		}
		assertThat(this.application.bean(CountingPasswordEncoder.class).checks).hasValue(3);
		assertThat(this.application.consumed("address", "127.0.0.1")).isEqualTo(3);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/annotated/user", "/annotated/argument?id=1" })
	void annotationAfterAuthenticationRefundsEarlierCharges(String path) {
		start("address.scope=ip", "address.rate=1/d", "address.burst=100", "plan.scope=plan", "plan.rate=1/d",
				"plan.burst=100");
		RunningApplication.assertAllowed(3, 10, () -> basic("bob", "secret", path));
		assertThat(this.application.consumed("address", "127.0.0.1")).isEqualTo(3);
		assertThat(this.application.consumed("plan", "pro")).isEqualTo(3);
	}

	@Test
	void everyUnusualNameHasItsOwnBucket() {
		start("user.scope=user", "user.rate=1/d", "user.on-missing-key=deny");
		for (int i = 0; i < SecuredApplication.ODD_NAMES.size(); i++) {
			String token = "Bearer odd" + i;
			assertThat(this.application.get("/token/data", "Authorization", token).status()).as(token).isEqualTo(200);
			assertThat(this.application.get("/token/data", "Authorization", token).status()).as(token).isEqualTo(429);
		}
	}

	@Test
	void nameOfTheUserMayBeAClaim() {
		this.application = applications.start(SecuredApplication.class, "tierlimit.user.key=claim('tenant')",
				"tierlimit.rules.user.scope=user", "tierlimit.rules.user.rate=1/d", "tierlimit.rules.user.burst=100",
				"tierlimit.rules.tenant.key=claim('tenant')", "tierlimit.rules.tenant.rate=1/d",
				"tierlimit.rules.tenant.burst=100", "tierlimit.keys.hash=none");
		this.application.get("/token/data", "Authorization", "Bearer carol");
		assertThat(this.application.consumed("user", "tenant-of-carol")).isEqualTo(1);
		assertThat(this.application.consumed("tenant", "tenant-of-carol")).isEqualTo(1);
		basic("alice", "secret", "/basic");
		assertThat(this.application.consumed("user", "alice")).isEqualTo(1);
		assertThat(this.application.consumed("tenant", "(ip)127.0.0.1")).isEqualTo(1);
	}

	@Test
	void attributeThatAFilterSetsAfterAuthenticationIsRead() {
		this.application = applications.start(AttributeApplication.class, "tierlimit.rules.r.rate=9/d",
				"tierlimit.rules.r.key=requestAttribute('tier')", "tierlimit.keys.hash=none");
		basic("alice", "secret", "/basic");
		assertThat(this.application.consumed("r", "tier-of-alice")).isEqualTo(1);
	}

	private void start(String... rules) {
		this.application = applications.startWithRules(SecuredApplication.class, rules);
		this.application.bean(CountingPasswordEncoder.class).checks.set(0);
	}

	private Response basic(String user, String password, String path) {
		return this.application.getAs(user, password, path);
	}

	private Response login(String user, String password) {
		return this.application.postForm("/login", "username=" + user + "&password=" + password);
	}

	/**
	 * An application with a filter right after Spring Security, which sets an attribute.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(SecuredApplication.class)
	static class AttributeApplication {

		@Bean
		FilterRegistrationBean<Filter> tierOfUser() {
			return Registrations.filter(-95, (request, response, chain) -> {
				request.setAttribute("tier", "tier-of-" + request.getRemoteUser());
				chain.doFilter(request, response);
			});
		}

	}

}
