package io.tierlimit.autoconfigure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.tierlimit.RateLimited;
import io.tierlimit.rule.InvalidRulesException;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.spi.RuleSource;
import jakarta.servlet.Filter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares docs/troubleshooting.md with the messages. The page has every problem that
 * {@link ReportedProblems} compares, and every problem and warning that is produced here.
 * Each problem of the page is produced here or compared by another test. Messages at run
 * time are compared with the sources.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("conventions")
class TroubleshootingTests {

	/** Matches the log format of Spring Boot, and the default log format of Logback. */
	private static final Pattern WARNING = Pattern
		.compile("(?m)WARN .*?\\bio?\\.t(?:ierlimit)?\\.[\\w.]+(?: -- | +: )(.*)$");

	private static final AutoConfigurations ALL = AutoConfigurations.of(TierlimitSwitchAutoConfiguration.class,
			TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class,
			TierlimitSecurityAutoConfiguration.class, TierlimitServletAutoConfiguration.class,
			TierlimitWebMvcAutoConfiguration.class);

	private static final AutoConfigurations AUDIT = AutoConfigurations.of(TierlimitJdbcAutoConfiguration.class,
			TierlimitAuditAutoConfiguration.class);

	private static final AutoConfigurations TABLES = AutoConfigurations.of(TierlimitJdbcAutoConfiguration.class,
			TierlimitRuleTablesAutoConfiguration.class);

	private static final AutoConfigurations PLANS = AutoConfigurations.of(TierlimitJdbcAutoConfiguration.class,
			TierlimitPlanTableAutoConfiguration.class);

	private final WebApplicationContextRunner web = new WebApplicationContextRunner().withConfiguration(ALL);

	private final List<String> problems = new ArrayList<>();

	@Test
	void pageHasTheProblemsOfStartup() throws IOException {
		stop(rules("a.rate=1/s", "a.scope=ip,ip"));
		stop(overrides("a.address=::ffff:0.0.0.0/95", "a.unlimited=true"));
		stop("tierlimit.overrides[0].user=x");
		stop("tierlimit.login-protection.account=header('X-Account')");
		stop(rules("a.rate=1/s", "a.burst.x=1"));
		stop((runner) -> runner.withBean("key", KeyResolver.class, () -> (caller) -> ""), "tierlimit.rules.a.rate=1/s",
				"tierlimit.rules.a.scope=key");
		stop("tierlimit.client-ip.trusted-proxies=x,10.0.0.0/8", "tierlimit.client-ip.ipv6-prefix=999",
				"tierlimit.client-ip.header=x-forwarded-for,x-forwarded-for", "tierlimit.keys.secret=x",
				"tierlimit.user.key=ip", "tierlimit.headers.retry-after-jitter=x",
				"tierlimit.headers.styles=x-ratelimit,x-ratelimit-delta", "tierlimit.rejections.interval=2d",
				"tierlimit.web.max-waiting=-1", "tierlimit.web.limits-path=/limits/**",
				"tierlimit.memory.max-buckets=0", "tierlimit.redis.key-prefix=", "tierlimit.redis.timeout=0",
				"tierlimit.redis.local-share=0%", "tierlimit.store=redis", "tierlimit.audit.jdbc.retention=-1s",
				"tierlimit.jdbc.refresh=0", "tierlimit.plan.key=header('X-Plan')");
		stop((runner) -> runner.withConfiguration(AUDIT), "tierlimit.audit.jdbc.enabled=true");
		stop((runner) -> runner.withConfiguration(AUDIT)
			.withBean(DataSource.class, () -> new DriverManagerDataSource("jdbc:unused")),
				"tierlimit.audit.jdbc.enabled=true", "tierlimit.jdbc.data-source=x");
		stop((runner) -> runner.withConfiguration(TABLES), "tierlimit.jdbc.rules.enabled=true");
		stop((runner) -> runner.withConfiguration(PLANS), "tierlimit.plan.jdbc.enabled=true");
		stop("tierlimit.plan.key=user.length()");
		stop("tierlimit.enabled=yes");
		stop((runner) -> runner.withBean(FilterOrdersBean.NAME, Filter.class, FilterOrdersBean::filter),
				"tierlimit.web.order=0", "tierlimit.web.authenticated-order=-200");
		stop((runner) -> runner.withInitializer(EnvironmentVariables.of(Map.of("TIERLIMIT_RULES_X_BURST", "1",
				"TIERLIMIT_USER", "x", "TIERLIMIT_OVERRIDES_X_USER", "x ", "TIERLIMIT_OVERRIDES_X_UNLIMITED", "true",
				"TIERLIMIT_OVERRIDES_Y_KEY", "x ", "TIERLIMIT_OVERRIDES_Y_UNLIMITED", "true",
				"TIERLIMIT_MEMORY_MAX_BUCKETS", "5", "TIERLIMIT_MEMORY_MAXBUCKETS", "6"))));
		stop((runner) -> runner.withUserConfiguration(WithoutText.class));
		stop((runner) -> runner.withBean("flags", RuleSource.class,
				() -> () -> Map.of("r", Map.of("rate", "${rate}"))));
		stop((runner) -> runner.withBean("flags", RuleSource.class,
				() -> () -> Map.of(RuleSource.ALL, Map.of("rate", "1/s"))));
		stop((runner) -> runner.withBean("table", RuleSource.class, () -> () -> {
			throw new IllegalStateException("on purpose");
		}));
		record(new ReactiveWebApplicationContextRunner().withConfiguration(ALL)
			.withPropertyValues("tierlimit.rules.a.rate=1/s"));
		new ApplicationContextRunner().withUserConfiguration(EnabledTests.FrozenDisabled.class)
			.run((context) -> record(context.getStartupFailure()));
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(TierlimitAutoConfiguration.class,
					TierlimitMethodAutoConfiguration.class, DataRedisAutoConfiguration.class))
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.store=redis")
			.run((context) -> record(context.getStartupFailure()));
		TroubleshootingPage.assertDocumented(TroubleshootingPage.PROBLEMS, this.problems);
		List<String> tests = RunTimeMessages.ofTests();
		assertThat(TroubleshootingPage.messages(TroubleshootingPage.PROBLEMS))
			.allSatisfy((entry) -> assertThat(Stream.concat(this.problems.stream(), tests.stream()))
				.anyMatch((message) -> TroubleshootingPage.matches(entry, message)));
	}

	@Test
	void pageHasTheWarningsOfStartup(CapturedOutput output) {
		start("tierlimit.store=memory");
		start("tierlimit.reload.watch=true", "tierlimit.rules.a.rate=1/s");
		start("tierlimit.mode=shadow", "tierlimit.rules.a.rate=1/s");
		start((runner) -> runner.withBean(FilterOrdersBean.NAME, Filter.class, FilterOrdersBean::filter)
			.withPropertyValues("tierlimit.plan.default=free"),
				rules("a.rate=2/s", "a.scope=ip", "a.plans.free.rate=1/s"));
		start((runner) -> runner.withBean(FilterOrdersBean.NAME, Filter.class, FilterOrdersBean::filter),
				"tierlimit.rules.a.rate=1/s", "management.endpoints.web.exposure.include=ratelimits");
		start((runner) -> runner
			.withInitializer(EnvironmentVariables.of(Map.of("TIERLIMIT_VERSION", "1", "TIERLIMIT", "1"))),
				rules("a.rate=1/s", "a.applies-to=code", "b.rate=1/s", "b.paths=/x", "b.exclude-paths=/x", "c.rate=1/s",
						"c.condition=false", "ac.rate=1/s", "ac.schedule.ranges=../2020-01-01T00:00Z", "d.rate=1/s",
						"d.methods=PSOT", "e.rate=1/s", "e.key='x'", "f.rate=1/s", "f.key=header('X')",
						"f.reset-on=200", "g.rate=1/s", "g.charge-on=authentication-failure", "i.rate=1/s",
						"i.paths=/shop/x", "j.rate=1/s", "j.reset-on=200", "k.rate=1/s", "k.scope=user",
						"k.on-missing-key=skip", "l.rate=5/m", "l.mode=shadow", "l.adaptive.min-rate=1/m",
						"l.adaptive.target-latency=10s", "l.adaptive.recovery=10s", "m.rate=2/s", "m.shards=2"));
		start("tierlimit.rules.a.rate=1/s", "tierlimit.plan.default=x", "tierlimit.client-ip.trusted-proxies=0.0.0.0/0",
				"server.forward-headers-strategy=native", "server.servlet.context-path=/shop",
				"tierlimit.rules.a.paths=/shop/x", "spring.mvc.servlet.path=/mvc", "tierlimit.web.limits-path=/limits");
		start((runner) -> runner.withBean("table", RuleSource.class, () -> () -> Map.of("r", Map.of("rate", "x"))),
				"tierlimit.rules.known.rate=1/s", "tierlimit.reload.on-startup-failure=ignore");
		start((runner) -> runner.withBean("table", RuleSource.class, OverlappingRows::new),
				"tierlimit.rules.known.rate=1/s");
		start((runner) -> runner
			.withPropertyValues(rules("off.rate=1/s", "off.enabled=false", "shadow.rate=1/s", "shadow.mode=shadow")),
				overrides("a.address=0.0.0.0/0", "a.blocked=true", "b.user=x", "b.unlimited=true", "c.address=10.0.0.1",
						"c.unlimited=true", "c.until=2020-01-01T00:00Z", "d.address=10.0.0.2", "d.rules=off",
						"d.unlimited=true", "e.address=10.0.0.3", "e.rules=shadow", "e.blocked=true"));
		start((runner) -> runner.withPropertyValues(rules("users.rate=1/s", "users.scope=user")),
				overrides("a.key=user: x", "a.rules=users", "a.blocked=true"));
		start((runner) -> runner.withUserConfiguration(AnnotationStartTests.Early.class),
				"tierlimit.rules.known.rate=1/s");
		new ApplicationContextRunner().withConfiguration(ALL)
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.charge-on=401")
			.run((context) -> assertThat(context).hasNotFailed());
		new ApplicationContextRunner().withUserConfiguration(EnabledTests.FrozenEnabled.class)
			.withPropertyValues("tierlimit.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
		compare(TroubleshootingPage.WARNINGS,
				WARNING.matcher(output.getAll()).results().map((line) -> line.group(1)).toList());
	}

	@Test
	void pageHasTheLogLinesOfRunTime() {
		List<String> entries = TroubleshootingPage.messages(TroubleshootingPage.LOG_LINES);
		List<String> texts = RunTimeMessages.texts().toList();
		assertThat(entries)
			.allSatisfy((entry) -> assertThat(texts).anyMatch((text) -> TroubleshootingPage.matches(entry, text)));
		entries.addAll(TroubleshootingPage.messages(TroubleshootingPage.WARNINGS));
		assertThat(RunTimeMessages.logged()).hasSizeGreaterThan(25)
			.allSatisfy(
					(logged) -> assertThat(entries).anyMatch((entry) -> TroubleshootingPage.matches(entry, logged)));
	}

	/** Each message is on the page, and each entry of the page is a message. */
	private static void compare(String section, List<String> messages) {
		TroubleshootingPage.assertDocumented(section, messages);
		assertThat(TroubleshootingPage.messages(section)
			.stream()
			.filter((entry) -> messages.stream().noneMatch((message) -> TroubleshootingPage.matches(entry, message))))
			.as("not produced")
			.isEmpty();
	}

	private static String[] rules(String... properties) {
		String[] rules = new String[properties.length];
		for (int i = 0; i < rules.length; i++) {
			rules[i] = "tierlimit.rules" + (properties[i].startsWith("[") ? "" : ".") + properties[i];
		}
		return rules;
	}

	private static String[] overrides(String... properties) {
		Stream<String> rules = Stream.of("tierlimit.rules.all.rate=1/s", "tierlimit.rules.per-ip.rate=1/s",
				"tierlimit.rules.per-ip.scope=ip");
		return Stream
			.concat(rules,
					Stream.of(properties)
						.map((property) -> "tierlimit.overrides" + (property.startsWith("[") ? "" : ".") + property))
			.toArray(String[]::new);
	}

	private void stop(String... properties) {
		stop((runner) -> runner, properties);
	}

	private void stop(UnaryOperator<WebApplicationContextRunner> setup, String... properties) {
		setup.apply(this.web.withPropertyValues(properties)).run((context) -> record(context.getStartupFailure()));
	}

	private void record(ReactiveWebApplicationContextRunner runner) {
		runner.run((context) -> record(context.getStartupFailure()));
	}

	private void record(@Nullable Throwable failure) {
		assertThat(NestedExceptionUtils.getMostSpecificCause(Objects.requireNonNull(failure)))
			.isInstanceOfSatisfying(InvalidRulesException.class, (ex) -> this.problems.addAll(ex.problems()));
	}

	private void start(String... properties) {
		start((runner) -> runner, properties);
	}

	private void start(UnaryOperator<WebApplicationContextRunner> setup, String... properties) {
		setup.apply(this.web.withPropertyValues(properties)).run((context) -> assertThat(context).hasNotFailed());
	}

	/** Represents Spring Security's filter. */
	private static final class FilterOrdersBean {

		private static final String NAME = "springSecurityFilterChain";

		private static Filter filter() {
			return (request, response, chain) -> chain.doFilter(request, response);
		}

	}

	/** A source with two overrides of a user. */
	private static final class OverlappingRows implements RuleSource {

		@Override
		public Map<String, Map<String, String>> read() {
			return Map.of();
		}

		@Override
		public Map<String, Map<String, String>> readOverrides() {
			return Map.of("a", Map.of("user", "ada", "blocked", "true"), "b",
					Map.of("user", "ada", "unlimited", "true"));
		}

	}

	static class WithoutText {

		@RateLimited(rate = "1/s", key = "#z")
		void call(WithoutText z) {
		}

	}

}
