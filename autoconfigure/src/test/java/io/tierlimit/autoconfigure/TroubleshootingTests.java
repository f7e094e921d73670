package io.tierlimit.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.tierlimit.LimitDefinition;
import io.tierlimit.RateLimited;
import io.tierlimit.RuleDefinition;
import io.tierlimit.rule.InvalidRulesException;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.spi.RuleSource;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.SequentialBucketStore;
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
 * Compares docs/troubleshooting.md with the messages: the code produces every message of
 * the page, and the page has every message that is produced here. Messages at run time
 * are compared with the sources.
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
	void pageHasTheProblemsOfStartup() {
		stop(rules("a.scope=ip", "b.rate=10", "c.rate=0/s", "d.rate=99999999999999999999/s", "e.rate=1/0s",
				"f.rate=1/s", "f.burst=1000000000000", "g.rate=1/365d", "g.algorithm=fixed-window", "g.burst=11",
				"h.rate=1001/s", "h.algorithm=sliding-log", "i.rate=1/s", "i.burst=0", "j.rate=1/m", "j.burst=30s",
				"k.rate=1/s", "k.burst=x", "l.rate=2/s", "l.algorithm=fixed-window", "l.burst=1", "m.rate=1/s",
				"m.algorithm=fixed-window", "m.window.start=1m", "n.rate=1/s", "n.window.start=1s", "o.rate=1/s",
				"o.algorithm=sliding-log", "o.max-wait=1s", "o.max-reserved=1", "al.rate=1/s",
				"al.algorithm=leaky-bucket", "al.burst=2", "p.rate=1/s", "p.max-wait=-1s", "p.max-reserved=-1",
				"q.rate=1/s", "q.max-wait=1500ns", "r.rate=1/s", "r.cost=2", "s.rate=1/s", "s.cost=-1", "t.rate=1/s",
				"t.scope=x", "u.rate=1/s", "u.scope=global,ip", "v.rate=1/s", "v.scope=ip,ip", "w.rate=1/s",
				"w.paths=/{a", "x.rate=1/s", "x.methods=A B", "y.rate=1/s", "y.charge-on=x,always", "y.reset-on=x",
				"z.rate=1/s", "z.charge-on=404", "z.reset-on=4xx", "aa.rate=1/s", "aa.reset-on=authentication-failure",
				"ac.rate=1/s", "ac.plans.a.rate=1/s", "ac.plans.a.unlimited=true", "ad.rate=1/s", "ad.mode=x",
				"ad.enabled=x", "ad.max-reserved=x", "ad.window.start=x", "ae.rate=1/s", "ae.plans=x", "af.rate[0]=1/s",
				"ag.rats=1", "ah.charge.x=1", "ai.rate=1/s", "aI.rate=1/s", "[a b].rate=1/s", "aj=10/s", "ak.rate=1/s",
				"ak.scope="));
		stop(rules("a.rate=1/s", "a.condition=)", "b.rate=1/s", "b.condition=usr", "c.rate=1/s", "c.key=header()",
				"d.rate=1/s", "d.condition=user", "e.rate=1/s", "e.cost=method == 'PUT'", "f.rate=1/s",
				"f.cost=header('X') * 2", "g.rate=1/s", "g.key=user.nam", "h.rate=1/s", "h.key=T(String)", "i.rate=1/s",
				"i.cost=2 ^ user.length()", "j.rate=1/s", "j.key=user.contains(header('X'))", "k.rate=1/s",
				"k.condition=user matches path", "l.rate=1/s", "l.condition=ip < 2", "m.rate=1/s", "m.condition='x'",
				"o.rate=1/s", "o.condition=1 / 0 == 1", "n.rate=1/s",
				"n.paths=^/x$,/x?y=1,http://a/b,GET /x,/:x,/v[12],/{x:int},/#a,/a;b,/%20"));
		stop(rules("a.rate=1/s", "a.scope=ip", "a.ban.after=0", "a.ban.within=0s", "a.ban.for=0s", "a.ban.max=0s",
				"b.rate=1/s", "b.scope=ip", "b.ban.after=1", "b.ban.within=1m", "b.ban.for=1h", "b.ban.max=1m",
				"c.rate=1/s", "c.scope=ip", "c.ban.max=1m", "d.rate=1/s", "d.cost=0", "d.ban.after=1",
				"d.ban.within=1m", "d.ban.for=1m"));
		stop(rules("a.rate=1/s", "a.shards=2", "b.rate=2/s", "b.shards=2", "b.max-wait=1s", "c.rate=2/s",
				"c.algorithm=leaky-bucket", "c.shards=2", "d.rate=2/s", "d.scope=ip", "d.shards=2"));
		stop(rules("a.algorithm=concurrency", "a.limit=0", "a.max-duration=1ms", "a.retry-after-hint=-1s",
				"b.algorithm=concurrency", "b.rate=1/s", "c.algorithm=concurrency", "d.rate=1/s",
				"d.plans.pro.rate=1/s", "d.candidate.algorithm=concurrency", "d.candidate.limit=1",
				"e.algorithm=concurrency", "e.limit=2", "e.cost=3"));
		stop(rules("a.rate=1/s", "a.max-debt=1", "b.rate=1/s", "b.actual-cost=1", "c.rate=1/s", "c.actual-cost=x",
				"d.rate=1/s", "d.actual-cost=metered", "d.max-debt=-1"));
		stop((runner) -> runner.withBean(BucketStore.class, () -> new SequentialBucketStore(() -> 0)),
				rules("a.algorithm=concurrency", "a.limit=1"));
		stop(rules("a.rate=1/s", "a.enforce-share=101%", "b.rate=1/s", "b.enforce-share=1%", "c.rate=1/s",
				"c.schedule.ranges=x,../..", "c.schedule.weekly=x", "c.schedule.zone=x", "d.rate=1/s",
				"d.schedule.weekly=08:00-18:00", "e.rate=1/s", "e.schedule.zone=UTC", "f.rate=1/s", "f.max-wait=1s",
				"f.candidate.rate=1/s", "f.candidate.algorithm=sliding-log", "g.rate=1/s",
				"g.candidate.plans.pro.rate=1/s", "h.rate=1/s", "h.plans.pro.unlimited=true",
				"h.candidate.plans.pro.rate=1/s", "i.rate=1/s", "i.candidate.rate=1/s", "[i.candidate].rate=1/s"));
		stop((runner) -> runner.withPropertyValues("tierlimit.plan.default=free"),
				rules("a.plans.free.rate=1/s", "a.burst=2", "b.plans.free.rate=1/s", "b.candidate.rate=1/s",
						"b.candidate.plans.free.unlimited=true", "c.plans.free.rate=1/s",
						"c.candidate.algorithm=sliding-log"));
		stop(overrides("a.user=x", "b.user=x", "b.unlimited=true", "b.until=x", "c.user=x", "c.rate=1/s", "d.key=x",
				"d.unlimited=true", "e.user=x", "e.rules=all", "e.rate=1/s", "f.key=x", "f.rules=per-ip",
				"f.unlimited=true", "g.address=x", "g.unlimited=true", "h.address=::1", "h.unlimited=true",
				"i.address=::1/64", "i.unlimited=true", "j.key=ip:(none)", "j.rules=per-ip", "j.unlimited=true",
				"k.key=ip:::1", "k.rules=per-ip", "k.unlimited=true", "l.user=y", "l.unlimited=true", "m.user=y",
				"m.blocked=true", "n.user=z", "n.rules=x", "n.unlimited=true", "[o o].user=z", "[o o].unlimited=true",
				"p.address=10.0.0.0/33", "p.unlimited=true", "q.address=::ffff:0.0.0.0/95", "q.unlimited=true",
				"r.unlimited=true", "s.key=ip:", "s.rules=per-ip", "s.unlimited=true"));
		stop("tierlimit.overrides[0].user=x");
		stop("tierlimit.login-protection.account=header('X-Account')");
		stop(rules("a.rate=1/s", "a.burst.x=1"));
		stop((runner) -> runner.withBean("key", KeyResolver.class, () -> (caller) -> ""), "tierlimit.rules.a.rate=1/s",
				"tierlimit.rules.a.scope=key");
		stop(rules("a.rate=2/s", "a.adaptive.min-rate=1/s", "a.adaptive.target-latency=0s",
				"a.adaptive.max-error-rate=100%", "a.adaptive.recovery=0s", "a.adaptive.signal=x", "b.rate=1/s",
				"b.adaptive.min-rate=1/s", "c.rate=1/s", "c.adaptive.max-error-rate=x", "d.rate=2/s",
				"d.adaptive.min-rate=1/s", "d.adaptive.max-error-rate=1%", "d.adaptive.resource=x", "e.rate=2/s",
				"e.adaptive.min-rate=1/s", "e.adaptive.max-error-rate=1%", "e.adaptive.resource=x",
				"e.adaptive.recovery=1h"));
		stop("tierlimit.rules[0].id=x", "tierlimit.web[0]=x");
		stop("tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.plans[0].rate=1/s", "tierlimit.redis.local-share=x",
				"tierlimit.client-ip.trusted-proxies[1]=x");
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
			.withBean(DataSource.class, () -> new DriverManagerDataSource("jdbc:h2:mem:")),
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
		stop((runner) -> runner.withUserConfiguration(mistakes(), Mistakes.class, FinalClass.class)
			.withBean("user", KeyResolver.class, () -> (caller) -> "")
			.withBean(RuleDefinition.class,
					() -> RuleDefinition.of("y")
						.rate(1, Duration.ofSeconds(1))
						.burst(Duration.ofSeconds(-1))
						.limit(LimitDefinition::unlimited)
						.plan(" ", (plan) -> plan)));
		stop((runner) -> runner.withUserConfiguration(AnnotationMistakeTests.spread()),
				rules("spread.rate=20/s", "spread.shards=2", "spread.applies-to=code"));
		stop((runner) -> runner.withBean("flags", RuleSource.class,
				() -> () -> Map.of("r", Map.of("rate", "${rate}"))));
		stop((runner) -> runner.withBean("flags", RuleSource.class,
				() -> () -> Map.of(RuleSource.ALL, Map.of("rate", "1/s"))));
		stop((runner) -> runner.withBean("table", RuleSource.class, () -> () -> {
			throw new IllegalStateException("on purpose");
		}));
		stop((runner) -> runner.withUserConfiguration(Doubled.class), "tierlimit.rules.known.rate=1/s");
		record(new ReactiveWebApplicationContextRunner().withConfiguration(ALL)
			.withPropertyValues("tierlimit.rules.a.rate=1/s"));
		new ApplicationContextRunner().withUserConfiguration(EnabledTests.FrozenDisabled.class)
			.run((context) -> record(context.getStartupFailure()));
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(TierlimitAutoConfiguration.class,
					TierlimitMethodAutoConfiguration.class, DataRedisAutoConfiguration.class))
			.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.store=redis")
			.run((context) -> record(context.getStartupFailure()));
		compare(TroubleshootingPage.PROBLEMS, this.problems);
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

	private static Class<?> mistakes() {
		return AnnotatedBean.named("Reported", "unknown: value=x", "neither: scope=ip", "both: value=x; rate=1/s",
				"time: rate=1/s; maxWait=soon", "first: rate=1/s; name=twice; burst=-1s",
				"second: rate=1/s; name=twice", "argument(y): rate=1/s; key=#x", "placeholder: value=${no.such}");
	}

	static class Mistakes {

		@RateLimited(rate = "1/s", name = "without-text", key = "#z")
		void withoutText(Mistakes z) {
		}

		@RateLimited(rate = "1/s")
		private void hidden() {
		}

		@RateLimited(rate = "1/s")
		static void shared() {
		}

		@RateLimited(rate = "1/s")
		final void fixed() {
			hidden();
		}

	}

	static class Doubled {

		@RateLimited("known")
		@RateLimited(value = "known", cost = "1")
		void call() {
		}

	}

	static final class FinalClass {

		@RateLimited(rate = "1/s")
		void call() {
		}

	}

}
