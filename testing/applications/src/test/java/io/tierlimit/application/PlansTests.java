package io.tierlimit.application;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.application.AuditedApplication.BlockableDatabase;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.database.PostgreSql;
import io.tierlimit.database.TestDatabase;
import io.tierlimit.junit.Poll;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletListenerRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sources of plans, in applications that serve requests.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class PlansTests {

	private static final String PLAN_OF_SESSION = "tierlimit.plan.key=sessionAttribute('plan')";

	private static final String[] RULE = { "tierlimit.rules.r.rate=1/d", "tierlimit.rules.r.scope=user",
			"tierlimit.rules.r.paths=/any", "tierlimit.rules.r.plans.free.rate=10/d",
			"tierlimit.rules.r.plans.pro.rate=20/d", "tierlimit.rules.r.plans.team.rate=30/d" };

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	@Test
	void filterSetsThePlanOfARequest() {
		RunningApplication application = start(PlansApplication.class, "tierlimit.plan.key=requestAttribute('plan')",
				"tierlimit.plan.default=free");
		assertThat(quota(application.get("/any", "X-Api-Key", "key-of-paula"))).isEqualTo(20);
		assertThat(quota(application.get("/any"))).isEqualTo(10);
		assertThat(quota(application.get("/any", "plan", "pro"))).as("a header is not an attribute").isEqualTo(10);
		assertThat(quota(application.get("/any?plan=pro"))).as("a parameter is not an attribute").isEqualTo(10);
	}

	@Test
	void sessionHasThePlanOfItsUser() {
		RunningApplication application = applications.start(PlansApplication.class, RULE, PLAN_OF_SESSION);
		AtomicInteger created = application.bean(PlansApplication.Sessions.class).created;
		created.set(0);
		assertThat(quota(application.get("/any"))).isEqualTo(1);
		assertThat(created).as("no session is created").hasValue(0);
		String session = subscribe(application, "pro");
		assertThat(quota(application.get("/any", "Cookie", session))).isEqualTo(20);
		post(application, "/subscribe?plan=team", session);
		assertThat(quota(application.get("/any", "Cookie", session))).isEqualTo(30);
		post(application, "/unsubscribe", session);
		assertThat(quota(application.get("/any", "Cookie", session))).isEqualTo(1);
		assertThat(created).hasValue(1);
	}

	@Test
	void attributesAreFactsOfRules() {
		RunningApplication application = applications.start(PlansApplication.class, "tierlimit.keys.hash=none",
				"tierlimit.rules.key.rate=9/d", "tierlimit.rules.key.on-missing-key=skip",
				"tierlimit.rules.key.key=requestAttribute('plan')", "tierlimit.rules.session.rate=9/d",
				"tierlimit.rules.session.on-missing-key=skip", "tierlimit.rules.session.key=sessionAttribute('plan')",
				"tierlimit.rules.condition.rate=9/d",
				"tierlimit.rules.condition.condition=sessionAttribute('plan') == 'pro'",
				"tierlimit.rules.cost.rate=9/d", "tierlimit.rules.cost.cost=requestAttribute('plan') == 'pro' ? 0 : 1");
		application.get("/any");
		assertThat(application.bean(PlansApplication.Sessions.class).created).as("no session is created").hasValue(0);
		assertThat(application.get("/any", "plan", "pro").rateLimit()).as("a header is not an attribute")
			.containsOnlyKeys("cost");
		Response response = application.get("/any", "X-Api-Key", "key-of-paula");
		assertThat(response.rateLimit()).containsOnlyKeys("key", "cost");
		assertThat(application.consumed("key", "pro")).isEqualTo(1);
		assertThat(application.consumed("cost", "")).as("the attribute makes a request free").isEqualTo(2);
		String session = subscribe(application, "pro");
		assertThat(application.get("/any", "Cookie", session).rateLimit()).containsOnlyKeys("session", "condition",
				"cost");
		assertThat(application.consumed("session", "pro")).isEqualTo(1);
	}

	/** Only the first request of a user is charged to the bucket of the other plan. */
	@Test
	void requestsBeforeTheFirstReadingCountOnTheBucketOfTheDefaultPlan() {
		String url = TestDatabase.H2.create();
		RunningApplication application = startWithTable(url, "tierlimit.plan.default=free");
		JdbcTemplate rows = new JdbcTemplate(new DriverManagerDataSource(url));
		AuditedApplication.awaitTable(rows, "tierlimit_user_plan");
		rows.update("INSERT INTO tierlimit_user_plan (user_name, plan_name) VALUES ('alice', 'pro')");
		BlockableDatabase database = application.bean(BlockableDatabase.class);
		database.block();
		for (int i = 1; i <= 10; i++) {
			assertThat(application.getAs("alice", "/any").rateLimit().get("r")).containsEntry("r", 10L - i);
		}
		assertThat(application.getAs("alice", "/any").status()).isEqualTo(429);
		assertThat(database.threads()).as("no request calls the database").containsExactly("tierlimit-plans");
		database.release();
		awaitQuota(application, "alice", 20);
		long remaining = application.getAs("alice", "/any").rateLimit().get("r").get("r");
		assertThat(application.getAs("alice", "/any").rateLimit().get("r")).containsEntry("r", remaining - 1);
	}

	@Test
	void stoppedPostgreSqlChangesNothingAndLaterChangesFollow(CapturedOutput output) {
		String url = TestDatabase.POSTGRESQL.create();
		JdbcTemplate rows = new JdbcTemplate(new DriverManagerDataSource(url));
		RunningApplication application = startWithTable(url, "tierlimit.plan.default=free",
				"management.endpoints.web.exposure.include=health", "management.endpoint.health.show-details=always");
		AuditedApplication.awaitTable(rows, "tierlimit_user_plan");
		rows.update("INSERT INTO tierlimit_user_plan (user_name, plan_name) VALUES ('alice', 'pro')");
		awaitQuota(application, "alice", 20);
		assertThat(application.get("/actuator/health").body()).doesNotContain("tierlimit_user_plan");
		PostgreSql.server().stop();
		try {
			application.clock().advance(Duration.ofHours(1));
			Poll.until(() -> {
				assertThat(quotaOf(application, "alice")).isEqualTo(20);
				assertThat(application.getAs("bob", "/any").status()).isIn(200, 429);
				return application.get("/actuator/health")
					.body()
					.contains("The table tierlimit_user_plan cannot be read");
			}, () -> "not noticed");
			assertThat(application.get("/actuator/health").status()).isEqualTo(200);
			assertThat(output).containsOnlyOnce("The table tierlimit_user_plan cannot be read");
		}
		finally {
			PostgreSql.server().start();
		}
		rows.update("UPDATE tierlimit_user_plan SET plan_name = 'team'");
		awaitQuota(application, "alice", 30);
		assertThat(application.get("/actuator/health").body()).doesNotContain("tierlimit_user_plan");
	}

	@Test
	void applicationStartsWithoutItsDatabaseAndThePlansFollow() {
		String url = TestDatabase.POSTGRESQL.create();
		RunningApplication application;
		PostgreSql.server().stop();
		try {
			application = startWithTable(url, "tierlimit.plan.default=free");
			assertThat(quotaOf(application, "alice")).isEqualTo(10);
		}
		finally {
			PostgreSql.server().start();
		}
		JdbcTemplate rows = new JdbcTemplate(new DriverManagerDataSource(url));
		Poll.until(() -> {
			application.clock().advance(Duration.ofMinutes(1));
			return AuditedApplication.exists(rows, "tierlimit_user_plan");
		}, () -> "not created");
		rows.update("INSERT INTO tierlimit_user_plan (user_name, plan_name) VALUES ('alice', 'pro')");
		awaitQuota(application, "alice", 20);
	}

	private static RunningApplication startWithTable(String url, String... properties) {
		String[] table = { "test.database=" + url, "tierlimit.plan.jdbc.enabled=true",
				"tierlimit.jdbc.initialize-schema=always" };
		return start(WithDatabase.class, RunningApplication.with(table, properties));
	}

	private static RunningApplication start(Class<?> type, String... properties) {
		return applications.startOwn(type, RULE, properties);
	}

	/** The quota of the bucket that was charged, which shows the plan. */
	private static long quota(Response response) {
		Map<String, Long> policy = response.policies().get("r");
		assertThat(policy).as(response.status() + " " + response.body()).isNotNull();
		return policy.get("q");
	}

	private static long quotaOf(RunningApplication application, String user) {
		return quota(application.getAs(user, "/any"));
	}

	/**
	 * Waits for a quota. Before each attempt, the plan expires and the bucket refills.
	 */
	private static void awaitQuota(RunningApplication application, String user, long quota) {
		Poll.until(() -> {
			application.clock().advance(Duration.ofDays(2));
			return quotaOf(application, user) == quota;
		}, () -> "not active");
	}

	/** Returns the cookie of a new session. */
	private static String subscribe(RunningApplication application, String plan) {
		String cookie = post(application, "/subscribe?plan=" + plan, "").header("Set-Cookie").split(";", -1)[0];
		assertThat(cookie).startsWith("JSESSIONID=");
		return cookie;
	}

	private static Response post(RunningApplication application, String path, String session) {
		return application.send("POST", path, "Cookie", session);
	}

	/**
	 * An application with a database.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import({ PlansApplication.class, AuditedApplication.class })
	static final class WithDatabase {

	}

	/**
	 * An application whose code sets the plan of a request, or of a session.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import({ TestApplication.class, PlansApplication.Checkout.class, PlansApplication.Sessions.class })
	static class PlansApplication {

		@Bean
		FilterRegistrationBean<Filter> planOfKey() {
			return Registrations.filter(-200, (request, response, chain) -> {
				if ("key-of-paula".equals(request.getHeader("X-Api-Key"))) {
					request.setAttribute("plan", "pro");
				}
				chain.doFilter(request, response);
			});
		}

		@Bean
		ServletListenerRegistrationBean<Sessions> sessionListener(Sessions sessions) {
			return new ServletListenerRegistrationBean<>(sessions);
		}

		/**
		 * Counts the sessions that are created.
		 */
		static final class Sessions implements HttpSessionListener {

			final AtomicInteger created = new AtomicInteger();

			@Override
			public void sessionCreated(HttpSessionEvent event) {
				this.created.incrementAndGet();
			}

		}

		@RestController
		static final class Checkout {

			@PostMapping("/subscribe")
			void subscribe(@RequestParam String plan, HttpServletRequest request) {
				request.getSession().setAttribute("plan", plan);
			}

			@PostMapping("/unsubscribe")
			void unsubscribe(HttpServletRequest request) {
				request.getSession().invalidate();
			}

		}

	}

}
