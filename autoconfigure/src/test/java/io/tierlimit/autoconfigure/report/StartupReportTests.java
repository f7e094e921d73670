package io.tierlimit.autoconfigure.report;

import java.util.Arrays;

import io.tierlimit.RateLimited;
import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitSecurityAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitServletAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitWebMvcAutoConfiguration;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import jakarta.servlet.Filter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.security.authentication.AuthenticationEventPublisher;
import org.springframework.security.authentication.DefaultAuthenticationEventPublisher;
import org.springframework.web.filter.ForwardedHeaderFilter;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class StartupReportTests {

	private static final AutoConfigurations ALL = AutoConfigurations.of(TierlimitAutoConfiguration.class,
			TierlimitMethodAutoConfiguration.class, TierlimitSecurityAutoConfiguration.class,
			TierlimitServletAutoConfiguration.class, TierlimitWebMvcAutoConfiguration.class);

	private final WebApplicationContextRunner servlets = new WebApplicationContextRunner().withConfiguration(ALL);

	/** The applications of other tests may have changed the log level. */
	@BeforeEach
	void logInformation() {
		LoggingSystem.get(getClass().getClassLoader()).setLogLevel("io.tierlimit", LogLevel.INFO);
	}

	@Test
	void oneLineSummarizesTheRules(CapturedOutput output) {
		this.servlets
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.b.rate=2/s",
					"tierlimit.rules.b.mode=shadow", "tierlimit.rules.b.scope=ip")
			.run((context) -> assertThat(output)
				.containsOnlyOnce("Tierlimit checks requests against 2 rules (1 in shadow mode). Buckets are stored in "
						+ "memory. Client addresses are reported by the server.")
				.doesNotContain("WARN"));
	}

	@Test
	void oneLineDescribesEachRule(CapturedOutput output) {
		secured()
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.mode=shadow",
					"tierlimit.rules.b.rate=10/s", "tierlimit.rules.b.burst=20",
					"tierlimit.rules.b.scope=user,endpoint", "tierlimit.rules.b.plans.pro.rate=100/s",
					"tierlimit.rules.b.plans.partner.unlimited=true", "tierlimit.rules.b.max-wait=1s",
					"tierlimit.rules.c.rate=5/m", "tierlimit.rules.c.algorithm=sliding-log",
					"tierlimit.rules.c.scope=ip", "tierlimit.rules.c.key=param('id')")
			.run((context) -> assertThat(output)
				.containsOnlyOnce("Rule 'a': 1/s for all callers together; before authentication; shadow mode.")
				.containsOnlyOnce(
						"Rule 'b': 10/s, burst 20 for each endpoint and user on no listed plan; plan 'partner': unlimited; "
								+ "plan 'pro': 100/s; after authentication; enforced; with max-wait.")
				.containsOnlyOnce("Rule 'c': 5/m (sliding-log) for each address and value of its key; "
						+ "before authentication; enforced."));
	}

	@Test
	void lineOfAConcurrencyLimitHasNoRate(CapturedOutput output) {
		secured()
			.withPropertyValues("tierlimit.rules.a.algorithm=concurrency", "tierlimit.rules.a.limit=2",
					"tierlimit.rules.a.scope=user", "tierlimit.rules.a.plans.pro.limit=10",
					"tierlimit.rules.a.plans.staff.unlimited=true", "tierlimit.rules.b.algorithm=concurrency",
					"tierlimit.rules.b.limit=100")
			.run((context) -> assertThat(output)
				.containsOnlyOnce("Rule 'a': 2 in use for each user on no listed plan; plan 'pro': 10 in use; "
						+ "plan 'staff': unlimited; after authentication; enforced.")
				.containsOnlyOnce("Rule 'b': 100 in use for all callers together; before authentication; enforced."));
	}

	@Test
	void lineOfARuleWithPlansNamesWhoSharesABucket(CapturedOutput output) {
		secured()
			.withPropertyValues("tierlimit.plan.default=free", "tierlimit.rules.a.plans.free.rate=1/s",
					"tierlimit.rules.a.plans.pro.rate=9/s", "tierlimit.rules.b.rate=1/s",
					"tierlimit.rules.b.plans.pro.rate=9/s", "tierlimit.rules.b.scope=plan",
					"tierlimit.rules.c.plans.free.rate=1/s", "tierlimit.rules.c.scope=user",
					"tierlimit.rules.d.rate=1/s", "tierlimit.rules.d.scope=plan")
			.run((context) -> assertThat(output)
				.containsOnlyOnce("Rule 'a': 1/s for all callers on plan 'free' or on no listed plan together; "
						+ "plan 'pro': 9/s for all its callers together; after authentication; enforced.")
				.containsOnlyOnce(
						"Rule 'b': 1/s for all callers on no listed plan together; plan 'pro': 9/s for all its "
								+ "callers together; after authentication; enforced.")
				.containsOnlyOnce("Rule 'c': 1/s for each user on plan 'free' or on no listed plan; "
						+ "after authentication; enforced.")
				.containsOnlyOnce("Rule 'd': 1/s for each plan; after authentication; enforced."));
	}

	@Test
	void lineOfARuleNamesTheKeyOfAnAnnotation(CapturedOutput output) {
		this.servlets
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.applies-to=code",
					"tierlimit.rules.b.rate=1/s")
			.withBean(Annotated.class)
			.run((context) -> assertThat(output)
				.containsOnlyOnce("Rule 'a': 1/s for all callers together, or for each value of the key of an "
						+ "annotation; only for code that names it; enforced.")
				.containsOnlyOnce("Rule 'b': 1/s for all callers together; enforced."));
	}

	@Test
	void lineOfARuleHasNoStageWithoutSpringSecurity(CapturedOutput output) {
		String[] rules = { "tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.scope=user" };
		this.servlets.withPropertyValues(rules)
			.run((context) -> assertThat(output).containsOnlyOnce("Rule 'a': 1/s for each user; enforced."));
		new ApplicationContextRunner().withConfiguration(ALL)
			.withPropertyValues(rules)
			.run((context) -> assertThat(output.toString().split("Rule 'a': 1/s for each user; enforced.", -1))
				.hasSize(3));
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', textBlock = """
			a.scope=ip,a.plans.pro.rate=9/s; true
			a.scope=ip|endpoint,a.plans.pro.rate=9/s; true
			a.scope=ip,a.plans.pro.rate=9/s,a.paths=/x,b.rate=1/s,b.scope=ip,b.paths=/y; true
			a.scope=ip,a.plans.pro.rate=9/s,a.paths=/x,b.rate=1/s,b.scope=ip,b.paths=/x,b.mode=shadow; true
			a.scope=ip,a.plans.pro.rate=9/s,a.paths=/x,b.rate=1/s,b.scope=ip,b.paths=/x,b.methods=GET; true
			a.scope=ip,a.plans.pro.rate=9/s,b.rate=1/s,b.scope=ip,b.condition=method == 'PUT'; true
			a.scope=ip,a.plans.pro.rate=9/s,b.rate=1/s,b.scope=ip; false
			a.scope=ip,a.plans.pro.rate=9/s,a.paths=/x,b.rate=1/s,b.scope=ip,b.paths=/x|/y; false
			a.scope=ip; false
			a.scope=user,a.plans.pro.rate=9/s; false
			a.scope=ip|user,a.plans.pro.rate=9/s; false
			a.scope=ip,a.plans.pro.rate=9/s,a.condition=user == 'x'; false
			a.scope=ip,a.plans.pro.rate=9/s,a.applies-to=code; false
			""")
	void rulePerAddressThatPlansMoveBehindAuthenticationIsAWarning(String properties, boolean warned,
			CapturedOutput output) {
		secured().withPropertyValues(properties("tierlimit.rules.", "a.rate=1/s," + properties)).run((context) -> {
			assertThat(context).hasNotFailed();
			String warning = "Rule 'a' (test) has the scope ip, but is checked after authentication, because it lists "
					+ "plans: passwords can be guessed without a limit. Add a rule with the scope ip and without plans, "
					+ "or remove plans of the rule.";
			if (warned) {
				assertThat(output).containsOnlyOnce(warning);
			}
			else {
				assertThat(output).doesNotContain("has the scope ip");
			}
		});
	}

	@Test
	void rulePerAddressWithPlansIsNotAWarningWithoutSpringSecurity(CapturedOutput output) {
		this.servlets.withPropertyValues(properties("tierlimit.rules.", "a.rate=1/s,a.scope=ip,a.plans.pro.rate=9/s"))
			.run((context) -> assertThat(output).doesNotContain("WARN"));
	}

	@Test
	void summaryCountsTheRulesBeforeAuthentication(CapturedOutput output) {
		secured()
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.b.rate=2/s",
					"tierlimit.rules.b.scope=user")
			.run((context) -> assertThat(output)
				.containsOnlyOnce("Tierlimit checks requests against 2 rules (1 before authentication, 1 after it). "));
	}

	@Test
	void unkeyedHashOfClientSuppliedValuesIsAWarning(CapturedOutput output) {
		this.servlets
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.b.rate=2/s",
					"tierlimit.rules.b.key=header('X-Api-Key')")
			.run((context) -> assertThat(output).containsOnlyOnce(
					"The keys of the rules [b] are hashed without a secret: anyone with access to a hash"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "tierlimit.keys.secret=0123456789abcdef", "tierlimit.keys.hash=none" })
	void keyedHashAndNoneAreNotAWarning(String property, CapturedOutput output) {
		this.servlets
			.withPropertyValues(property, "tierlimit.rules.b.rate=2/s", "tierlimit.rules.b.key=header('X-Api-Key')")
			.run((context) -> assertThat(output).doesNotContain("without a secret"));
	}

	@Test
	void unkeyedHashOfAllKeysIsAWarning(CapturedOutput output) {
		this.servlets
			.withPropertyValues("tierlimit.keys.hash=all", "tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.scope=ip",
					"tierlimit.rules.global.rate=1/s")
			.run((context) -> assertThat(output)
				.containsOnlyOnce("The keys of the rules [a] are hashed without a secret"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					server.forward-headers-strategy=none      | reported by the server
					server.forward-headers-strategy=native    | rewritten by server.forward-headers-strategy=native.
					server.forward-headers-strategy=FRAMEWORK | rewritten by server.forward-headers-strategy=FRAMEWORK.
					spring.main.cloud-platform=kubernetes     | rewritten by server.forward-headers-strategy=native, the default on KUBERNETES.
					server.tomcat.remoteip.remote-ip-header=X | rewritten by server.tomcat.remoteip.remote-ip-header.
					tierlimit.client-ip.trusted-proxies=::1   | read from X-Forwarded-For of the proxies [::1].
					""")
	void summaryNamesTheSourceOfClientAddresses(String property, String source, CapturedOutput output) {
		this.servlets.withPropertyValues("tierlimit.rules.a.rate=1/s", property)
			.run((context) -> assertThat(output)
				.containsOnlyOnce("Buckets are stored in memory. Client addresses are " + source)
				.doesNotContain("WARN"));
	}

	@Test
	void filterThatRewritesAddressesIsFound(CapturedOutput output) {
		this.servlets.withPropertyValues("tierlimit.rules.a.rate=1/s")
			.withBean(FilterRegistrationBean.class, () -> new FilterRegistrationBean<>(new ForwardedHeaderFilter()))
			.run((context) -> assertThat(output)
				.containsOnlyOnce("Client addresses are rewritten by a ForwardedHeaderFilter."));
	}

	@Test
	void twoReadersOfTheAddressHeaderAreAWarning(CapturedOutput output) {
		this.servlets
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.client-ip.trusted-proxies=10.0.0.0/8",
					"server.forward-headers-strategy=framework")
			.run((context) -> assertThat(output).containsOnlyOnce("Both tierlimit.client-ip.trusted-proxies and "
					+ "server.forward-headers-strategy=framework read the client address"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "0.0.0.0/0", "::/0" })
	void trustInAllNetworksIsAWarning(String network, CapturedOutput output) {
		this.servlets.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.client-ip.trusted-proxies=" + network)
			.run((context) -> assertThat(output)
				.containsOnlyOnce("contains " + network + ", so every client is a trusted proxy"));
	}

	@Test
	void lazyApplicationLogsTheSummary(CapturedOutput output) {
		this.servlets.withPropertyValues("tierlimit.rules.a.rate=1/s")
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> assertThat(output).containsOnlyOnce("Tierlimit checks requests against 1 rule."));
	}

	@Test
	void missingRulesAreAWarning(CapturedOutput output) {
		this.servlets
			.run((context) -> assertThat(output).containsOnlyOnce("Tierlimit has no rules, so no limit is enforced."));
	}

	@Test
	void rulesForRequestsWithoutServletsAreAWarning(CapturedOutput output) {
		new ApplicationContextRunner().withConfiguration(ALL)
			.withPropertyValues("tierlimit.rules.a.rate=1/s")
			.run((context) -> assertThat(output).containsOnlyOnce(
					"The rules [a] for requests have no effect, because this is not a servlet application."));
	}

	@Test
	void publisherOfAuthenticationsIsFound(CapturedOutput output) {
		this.servlets
			.withBean(AuthenticationEventPublisher.class, () -> new DefaultAuthenticationEventPublisher((event) -> {
			}))
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.charge-on=authentication-failure")
			.run((context) -> assertThat(output).doesNotContain("WARN"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "buckets", "rateLimitBucketStore" })
	void storeOfTheApplicationIsFoundWhateverItsName(String name) {
		this.servlets.withBean(name, BucketStore.class, () -> new InMemoryBucketStore(Ticker.system(), 10))
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.store=redis")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void nothingIsLoggedIfTierlimitIsDisabled(CapturedOutput output) {
		this.servlets.withPropertyValues("tierlimit.enabled=false")
			.run((context) -> assertThat(output).doesNotContain("Tierlimit"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';',
			textBlock = """
					tierlimit.rules.a.scope=ip; no rule limits requests for /limits. Each of them reads the store
					tierlimit.rules.a.paths=/**; no rule limits requests for /limits. Each of them reads the store
					tierlimit.rules.a.paths=/limits,tierlimit.rules.a.mode=shadow; no rule limits requests for /limits.
					tierlimit.rules.a.paths=/limits,tierlimit.rules.a.methods=POST; no rule limits requests for /limits.
					tierlimit.rules.a.paths=/limits,tierlimit.rules.a.condition=user != null; no rule limits requests for /limits.
					tierlimit.rules.a.paths=/limits; ''
					tierlimit.rules.a.paths=/limits/**; ''
					tierlimit.rules.a.paths=/limits,spring.mvc.servlet.path=/limits; ''
					""")
	void limitsPathThatNothingLimitsIsAWarning(String properties, String warning, CapturedOutput output) {
		this.servlets.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.web.limits-path=/limits")
			.withPropertyValues(properties.split(",", -1))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				if (warning.isEmpty()) {
					assertThat(output).doesNotContain("WARN");
				}
				else {
					assertThat(output).containsOnlyOnce(warning);
				}
			});
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', textBlock = """
			include=*; a.scope=ip; true
			include=health|prometheus; a.scope=ip; true
			include=prometheus; a.paths=/**; true
			include=prometheus; a.paths=/actuators/**; true
			include=prometheus; a.paths=/actuator/health/**; true
			include=prometheus; a.paths=/actuator/prometheus; true
			include=prometheus; a.paths=/actuator/*; true
			include=prometheus; a.paths=/actuator/**,a.mode=shadow; true
			include=prometheus; a.paths=/actuator/**,a.methods=POST; true
			include=prometheus; a.paths=/actuator/**,a.scope=user; true
			include=prometheus; a.paths=/actuator/**; false
			include=prometheus; a.paths=/**|actuator/**,a.condition=ip != null; false
			include=health|info,exclude=info; a.scope=ip; false
			include=health; a.scope=ip; false
			exclude=health; a.scope=ip; false
			""")
	void managementEndpointsWhosePasswordsCanBeGuessedAreAWarning(String exposure, String rule, boolean warns,
			CapturedOutput output) {
		secured().withPropertyValues("tierlimit.rules.a.rate=1/s")
			.withPropertyValues(properties("management.endpoints.web.exposure.", exposure))
			.withPropertyValues(properties("tierlimit.rules.", rule))
			.run((context) -> assertThat(context).hasNotFailed());
		if (warns) {
			assertThat(output).containsOnlyOnce("No rule limits requests to the management endpoints")
				.contains("Add a rule per client address with the path /actuator/**");
		}
		else {
			assertThat(output).doesNotContain("WARN");
		}
	}

	@Test
	void managementEndpointsOnAnotherPortAreNotAWarning(CapturedOutput output) {
		secured()
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "management.endpoints.web.exposure.include=*",
					"management.server.port=9090")
			.run((context) -> assertThat(output).doesNotContain("WARN"));
	}

	private WebApplicationContextRunner secured() {
		return this.servlets.withBean("springSecurityFilterChain", Filter.class,
				() -> (request, response, chain) -> chain.doFilter(request, response));
	}

	private static String[] properties(String prefix, String properties) {
		return Arrays.stream(properties.split(",", -1))
			.map((property) -> prefix + property.replace('|', ','))
			.toArray(String[]::new);
	}

	@Test
	void managementEndpointsWithoutSpringSecurityAreNotAWarning(CapturedOutput output) {
		this.servlets.withPropertyValues("tierlimit.rules.a.rate=1/s", "management.endpoints.web.exposure.include=*")
			.run((context) -> assertThat(output).doesNotContain("WARN"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';',
			textBlock = """
					a.burst=7200; ''
					a.applies-to=code; Rule 'a' (test) is not used: it applies to code, but no annotation names it, and no bean uses a RateLimiter.
					a.paths=/x,a.exclude-paths=/x; Rule 'a' (test) never matches: its exclude-paths contain all of its paths.
					a.exclude-paths=/**; Rule 'a' (test) never matches: its exclude-paths contain all of its paths.
					a.paths=/x,a.exclude-paths=/x/y; ''
					a.methods=GET|MYVERB; Rule 'a': HTTP does not define the method 'MYVERB'.
					a.methods=get|PATCH|connect; ''
					a.paths=/static/*.*|/?.html|/files/.*.txt|/a(1)/{x:(?=y)[0-9]{2}}|/{*rest}; ''
					a.condition=false; Rule 'a': it never applies, because its condition is false.
					b.rate=2/s,b.burst=1; ''
					a.schedule.ranges=2019-01-01T00:00Z/2020-01-01T00:00Z; Rule 'a' (test) never applies again: its schedule has ended. Correct schedule.ranges, or remove the rule.
					a.schedule.ranges=2020-01-01T00:00Z/..; ''
					a.scope=ip,a.reset-on=200; Rule 'a' (test): every client with an account of its own can reset the bucket by reset-on, because the key (ip) does not contain the account.
					a.reset-on=200; because the key (global) does not contain the account
					a.scope=endpoint,a.key=plan + pattern,a.reset-on=200; because the key (endpoint+key) does not contain the account
					a.scope=user,a.reset-on=200; Rule 'a' (test): a request with any HTTP method resets the bucket if its status is in reset-on
					a.scope=user,a.reset-on=200,a.methods=POST; ''
					a.key=path,a.reset-on=200,a.methods=POST; ''
					a.charge-on=authentication-failure; Rule 'a' (test): results of authentications are not published, because there is no AuthenticationEventPublisher bean.
					a.key=claim('sub'),a.reset-on=authentication-success; Rule 'a' (test): results of authentications are not published
					a.max-wait=31s; ''
					a.rate=100/d; ''
					a.key='abc'; Rule 'a': key ''abc'' is a constant, so all callers share one bucket. Correct or remove tierlimit.rules.a.key
					a.key='abc' + user; ''
					""")
	void ruleWithoutEffectIsAWarning(String properties, String warning, CapturedOutput output) {
		this.servlets.withPropertyValues(properties("tierlimit.rules.", "a.rate=1/s," + properties)).run((context) -> {
			assertThat(context).hasNotFailed();
			if (warning.isEmpty()) {
				assertThat(output).doesNotContain("WARN");
			}
			else {
				assertThat(output).containsOnlyOnce(warning);
			}
		});
	}

	@Test
	void ruleForUsersThatSkipsOthersIsAWarningWithoutSpringSecurity(CapturedOutput output) {
		String[] rules = properties("tierlimit.rules.", "a.rate=1/s,a.scope=user|endpoint,a.on-missing-key=skip");
		this.servlets.withPropertyValues(rules).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("Rule 'a' (test) never applies to a request without a user");
		secured().withPropertyValues(rules).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("never applies to a request without a user");
	}

	@ParameterizedTest
	@ValueSource(strings = { "a.scope=user", "a.scope=user,a.on-missing-key=deny",
			"a.scope=endpoint,a.on-missing-key=skip" })
	void otherRulesForUsersAreNotAWarning(String rule, CapturedOutput output) {
		this.servlets.withPropertyValues(properties("tierlimit.rules.", "a.rate=1/s," + rule))
			.run((context) -> assertThat(output).doesNotContain("without a user"));
	}

	static class Annotated {

		@RateLimited(value = "a", key = "#id")
		void call(String id) {
		}

	}

}
