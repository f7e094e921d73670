package io.tierlimit.autoconfigure.report;

import java.util.Arrays;

import io.tierlimit.autoconfigure.AnnotatedBean;
import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitSecurityAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitServletAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitWebMvcAutoConfiguration;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import jakarta.servlet.Filter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
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

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					servlets | a.rate=1/s,b.rate=2/s,b.mode=shadow,b.scope=ip | Tierlimit checks requests against 2 rules (1 in shadow mode). Buckets are stored in memory. Client addresses are reported by the server.
					secured | a.rate=1/s,b.rate=2/s,b.scope=user | Tierlimit checks requests against 2 rules (1 before authentication, 1 after it).
					secured | a.rate=1/s,a.mode=shadow | Rule 'a': 1/s for all callers together; before authentication; shadow mode.
					secured | a.rate=10/s,a.burst=20,a.scope=user&endpoint,a.plans.pro.rate=100/s,a.plans.partner.unlimited=true,a.max-wait=1s | Rule 'a': 10/s, burst 20 for each endpoint and user on no listed plan; plan 'partner': unlimited; plan 'pro': 100/s; after authentication; enforced; with max-wait.
					secured | a.rate=5/m,a.algorithm=sliding-log,a.scope=ip,a.key=param('id') | Rule 'a': 5/m (sliding-log) for each address and value of its key; before authentication; enforced.
					secured | a.algorithm=concurrency,a.limit=2,a.scope=user,a.plans.pro.limit=10,a.plans.staff.unlimited=true | Rule 'a': 2 in use for each user on no listed plan; plan 'pro': 10 in use; plan 'staff': unlimited; after authentication; enforced.
					secured | a.algorithm=concurrency,a.limit=100 | Rule 'a': 100 in use for all callers together; before authentication; enforced.
					secured | tierlimit.plan.default=free,a.plans.free.rate=1/s,a.plans.pro.rate=9/s | Rule 'a': 1/s for all callers on plan 'free' or on no listed plan together; plan 'pro': 9/s for all its callers together; after authentication; enforced.
					secured | a.rate=1/s,a.plans.pro.rate=9/s,a.scope=plan | Rule 'a': 1/s for all callers on no listed plan together; plan 'pro': 9/s for all its callers together; after authentication; enforced.
					secured | tierlimit.plan.default=free,a.plans.free.rate=1/s,a.scope=user | Rule 'a': 1/s for each user on plan 'free' or on no listed plan; after authentication; enforced.
					secured | a.rate=1/s,a.scope=plan | Rule 'a': 1/s for each plan; after authentication; enforced.
					servlets | a.rate=1/s,a.scope=user | Rule 'a': 1/s for each user; enforced.
					plain | a.rate=1/s,a.scope=user | Rule 'a': 1/s for each user; enforced.
					plain | a.rate=1/s | The rules [a] for requests have no effect, because this is not a servlet application.
					servlets | server.forward-headers-strategy=none | Tierlimit has no rules, so no limit is enforced.
					""")
	void applicationLogs(String application, String properties, String line, CapturedOutput output) {
		start(application, properties);
		assertThat(output).containsOnlyOnce(line);
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
		start("servlets", "a.rate=1/s," + property);
		assertThat(output).containsOnlyOnce("Buckets are stored in memory. Client addresses are " + source)
			.doesNotContain("WARN");
	}

	/** Without a text, the rule is not a warning. */
	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					servlets | a.key=header('X-Api-Key') | The keys of the rules [a] are hashed without a secret: anyone with access to a hash
					servlets | a.key=header('X-Api-Key'),tierlimit.keys.secret=0123456789abcdef | ''
					servlets | a.key=header('X-Api-Key'),tierlimit.keys.hash=none | ''
					servlets | tierlimit.keys.hash=all,a.scope=ip,b.rate=1/s | The keys of the rules [a] are hashed without a secret
					servlets | tierlimit.client-ip.trusted-proxies=10.0.0.0/8,server.forward-headers-strategy=framework | Both tierlimit.client-ip.trusted-proxies and server.forward-headers-strategy=framework read the client address
					servlets | tierlimit.client-ip.trusted-proxies=0.0.0.0/0 | contains 0.0.0.0/0, so every client is a trusted proxy
					servlets | tierlimit.client-ip.trusted-proxies=::/0 | contains ::/0, so every client is a trusted proxy
					servlets | tierlimit.web.limits-path=/limits,a.scope=ip | no rule limits requests for /limits. Each of them reads the store
					servlets | tierlimit.web.limits-path=/limits,a.paths=/** | no rule limits requests for /limits. Each of them reads the store
					servlets | tierlimit.web.limits-path=/limits,a.paths=/limits,a.mode=shadow | no rule limits requests for /limits.
					servlets | tierlimit.web.limits-path=/limits,a.paths=/limits,a.methods=POST | no rule limits requests for /limits.
					servlets | tierlimit.web.limits-path=/limits,a.paths=/limits,a.condition=user != null | no rule limits requests for /limits.
					servlets | tierlimit.web.limits-path=/limits,a.paths=/limits | ''
					servlets | tierlimit.web.limits-path=/limits,a.paths=/limits/** | ''
					servlets | tierlimit.web.limits-path=/limits,a.paths=/limits,spring.mvc.servlet.path=/limits | ''
					servlets | a.burst=7200 | ''
					servlets | a.applies-to=code | Rule 'a' (test) is not used: it applies to code, but no annotation names it, and no bean uses a RateLimiter.
					servlets | a.paths=/x,a.exclude-paths=/x | Rule 'a' (test) never matches: its exclude-paths contain all of its paths.
					servlets | a.exclude-paths=/** | Rule 'a' (test) never matches: its exclude-paths contain all of its paths.
					servlets | a.paths=/x,a.exclude-paths=/x/y | ''
					servlets | a.methods=GET&MYVERB | Rule 'a': HTTP does not define the method 'MYVERB'.
					servlets | a.methods=get&PATCH&connect | ''
					servlets | a.paths=/static/*.*&/?.html&/files/.*.txt&/a(1)/{x:(?=y)[0-9]{2}}&/{*rest} | ''
					servlets | a.condition=false | Rule 'a': it never applies, because its condition is false.
					servlets | b.rate=2/s,b.burst=1 | ''
					servlets | a.schedule.ranges=2019-01-01T00:00Z/2020-01-01T00:00Z | Rule 'a' (test) never applies again: its schedule has ended. Correct schedule.ranges, or remove the rule.
					servlets | a.schedule.ranges=2020-01-01T00:00Z/.. | ''
					servlets | a.scope=ip,a.reset-on=200 | Rule 'a' (test): every client with an account of its own can reset the bucket by reset-on, because the key (ip) does not contain the account.
					servlets | a.reset-on=200 | because the key (global) does not contain the account
					servlets | a.scope=endpoint,a.key=plan + pattern,a.reset-on=200 | because the key (endpoint+key) does not contain the account
					servlets | a.scope=user,a.reset-on=200 | Rule 'a' (test): a request with any HTTP method resets the bucket if its status is in reset-on
					servlets | a.scope=user,a.reset-on=200,a.methods=POST | ''
					servlets | a.key=path,a.reset-on=200,a.methods=POST | ''
					servlets | a.charge-on=authentication-failure | Rule 'a' (test): results of authentications are not published, because there is no AuthenticationEventPublisher bean.
					servlets | a.key=claim('sub'),a.reset-on=authentication-success | Rule 'a' (test): results of authentications are not published
					servlets | a.max-wait=31s | ''
					servlets | a.rate=100/d | ''
					servlets | a.key='abc' | Rule 'a': key ''abc'' is a constant, so all callers share one bucket. Correct or remove tierlimit.rules.a.key
					servlets | a.key='abc' + user | ''
					servlets | a.scope=user&endpoint,a.on-missing-key=skip | Rule 'a' (test) never applies to a request without a user
					secured  | a.scope=user&endpoint,a.on-missing-key=skip | ''
					servlets | a.scope=user,a.on-missing-key=deny | ''
					servlets | a.scope=endpoint,a.on-missing-key=skip | ''
					servlets | a.scope=ip,a.plans.pro.rate=9/s | ''
					secured  | management.endpoints.web.exposure.include=*,management.server.port=9090 | ''
					servlets | management.endpoints.web.exposure.include=* | ''
					""")
	void ruleWithoutEffectIsAWarning(String application, String properties, String warning, CapturedOutput output) {
		start(application, "a.rate=1/s," + properties);
		if (warning.isEmpty()) {
			assertThat(output).doesNotContain("WARN");
		}
		else {
			assertThat(output).containsOnlyOnce(warning);
		}
	}

	@Test
	void lineOfARuleNamesTheKeyOfAnAnnotation(CapturedOutput output) {
		this.servlets
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.applies-to=code",
					"tierlimit.rules.b.rate=1/s")
			.withUserConfiguration(AnnotatedBean.named("OwnKeys", "call(id): value=a; key=#id"))
			.run((context) -> assertThat(output)
				.containsOnlyOnce("Rule 'a': 1/s for all callers together, or for each value of the key of an "
						+ "annotation; only for code that names it; enforced.")
				.containsOnlyOnce("Rule 'b': 1/s for all callers together; enforced."));
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', textBlock = """
			a.scope=ip,a.plans.pro.rate=9/s; true
			a.scope=ip&endpoint,a.plans.pro.rate=9/s; true
			a.scope=ip,a.plans.pro.rate=9/s,a.paths=/x,b.rate=1/s,b.scope=ip,b.paths=/y; true
			a.scope=ip,a.plans.pro.rate=9/s,a.paths=/x,b.rate=1/s,b.scope=ip,b.paths=/x,b.mode=shadow; true
			a.scope=ip,a.plans.pro.rate=9/s,a.paths=/x,b.rate=1/s,b.scope=ip,b.paths=/x,b.methods=GET; true
			a.scope=ip,a.plans.pro.rate=9/s,b.rate=1/s,b.scope=ip,b.condition=method == 'PUT'; true
			a.scope=ip,a.plans.pro.rate=9/s,b.rate=1/s,b.scope=ip; false
			a.scope=ip,a.plans.pro.rate=9/s,a.paths=/x,b.rate=1/s,b.scope=ip,b.paths=/x&/y; false
			a.scope=ip; false
			a.scope=user,a.plans.pro.rate=9/s; false
			a.scope=ip&user,a.plans.pro.rate=9/s; false
			a.scope=ip,a.plans.pro.rate=9/s,a.condition=user == 'x'; false
			a.scope=ip,a.plans.pro.rate=9/s,a.applies-to=code; false
			""")
	void rulePerAddressThatPlansMoveBehindAuthenticationIsAWarning(String properties, boolean warned,
			CapturedOutput output) {
		start("secured", "a.rate=1/s," + properties);
		String warning = "Rule 'a' (test) has the scope ip, but is checked after authentication, because it lists "
				+ "plans: passwords can be guessed without a limit. Add a rule with the scope ip and without plans, "
				+ "or remove plans of the rule.";
		if (warned) {
			assertThat(output).containsOnlyOnce(warning);
		}
		else {
			assertThat(output).doesNotContain("has the scope ip");
		}
	}

	@Test
	void filterThatRewritesAddressesIsFound(CapturedOutput output) {
		this.servlets.withPropertyValues("tierlimit.rules.a.rate=1/s")
			.withBean(FilterRegistrationBean.class, () -> new FilterRegistrationBean<>(new ForwardedHeaderFilter()))
			.run((context) -> assertThat(output)
				.containsOnlyOnce("Client addresses are rewritten by a ForwardedHeaderFilter."));
	}

	@Test
	void lazyApplicationLogsTheSummary(CapturedOutput output) {
		this.servlets.withPropertyValues("tierlimit.rules.a.rate=1/s")
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> assertThat(output).containsOnlyOnce("Tierlimit checks requests against 1 rule."));
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

	@ParameterizedTest
	@CsvSource(delimiter = ';',
			textBlock = """
					management.endpoints.web.exposure.include=*,a.scope=ip; true
					management.endpoints.web.exposure.include=health&prometheus,a.scope=ip; true
					management.endpoints.web.exposure.include=prometheus,a.paths=/**; true
					management.endpoints.web.exposure.include=prometheus,a.paths=/actuators/**; true
					management.endpoints.web.exposure.include=prometheus,a.paths=/actuator/health/**; true
					management.endpoints.web.exposure.include=prometheus,a.paths=/actuator/prometheus; true
					management.endpoints.web.exposure.include=prometheus,a.paths=/actuator/*; true
					management.endpoints.web.exposure.include=prometheus,a.paths=/actuator/**,a.mode=shadow; true
					management.endpoints.web.exposure.include=prometheus,a.paths=/actuator/**,a.methods=POST; true
					management.endpoints.web.exposure.include=prometheus,a.paths=/actuator/**,a.scope=user; true
					management.endpoints.web.exposure.include=prometheus,a.paths=/actuator/**; false
					management.endpoints.web.exposure.include=prometheus,a.paths=/**&actuator/**,a.condition=ip != null; false
					management.endpoints.web.exposure.include=health&info,management.endpoints.web.exposure.exclude=info,a.scope=ip; false
					management.endpoints.web.exposure.include=health,a.scope=ip; false
					management.endpoints.web.exposure.exclude=health,a.scope=ip; false
					""")
	void managementEndpointsWhosePasswordsCanBeGuessedAreAWarning(String properties, boolean warns,
			CapturedOutput output) {
		start("secured", "a.rate=1/s," + properties);
		if (warns) {
			assertThat(output).containsOnlyOnce("No rule limits requests to the management endpoints")
				.contains("Add a rule per client address with the path /actuator/**");
		}
		else {
			assertThat(output).doesNotContain("WARN");
		}
	}

	private WebApplicationContextRunner secured() {
		return this.servlets.withBean("springSecurityFilterChain", Filter.class,
				() -> (request, response, chain) -> chain.doFilter(request, response));
	}

	/** A comma separates properties, and an ampersand the values of a property. */
	private void start(String application, String properties) {
		String[] all = Arrays.stream(properties.split(",", -1))
			.map((property) -> (property.matches("[a-z]\\..*") ? "tierlimit.rules." : "") + property.replace('&', ','))
			.toArray(String[]::new);
		switch (application) {
			case "servlets" ->
				this.servlets.withPropertyValues(all).run((context) -> assertThat(context).hasNotFailed());
			case "secured" -> secured().withPropertyValues(all).run((context) -> assertThat(context).hasNotFailed());
			default -> new ApplicationContextRunner().withConfiguration(ALL)
				.withPropertyValues(all)
				.run((context) -> assertThat(context).hasNotFailed());
		}
	}

}
