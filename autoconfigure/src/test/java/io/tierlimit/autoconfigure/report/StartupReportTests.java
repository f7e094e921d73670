package io.tierlimit.autoconfigure.report;

import io.tierlimit.RateLimited;
import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitSecurityAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitServletAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitWebMvcAutoConfiguration;
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

	/** Applications of other tests may have raised the level. */
	@BeforeEach
	void logWhatIsSaid() {
		LoggingSystem.get(getClass().getClassLoader()).setLogLevel("io.tierlimit", LogLevel.INFO);
	}

	@Test
	void oneLineSaysWhatIsEnforcedAndWhere(CapturedOutput output) {
		this.servlets
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.b.rate=2/s",
					"tierlimit.rules.b.mode=shadow", "tierlimit.rules.b.scope=ip")
			.run((context) -> assertThat(output)
				.containsOnlyOnce("Tierlimit holds requests to 2 rules (1 in shadow mode)"
						+ " in a servlet filter, with buckets in InMemoryBucketStore"
						+ " and client addresses as the container reports them.")
				.doesNotContain("WARN"));
	}

	@Test
	void oneLineSaysWhatIsDecidedBeforeAuthentication(CapturedOutput output) {
		this.servlets
			.withBean("springSecurityFilterChain", Filter.class,
					() -> (request, response, chain) -> chain.doFilter(request, response))
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.b.rate=2/s",
					"tierlimit.rules.b.scope=user")
			.run((context) -> assertThat(output)
				.containsOnlyOnce("Tierlimit holds requests to 2 rules (0 in shadow mode)"
						+ " in a servlet filter on each side of Spring Security (1 before it), with buckets in"));
	}

	@Test
	void unkeyedHashOfWhatCallersSendIsSaid(CapturedOutput output) {
		this.servlets
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.b.rate=2/s",
					"tierlimit.rules.b.key=header('X-Api-Key')")
			.run((context) -> assertThat(output)
				.containsOnlyOnce("The keys of [b] are hashed without a secret: whoever sees a hash"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "tierlimit.keys.secret=0123456789abcdef", "tierlimit.keys.hash=none" })
	void keyedHashAndNoneAreNotWarnedOf(String property, CapturedOutput output) {
		this.servlets
			.withPropertyValues(property, "tierlimit.rules.b.rate=2/s", "tierlimit.rules.b.key=header('X-Api-Key')")
			.run((context) -> assertThat(output).doesNotContain("without a secret"));
	}

	@Test
	void unkeyedHashOfEverythingIsSaid(CapturedOutput output) {
		this.servlets
			.withPropertyValues("tierlimit.keys.hash=all", "tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.scope=ip",
					"tierlimit.rules.global.rate=1/s")
			.run((context) -> assertThat(output).containsOnlyOnce("The keys of [a] are hashed without a secret"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					server.forward-headers-strategy=none      | as the container reports them
					server.forward-headers-strategy=native    | as rewritten by server.forward-headers-strategy=native.
					server.forward-headers-strategy=FRAMEWORK | as rewritten by server.forward-headers-strategy=FRAMEWORK.
					spring.main.cloud-platform=kubernetes     | as rewritten by server.forward-headers-strategy=native, the default on KUBERNETES.
					server.tomcat.remoteip.remote-ip-header=X | as rewritten by server.tomcat.remoteip.remote-ip-header.
					tierlimit.client-ip.trusted-proxies=::1   | from X-Forwarded-For behind [::1].
					""")
	void oneLineSaysWhereClientAddressesComeFrom(String property, String source, CapturedOutput output) {
		this.servlets.withPropertyValues("tierlimit.rules.a.rate=1/s", property)
			.run((context) -> assertThat(output)
				.containsOnlyOnce("buckets in InMemoryBucketStore and client addresses " + source)
				.doesNotContain("WARN"));
	}

	@Test
	void filterThatRewritesAddressesIsFound(CapturedOutput output) {
		this.servlets.withPropertyValues("tierlimit.rules.a.rate=1/s")
			.withBean(FilterRegistrationBean.class, () -> new FilterRegistrationBean<>(new ForwardedHeaderFilter()))
			.run((context) -> assertThat(output)
				.containsOnlyOnce("client addresses as rewritten by a ForwardedHeaderFilter."));
	}

	@Test
	void twoWhoLookForTheAddressInAHeaderAreWarnedOf(CapturedOutput output) {
		this.servlets
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.client-ip.trusted-proxies=10.0.0.0/8",
					"server.forward-headers-strategy=framework")
			.run((context) -> assertThat(output).containsOnlyOnce("Both tierlimit.client-ip.trusted-proxies and "
					+ "server.forward-headers-strategy=framework look for the client's address"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "0.0.0.0/0", "::/0" })
	void trustInEverybodyIsWarnedOf(String network, CapturedOutput output) {
		this.servlets.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.client-ip.trusted-proxies=" + network)
			.run((context) -> assertThat(output)
				.containsOnlyOnce("has " + network + ", so that every client is a proxy"));
	}

	@Test
	void lazyApplicationSaysItToo(CapturedOutput output) {
		this.servlets.withPropertyValues("tierlimit.rules.a.rate=1/s")
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> assertThat(output).containsOnlyOnce("Tierlimit holds requests to 1 rule "));
	}

	@Test
	void noRulesAreSaid(CapturedOutput output) {
		this.servlets
			.run((context) -> assertThat(output).containsOnlyOnce("Tierlimit limits nothing: there are no rules"));
	}

	@Test
	void applicationWithoutServletsIsSaid(CapturedOutput output) {
		new ApplicationContextRunner().withConfiguration(ALL)
			.withPropertyValues("tierlimit.rules.a.rate=1/s")
			.run((context) -> assertThat(output)
				.containsOnlyOnce("Tierlimit holds no request to its 1 rule: this is no servlet application"));
	}

	@Test
	void publisherOfAuthenticationsIsFound(CapturedOutput output) {
		this.servlets
			.withBean(AuthenticationEventPublisher.class, () -> new DefaultAuthenticationEventPublisher((event) -> {
			}))
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.charge=authentication-failure")
			.run((context) -> assertThat(output).doesNotContain("WARN"));
	}

	@Test
	void ruleThatSeesNoRequestEndIsSaid(CapturedOutput output) {
		new ApplicationContextRunner().withConfiguration(ALL)
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.charge=401")
			.run((context) -> assertThat(output).containsOnlyOnce("Rule 'a' is charged always: how requests end"));
	}

	@Test
	void switchedOffItSaysNothing(CapturedOutput output) {
		this.servlets.withPropertyValues("tierlimit.enabled=false")
			.run((context) -> assertThat(output).doesNotContain("Tierlimit"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';',
			textBlock = """
					tierlimit.web.max-waiting=0; Nothing waits for permits, whatever a max-wait says: tierlimit.web.max-waiting is 0.
					tierlimit.web.max-waiting=0,tierlimit.rules.a.mode=shadow; ''
					""")
	void whatIsOddAboutHoldingRequestsIsSaid(String properties, String said, CapturedOutput output) {
		this.servlets.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.max-wait=1s")
			.withPropertyValues(properties.split(",", -1))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				if (said.isEmpty()) {
					assertThat(output).doesNotContain("WARN");
				}
				else {
					assertThat(output).containsOnlyOnce(said);
				}
			});
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';',
			textBlock = """
					a.burst=7200; ''
					a.applies-to=methods; Rule 'a' is held nowhere: it applies to methods, no annotation names it, and no bean has a RateLimiter.
					a.paths=/x,a.exclude-paths=/x; Rule 'a' can never match: its exclude-paths leave nothing of its paths.
					a.exclude-paths=/**; Rule 'a' can never match: its exclude-paths leave nothing of its paths.
					a.paths=/x,a.exclude-paths=/x/y; ''
					a.methods=GET|MYVERB|LIST|TRACK; ''
					a.methods=PROPFIND|PURGE|connect; ''
					a.paths=/static/*.*|/?.html|/files/.*.txt|/a(1)/{x:(?=y)[0-9]{2}}|/{*rest}; ''
					a.condition=false; Rule 'a' can never match: its condition is false.
					b.rate=2/s,b.burst=1; ''
					a.scope=ip,a.reset-on=200; Rule 'a' has a reset-on, but its key (ip) names no account: every client with an account of its own can reset the bucket. Put the account into the key, or leave reset-on to a rule that has it there.
					a.reset-on=200; Rule 'a' has a reset-on, but its key (global) names no account
					a.scope=endpoint,a.key=plan + pattern,a.reset-on=200; Rule 'a' has a reset-on, but its key (endpoint+key) names no account
					a.scope=ip,a.reset-on=authentication-success; Rule 'a' is never reset by authentication-success: its key (ip) names no account. Put the account into the key, or remove authentication-success from reset-on.
					a.scope=user,a.reset-on=200; ''
					a.key=path,a.reset-on=200; ''
					a.charge=authentication-failure; Rule 'a' waits for authentications in vain, unless something else than an AuthenticationEventPublisher bean tells of them: there is none.
					a.key=claim('sub'),a.reset-on=authentication-success; Rule 'a' waits for authentications in vain
					a.max-wait=31s; ''
					a.rate=100/d; ''
					a.cost=0; Rule 'a' rejects nothing: it has cost 0. Set its cost to 1 or more.
					a.cost=user == null ? 1 : 0; ''
					a.key='abc'; Rule 'a' has key ''abc'', which is the same for all callers. Correct or remove tierlimit.rules.a.key
					a.key='abc' + user; ''
					""")
	void whatIsOddIsSaid(String properties, String said, CapturedOutput output) {
		String[] rules = ("a.rate=1/s," + properties).split(",", -1);
		String[] pairs = new String[rules.length];
		for (int i = 0; i < rules.length; i++) {
			pairs[i] = "tierlimit.rules." + rules[i].replace('|', ',');
		}
		this.servlets.withPropertyValues(pairs).run((context) -> {
			assertThat(context).hasNotFailed();
			if (said.isEmpty()) {
				assertThat(output).doesNotContain("WARN");
			}
			else {
				assertThat(output).containsOnlyOnce(said);
			}
		});
	}

	@Test
	void freeRuleToWhichAnAnnotationGivesACostIsNotWarnedOf(CapturedOutput output) {
		this.servlets.withUserConfiguration(OwnCost.class)
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.cost=0",
					"tierlimit.rules.a.applies-to=methods")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("rejects nothing");
	}

	@Test
	void freeRuleOfAnAnnotationIsWarnedOf(CapturedOutput output) {
		this.servlets.withUserConfiguration(NoCost.class)
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.cost=0",
					"tierlimit.rules.a.applies-to=methods")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("Rule 'a' rejects nothing: it has cost 0.");
	}

	/** A program gives the cost. */
	@Test
	void freeRuleForMethodsThatNoAnnotationNamesIsNotWarnedOf(CapturedOutput output) {
		this.servlets
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.cost=0",
					"tierlimit.rules.a.applies-to=methods")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("rejects nothing");
	}

	static class OwnCost {

		@RateLimited(value = "a", cost = "1")
		public void call() {
		}

	}

	static class NoCost {

		@RateLimited("a")
		public void call() {
		}

	}

}
