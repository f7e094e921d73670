package io.tierlimit.autoconfigure.rules;

import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.tierlimit.AnonymousPolicy;
import io.tierlimit.AppliesTo;
import io.tierlimit.HeaderVisibility;
import io.tierlimit.RuleMode;
import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.SlidingWindow;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.adaptive.AdaptivePolicy;
import io.tierlimit.option.ban.Banning;
import io.tierlimit.option.outcome.AuthenticationResult;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.outcome.StatusRange;
import io.tierlimit.option.schedule.ActiveTimes;
import io.tierlimit.option.schedule.TimeRange;
import io.tierlimit.option.schedule.WeeklyRange;
import io.tierlimit.option.share.EnforcedShare;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.rule.InvalidRulesException;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.spi.OverloadSignal;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;

import static io.tierlimit.autoconfigure.ReportedProblems.assertReported;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RuleReaderTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class));

	private final List<String> properties = new ArrayList<>();

	@Test
	void everyPropertyOfARuleIsRead() {
		Rule rule = read("applies-to=methods", "scope=endpoint, user", "paths=/a/**,/b", "exclude-paths=/a/x",
				"methods=get,POST", "condition=user != null", "rate=10/s", "burst=50", "plans.pro.rate=100/s",
				"plans.pro.burst=500", "plans.max.unlimited=true", "key=ip", "cost=2", "headers=hidden",
				"anonymous=deny", "mode=shadow");
		assertThat(rule.selection().appliesTo()).isEqualTo(AppliesTo.METHODS);
		assertThat(rule.selection().paths()).containsExactly("/a/**", "/b");
		assertThat(rule.selection().excludePaths()).containsExactly("/a/x");
		assertThat(rule.selection().methods()).containsExactlyInAnyOrder("GET", "POST");
		assertThat(rule.options().expressions()).containsExactly("user != null");
		assertThat(rule.scope().names()).containsExactly("endpoint", "user");
		assertThat(rule.scope().key()).isEqualTo("ip");
		assertThat(rule.scope().anonymous()).isEqualTo(AnonymousPolicy.DENY);
		assertThat(rule.limits().standard()).isEqualTo(new TokenBucket(Rate.parse("10/s"), 50));
		assertThat(rule.limits().plans()).containsEntry("max", PlanLimit.UNLIMITED)
			.containsEntry("pro", new PlanLimit(new TokenBucket(Rate.parse("100/s"), 500)));
		assertThat(rule.cost()).isEqualTo("2");
		assertThat(rule.options().visibility()).isEqualTo(HeaderVisibility.HIDDEN);
		assertThat(rule.options().mode()).isEqualTo(RuleMode.SHADOW);
	}

	@Test
	void ruleRequiresOnlyARate() {
		Rule rule = read("rate=10/s");
		assertThat(rule.selection().appliesTo()).isEqualTo(AppliesTo.REQUESTS);
		assertThat(rule.selection().paths()).isEmpty();
		assertThat(rule.scope().names()).isEmpty();
		assertThat(rule.scope().anonymous()).isEqualTo(AnonymousPolicy.IP);
		assertThat(rule.limits().standard()).isEqualTo(new TokenBucket(Rate.parse("10/s"), 10));
		assertThat(rule.cost()).isEqualTo("1");
		assertThat(rule.options().visibility()).isEqualTo(HeaderVisibility.SHOWN);
		assertThat(rule.options().mode()).isEqualTo(RuleMode.ENFORCE);
	}

	@Test
	void fixedWindowIsRead() {
		Rule rule = read("algorithm=fixed-window", "rate=10/d", "capacity=20", "start=7h", "plans.pro.rate=100/d");
		assertThat(rule.limits().standard()).isEqualTo(new FixedWindow(Rate.parse("10/d"), 20, Duration.ofHours(7)));
		assertThat(rule.limits().plans()).containsEntry("pro",
				new PlanLimit(new FixedWindow(Rate.parse("100/d"), 100, Duration.ofHours(7))));
	}

	@Test
	void fixedWindowRequiresOnlyARate() {
		assertThat(read("algorithm=fixed-window", "rate=10/d").limits().standard())
			.isEqualTo(new FixedWindow(Rate.parse("10/d"), 10, null));
	}

	@Test
	void limitsWithOnlyARateAreRead() {
		Rate rate = Rate.parse("10/m");
		assertThat(read("algorithm=sliding-window", "rate=10/m").limits().standard())
			.isEqualTo(new SlidingWindow(rate));
		assertThat(read("algorithm=sliding-log", "rate=10/m").limits().standard()).isEqualTo(new SlidingLog(rate));
		assertThat(read("algorithm=leaky-bucket", "rate=10/m").limits().standard()).isEqualTo(new LeakyBucket(rate));
	}

	@Test
	void reservationsAreRead() {
		assertThat(read("rate=10/s").options().find(ReservationOptions.class)).isNull();
		assertThat(read("rate=10/s", "max-reserved=50", "max-wait=500ms").options().find(ReservationOptions.class))
			.isEqualTo(new ReservationOptions(50, Duration.ofMillis(500)));
	}

	@Test
	void costAboveTheCapacityPassesIfItCanWait() {
		assertThat(read("algorithm=leaky-bucket", "rate=9/s", "max-wait=1s", "cost=10").cost()).isEqualTo("10");
	}

	@Test
	void chargingIsRead() {
		assertThat(read("rate=5/h", "charge=401, 403,5XX", "reset-on=authentication-success,200").options()
			.find(ChargePolicy.class))
			.isEqualTo(new ChargePolicy(
					List.of(new StatusRange(401, 401), new StatusRange(403, 403), new StatusRange(500, 599)),
					List.of(AuthenticationResult.SUCCESS, new StatusRange(200, 200))));
		assertThat(read("rate=5/h", "charge=always").options().values()).isEmpty();
		assertThat(read("rate=5/h").options()).isEqualTo(RuleOptions.STANDARD);
	}

	@Test
	void mistakesOfChargingAreReportedTogether() {
		assertReported(problems("a.rate=1/m", "a.charge=600,sometimes,401", "a.reset-on=always", "b.rate=1/m",
				"b.charge=always,401", "c.rate=1/m", "c.charge=4xx", "c.reset-on=404", "d.rate=1/m",
				"d.reset-on=authentication-failure", "e.rate=1/m", "e.charge=authentication-success",
				"e.reset-on=authentication-success", "f.rate=1/m", "f.charge=099", "g.rate=1/m", "g.charge=401,,403"),
				"Rule 'a': charge must be a response status|(was '600'). Correct tierlimit.rules.a.charge (test).",
				"Rule 'a': charge must be a response status from 100 to 599, a status class such as 4xx, authentication-failure, authentication-success or always (was 'sometimes'). Correct tierlimit.rules.a.charge (test).",
				"Rule 'a': reset-on must be a response status from 100 to 599, a status class such as 4xx, or authentication-success (was 'always')|tierlimit.rules.a.reset-on (test)",
				"Rule 'b': charge 'always' cannot be combined with other values. Remove either it or the other values: tierlimit.rules.b.charge (test).",
				"Rule 'c': charge and reset-on must not overlap: charge 4xx, reset-on 404|tierlimit.rules.c.reset-on (test)",
				"Rule 'd': reset-on must not be authentication-failure, because |Correct tierlimit.rules.d.reset-on (test).",
				"Rule 'e': charge and reset-on must not overlap: charge authentication-success, reset-on authentication-success. Correct tierlimit.rules.e.reset-on (test).",
				"Rule 'f': charge must be a response status|(was '099'). Correct tierlimit.rules.f.charge (test).",
				"Rule 'g': charge must be a response status|(was ''). Correct tierlimit.rules.g.charge (test).");
	}

	@Test
	void startThatIsTooLateForAPlanNamesThePlan() {
		assertReported(problems("a.algorithm=fixed-window", "a.rate=10/m", "a.start=30s", "a.plans.gold.rate=10/s"),
				"Rule 'a': start must be shorter than the period of plans.gold.rate, 10/s (was '30s')|Correct tierlimit.rules.a.start (test).");
	}

	@ParameterizedTest
	@CsvSource({ "10/s, 5m, 3000", "7/m, 90s, 10", "100/h, 1h, 100", "10/s, 250ms, 2", "1/s, 1d, 86400",
			"10/s, PT5M, 3000", "10/s, 5 m, 3000" })
	void burstMayBeATimeThatEarnsIt(String rate, String burst, long permits) {
		assertThat(read("rate=" + rate, "burst=" + burst).limits().standard())
			.isEqualTo(new TokenBucket(Rate.parse(rate), permits));
	}

	@ParameterizedTest
	@ValueSource(strings = { "5min", "1.5", "-5ms", "0s", "PT0S", "PT-5M", "P5", "4000d", "3651d",
			"99999999999999999999d", "99999999999999999999" })
	void invalidBurstIsReported(String burst) {
		assertReported(problems("a.rate=1/m", "a.burst=" + burst),
				"Rule 'a': burst must be 1 to 1000000000000 permits, or a time above 0 and up to 3650 days|(was '"
						+ burst + "')|Correct tierlimit.rules.a.burst (test).");
	}

	@Test
	void mistakesOfAlgorithmsAreReportedTogether() {
		assertReported(problems("a.rate=1/m", "a.burst=30s", "b.rate=1/m", "b.capacity=5", "c.rate=1/m", "c.start=10s",
				"d.rate=10/m", "d.algorithm=fixed-window", "d.capacity=9", "e.rate=10/m", "e.algorithm=fixed-window",
				"e.start=1m", "f.rate=10/m", "f.algorithm=fixed-window", "f.burst=20", "g.rate=10/m",
				"g.algorithm=fixed-window", "g.capacity=many", "h.rate=10/m", "h.algorithm=bucket", "i.rate=10/m",
				"i.algorithm=fixed-window", "i.plans.pro.rate=20/m", "i.plans.pro.capacity=10", "j.rate=5/m",
				"j.algorithm=fixed-window", "j.cost=6", "k.rate=1001/s", "k.algorithm=sliding-log", "l.rate=1/2000d",
				"l.algorithm=sliding-window", "m.rate=1/s", "m.algorithm=leaky-bucket", "m.burst=2", "n.rate=1/s",
				"n.algorithm=sliding-log", "n.capacity=2", "p.rate=9/s", "p.algorithm=sliding-log", "p.max-reserved=5",
				"p.max-wait=1s", "q.rate=9/s", "q.max-reserved=-1", "q.max-wait=-1s", "t.rate=9/s", "t.max-wait=1500ns",
				"r.rate=9/s", "r.max-wait=3651d", "s.rate=9/s", "s.algorithm=leaky-bucket", "s.max-wait=1s",
				"s.cost=11", "o.rate=9/s", "o.algorithm=leaky-bucket", "o.cost=2"),
				"Rule 'a': burst must earn at least 1 permit at 1/m (was '30s')|tierlimit.rules.a.burst (test)",
				"Rule 'b': capacity is not supported by token-bucket. Set burst instead of tierlimit.rules.b.capacity (test).",
				"Rule 'c': start is not supported by token-bucket. Set algorithm to fixed-window, or remove tierlimit.rules.c.start (test).",
				"Rule 'd': capacity must be from 10|(was '9')|tierlimit.rules.d.capacity (test)",
				"Rule 'e': start must be shorter than the period of rate, 10/m (was '1m')|tierlimit.rules.e.start (test)",
				"Rule 'f': burst is not supported by fixed-window. Set capacity instead of tierlimit.rules.f.burst (test).",
				"Rule 'g': capacity must be a whole number of permits (was 'many')|tierlimit.rules.g.capacity (test)",
				"Rule 'h': algorithm must be one of token-bucket, fixed-window, sliding-window, sliding-log, leaky-bucket (was 'bucket')|tierlimit.rules.h.algorithm (test)",
				"Rule 'j': cost 6 is above the capacity of 5|Lower tierlimit.rules.j.cost (test), or raise the capacity.",
				"Rule 'k': rate must have at most 1000 permits|(was '1001/s')|tierlimit.rules.k.rate (test)",
				"Rule 'l': rate must have a period of at most 1825 days|(was '1/2000d')|tierlimit.rules.l.rate (test)",
				"Rule 'm': burst is not supported by leaky-bucket. Remove tierlimit.rules.m.burst (test).",
				"Rule 'n': capacity is not supported by sliding-log. Remove tierlimit.rules.n.capacity (test).",
				"Rule 'o': cost 2 is above the capacity of 1|Lower tierlimit.rules.o.cost (test), or set another algorithm.",
				"Rule 'p': max-reserved is not supported by sliding-log. Set algorithm to token-bucket, leaky-bucket or fixed-window, or remove tierlimit.rules.p.max-reserved (test)",
				"Rule 'p': max-wait is not supported by sliding-log. Set algorithm to token-bucket, leaky-bucket or fixed-window, or remove tierlimit.rules.p.max-wait (test)",
				"Rule 'q': max-reserved must be from 0 to 1000000000000 permits (was '-1')|tierlimit.rules.q.max-reserved (test)",
				"Rule 'q': max-wait must be from 0s to 3650d (was '-1s')|tierlimit.rules.q.max-wait (test)",
				"Rule 'r': max-wait must be from 0s to 3650d (was '3651d')|tierlimit.rules.r.max-wait (test)",
				"Rule 't': max-wait must be a whole number of microseconds (was '1500ns')|tierlimit.rules.t.max-wait (test)",
				"Rule 's': cost 11 is above the capacity of 1|tierlimit.rules.s.cost (test)",
				"Rule 'i', plan 'pro': capacity must be from 20|(was '10')|tierlimit.rules.i.plans.pro.capacity (test)");
	}

	@Test
	void banIsRead() {
		assertThat(read("rate=1/s", "scope=ip", "ban.after=20", "ban.within=1m", "ban.for=10m", "ban.max=1d").options()
			.find(Banning.class)).isEqualTo(
					new Banning(BanPolicy.of(20, Duration.ofMinutes(1), Duration.ofMinutes(10), Duration.ofDays(1))));
		this.properties.clear();
		assertThat(read("rate=1/s", "key=header('X')", "ban.after=1", "ban.within=5s", "ban.for=2s").options()
			.find(Banning.class)).as("max is the same as for")
			.isEqualTo(
					new Banning(BanPolicy.of(1, Duration.ofSeconds(5), Duration.ofSeconds(2), Duration.ofSeconds(2))));
		this.properties.clear();
		assertThat(read("rate=1/s", "ban.after=", "ban.max=").options().find(Banning.class)).isNull();
	}

	@Test
	void mistakesOfBansAreReportedTogether() {
		List<String> properties = new ArrayList<>();
		for (String id : List.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")) {
			properties.addAll(List.of(id + ".rate=1/s", id + ".scope=ip"));
		}
		properties.addAll(List.of("a.ban.after=0", "a.ban.within=0s", "a.ban.for=-1s", "a.ban.max=3651d",
				"b.ban.after=1", "b.ban.within=1m", "b.ban.for=2m", "b.ban.max=1m", "c.ban.max=1m", "d.ban.after=many",
				"d.ban.within=soon", "d.ban.for=1m", "e.ban=20", "f.ban.untl=1d", "f.ban.after=1", "f.ban.within=1m",
				"f.ban.for=1m"));
		for (String id : List.of("g", "h", "i", "j", "k")) {
			properties.addAll(List.of(id + ".ban.after=1", id + ".ban.within=1m", id + ".ban.for=1m"));
		}
		properties.addAll(List.of("g.cost=0", "k.rate=1/s"));
		properties.replaceAll((property) -> property.equals("h.scope=ip") ? "h.scope=global"
				: property.equals("i.scope=ip") ? "i.scope=endpoint,plan" : property);
		properties.removeIf("j.scope=ip"::equals);
		properties.add("j.key='constant'");
		String shared = ": callers share a bucket, so the ban of one would block the others. Set scope to user or ip, or remove tierlimit.rules.";
		assertReported(problems(properties.toArray(String[]::new)),
				"Rule 'a': ban.after must be from 1 to 1000000000000 rejections (was '0'). Correct tierlimit.rules.a.ban.after (test).",
				"Rule 'a': ban.within must be above 0s and up to 3650d (was '0s'). Correct tierlimit.rules.a.ban.within (test).",
				"Rule 'a': ban.for must be above 0s and up to 3650d (was '-1s'). Correct tierlimit.rules.a.ban.for (test).",
				"Rule 'a': ban.max must be above 0s and up to 3650d (was '3651d'). Correct tierlimit.rules.a.ban.max (test).",
				"Rule 'b': ban.max must not be shorter than ban.for, PT2M (was '1m'). Correct tierlimit.rules.b.ban.max (test).",
				"Rule 'c': ban.after is not set. Set tierlimit.rules.c.ban.after to a number of rejections, such as 20.",
				"Rule 'c': ban.within is not set. Set tierlimit.rules.c.ban.within to a time, such as 1m.",
				"Rule 'c': ban.for is not set. Set tierlimit.rules.c.ban.for to a time, such as 10m.",
				"ban.after must be a|(was 'many')|tierlimit.rules.d.ban.after (test)",
				"ban.within must be a time|(was 'soon')|tierlimit.rules.d.ban.within (test)",
				"tierlimit.rules.e.ban must be a set of properties (after, within, for, max), not a single value. Set one or more of them instead of tierlimit.rules.e.ban (test).",
				"Rule 'f': 'untl' is not a known property. Known properties are after, within, for, max. Correct or remove tierlimit.rules.f.ban.untl (test).",
				"Rule 'g': a request that costs 0 is never rejected, so no caller would be banned. Raise cost, or remove tierlimit.rules.g.ban",
				"Rule 'h'" + shared + "h.ban", "Rule 'i'" + shared + "i.ban", "Rule 'j'" + shared + "j.ban",
				"Rule 'k'" + shared + "k.ban");
	}

	@Test
	void adaptiveRateIsRead() {
		assertThat(read("rate=100/s", "adaptive.min-rate=10/s", "adaptive.target-latency=200ms",
				"adaptive.max-error-rate=5%", "adaptive.recovery=30s", "adaptive.resource=shop", "adaptive.priority=-1")
			.options()
			.find(AdaptivePolicy.class))
			.isEqualTo(new AdaptivePolicy(Rate.parse("10/s"), Duration.ofMillis(200), 0.05, null,
					Duration.ofSeconds(30), "shop", -1));
		this.properties.clear();
		assertThat(read("rate=100/s", "adaptive.min-rate=10/m", "adaptive.max-error-rate=0.5 %").options()
			.find(AdaptivePolicy.class)).as("the rule has a resource of its own")
			.isEqualTo(new AdaptivePolicy(Rate.parse("10/m"), null, 0.005, null, Duration.ofMinutes(1), "r", 0));
		this.properties.clear();
		assertThat(read("rate=1/s", "adaptive.min-rate=", "adaptive.signal=").options().find(AdaptivePolicy.class))
			.isNull();
	}

	@Test
	void mistakesOfAdaptiveRatesAreReportedTogether() {
		List<String> properties = new ArrayList<>();
		for (String id : List.of("a", "b", "c", "d", "e", "f", "g", "h")) {
			properties.add(id + ".rate=100/s");
		}
		for (String id : List.of("a", "c", "d", "e", "g", "h")) {
			properties.add(id + ".adaptive.min-rate=10/s");
		}
		properties
			.addAll(List.of("a.adaptive.target-latency=0ms", "a.adaptive.max-error-rate=100%", "a.adaptive.recovery=2d",
					"a.adaptive.priority=high", "b.adaptive.target-latency=61s", "c.adaptive.max-error-rate=0.05",
					"d.adaptive.signal=pool", "e.adaptive.recovery=1m", "f.adaptive.min-rate=100/s",
					"f.adaptive.max-error-rate=1%", "g.adaptive.max-error-rate=1%", "g.adaptive.resource=shop",
					"h.adaptive.max-error-rate=1%", "h.adaptive.resource=shop", "h.adaptive.recovery=2m", "i.rate=1/s",
					"i.adaptive.min-rate=x", "i.adaptive.max-error-rate=1%", "j.rate=1/s", "j.adaptive=10/s"));
		assertReported(problems(properties.toArray(String[]::new)),
				"Rule 'a', adaptive: target-latency must be from 1ms to 60s (was '0ms'). Correct tierlimit.rules.a.adaptive.target-latency (test).",
				"Rule 'a', adaptive: max-error-rate must be from 0% to below 100% (was '100%'). Correct tierlimit.rules.a.adaptive.max-error-rate (test).",
				"Rule 'a', adaptive: recovery must be from 10s to 1d (was '2d'). Correct tierlimit.rules.a.adaptive.recovery (test).",
				"adaptive.priority must be|(was 'high')|tierlimit.rules.a.adaptive.priority (test)",
				"Rule 'b', adaptive: min-rate is not set. Set tierlimit.rules.b.adaptive.min-rate to the lowest rate, such as 10/s.",
				"Rule 'b', adaptive: target-latency must be from 1ms to 60s (was '61s')|tierlimit.rules.b.adaptive.target-latency (test)",
				"Rule 'c', adaptive: max-error-rate must be a percentage such as 5% or 0.5% (was '0.05'). Correct tierlimit.rules.c.adaptive.max-error-rate (test).",
				"Rule 'd', adaptive: signal 'pool' does not exist. The OverloadSignal beans are []. Correct tierlimit.rules.d.adaptive.signal (test), or define an OverloadSignal bean named 'pool'.",
				"Rule 'e', adaptive: nothing is measured, so the rate would never be reduced. Set target-latency, max-error-rate or signal in tierlimit.rules.e.adaptive",
				"Rule 'f', adaptive: min-rate must be lower than the rate of the rule, 100/s (was '100/s'). Correct tierlimit.rules.f.adaptive.min-rate (test).",
				"Rule 'i', adaptive: min-rate must be permits per period|(was 'x'). Correct tierlimit.rules.i.adaptive.min-rate (test).",
				"tierlimit.rules.j.adaptive must be a set of properties (min-rate, target-latency, max-error-rate, signal, recovery, resource, priority), not a single value. Set one or more of them instead of tierlimit.rules.j.adaptive (test).",
				"The rules 'g' and 'h' protect the resource 'shop', but adaptive.recovery is 60s and 120s. Set the same time in both rules.");
	}

	@Test
	void adaptiveRatesWithLittleEffectAreWarnedOf() {
		this.runner
			.withPropertyValues("tierlimit.rules.slow.rate=100/s", "tierlimit.rules.slow.adaptive.min-rate=10/s",
					"tierlimit.rules.slow.adaptive.target-latency=10s", "tierlimit.rules.slow.adaptive.recovery=10s",
					"tierlimit.rules.rare.rate=5/m", "tierlimit.rules.rare.adaptive.min-rate=1/m",
					"tierlimit.rules.rare.adaptive.max-error-rate=5%", "tierlimit.rules.trial.rate=100/s",
					"tierlimit.rules.trial.mode=shadow", "tierlimit.rules.trial.adaptive.min-rate=10/s",
					"tierlimit.rules.trial.adaptive.max-error-rate=5%")
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).warnings()).satisfiesExactlyInAnyOrder(
					(warning) -> assertThat(warning)
						.startsWith("Rule 'slow', adaptive: recovery is shorter than 20 times target-latency")
						.contains("Set tierlimit.rules.slow.adaptive.recovery", "to at least 200s"),
					(warning) -> assertThat(warning).startsWith("Rule 'rare', adaptive: a rate of 5/m allows too few")
						.contains("tierlimit.rules.rare.adaptive"),
					(warning) -> assertThat(warning).startsWith("Rule 'trial', adaptive: the rule is in shadow mode")
						.contains("tierlimit.rules.trial.adaptive")));
	}

	@Test
	void adaptiveRatesWithAnEffectAreNotWarnedOf() {
		this.runner
			.withPropertyValues("tierlimit.rules.slow.rate=1/s", "tierlimit.rules.slow.adaptive.min-rate=1/m",
					"tierlimit.rules.slow.adaptive.target-latency=3s", "tierlimit.rules.user.rate=5/m",
					"tierlimit.rules.user.scope=user", "tierlimit.rules.user.adaptive.min-rate=1/m",
					"tierlimit.rules.user.adaptive.max-error-rate=5%", "tierlimit.rules.signal.rate=5/m",
					"tierlimit.rules.signal.adaptive.min-rate=1/m", "tierlimit.rules.signal.adaptive.signal=pool")
			.withBean("pool", OverloadSignal.class, () -> () -> false)
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).warnings()).isEmpty());
	}

	@Test
	void shareOfEnforcedKeysIsRead() {
		assertThat(read("rate=1/s").options().values()).isEmpty();
		this.properties.clear();
		assertThat(read("rate=1/s", "scope=ip", "enforce-percent=0.5").options().find(EnforcedShare.class))
			.isEqualTo(new EnforcedShare(0.5));
		this.properties.clear();
		assertThat(read("rate=1/s", "enforce-percent=0").isShadow()).as("of one bucket").isTrue();
	}

	@Test
	void mistakesOfTheShareOfEnforcedKeysAreReported() {
		String shared = ": callers share a bucket, so the rule cannot be enforced for a share of them. Set scope to user or ip, or set tierlimit.rules.";
		assertReported(
				problems("a.rate=1/s", "a.enforce-percent=100.5", "b.rate=1/s", "b.enforce-percent=-1", "c.rate=1/s",
						"c.enforce-percent=NaN", "d.rate=1/s", "d.enforce-percent=5%", "e.rate=1/s",
						"e.enforce-percent=5", "f.rate=1/s", "f.scope=endpoint,plan", "f.enforce-percent=99.9",
						"g.rate=1/s", "g.key='constant'", "g.enforce-percent=50"),
				"Rule 'a': enforce-percent must be from 0 to 100 (was '100.5'). Correct tierlimit.rules.a.enforce-percent (test).",
				"Rule 'b': enforce-percent must be from 0 to 100 (was '-1'). Correct tierlimit.rules.b.enforce-percent (test).",
				"Rule 'c': enforce-percent must be from 0 to 100 (was 'NaN'). Correct tierlimit.rules.c.enforce-percent (test).",
				"Rule 'd': enforce-percent must be a number|(was '5%')|tierlimit.rules.d.enforce-percent (test)",
				"Rule 'e'" + shared + "e.enforce-percent (test) to 0 or 100.",
				"Rule 'f'" + shared + "f.enforce-percent (test) to 0 or 100.",
				"Rule 'g'" + shared + "g.enforce-percent (test) to 0 or 100.");
	}

	@Test
	void activeTimesAreRead() {
		ZoneId berlin = ZoneId.of("Europe/Berlin");
		assertThat(read("rate=1/s", "active.ranges=2026-11-27T00:00/2026-12-01T00:00, 2026-12-24T00:00Z/..",
				"active.weekly[0]=MON-FRI 08:00-18:00", "active.weekly[1]=SAT 22:00-06:00", "active.zone=Europe/Berlin")
			.options()
			.find(ActiveTimes.class))
			.isEqualTo(new ActiveTimes(
					List.of(TimeRange.parse("2026-11-27T00:00/2026-12-01T00:00", berlin),
							TimeRange.parse("2026-12-24T00:00Z/..", berlin)),
					List.of(WeeklyRange.parse("MON-FRI 08:00-18:00"), WeeklyRange.parse("SAT 22:00-06:00")), berlin));
		this.properties.clear();
		assertThat(read("rate=1/s", "active.ranges=2026-12-24T00:00Z/..").options().find(ActiveTimes.class))
			.as("no local time, so no zone")
			.isNotNull();
		this.properties.clear();
		assertThat(read("rate=1/s", "active.zone=", "active.weekly=").options().find(ActiveTimes.class)).isNull();
	}

	@Test
	void mistakesOfActiveTimesAreReportedTogether() {
		assertReported(
				problems("a.rate=1/s", "a.active.ranges=2026-11-27/2026-11-30", "a.active.weekly=MON-FRY 08:00-18:00",
						"a.active.zone=Europe/Berln", "b.rate=1/s", "b.active.weekly=MON 08:00-18:00", "c.rate=1/s",
						"c.active.ranges=2026-11-27T00:00/..", "d.rate=1/s", "d.active.zone=UTC", "e.rate=1/s",
						"e.active.ranges[0]=2026-11-27T00:00Z/2026-11-27T00:00Z", "e.active.ranges[1]=../..",
						"f.rate=1/s", "f.active=MON 08:00-18:00", "g.rate=1/s", "g.active.week=MON 08:00-18:00"),
				"Rule 'a': active.ranges must be two date-times with a slash, such as 2026-11-27T00:00/2026-12-01T00:00, or '..' instead of one (was '2026-11-27/2026-11-30')|tierlimit.rules.a.active.ranges",
				"Rule 'a': active.weekly must be days and times such as MON-FRI 08:00-18:00, or SAT 22:00-06:00 until the next morning (was 'MON-FRY 08:00-18:00')|tierlimit.rules.a.active.weekly",
				"Rule 'a': active.zone must be a time zone such as Europe/Berlin or UTC (was 'Europe/Berln'). Correct tierlimit.rules.a.active.zone (test).",
				"Rule 'b': active has local times, but no time zone. Set tierlimit.rules.b.active.zone to one such as Europe/Berlin or UTC.",
				"Rule 'c': active has local times, but no time zone. Set tierlimit.rules.c.active.zone to one such as Europe/Berlin or UTC.",
				"Rule 'd': active has neither ranges nor weekly, so the rule would always apply. Set one of them, or remove tierlimit.rules.d.active",
				"Rule 'e': active.ranges must end after they start (was '2026-11-27T00:00Z/2026-11-27T00:00Z'). Correct tierlimit.rules.e.active.ranges[0] (test).",
				"Rule 'e': active.ranges must have a start or an end (was '../..'). Correct tierlimit.rules.e.active.ranges[1] (test).",
				"tierlimit.rules.f.active must be a set of properties (ranges, weekly, zone), not a single value.|(test)",
				"Rule 'g': 'week' is not a known property. Known properties are ranges, weekly, zone. Correct or remove tierlimit.rules.g.active.week (test).");
	}

	@Test
	void candidateIsRead() {
		Rule rule = read("rate=10/s", "burst=50", "plans.pro.rate=20/s", "plans.max.unlimited=true",
				"candidate.rate=5/s", "candidate.burst=1m", "candidate.plans.pro.rate=8/s");
		Rule candidate = rule.derived().get(0);
		assertThat(candidate.id()).isEqualTo("r.candidate");
		assertThat(candidate.isShadow()).isTrue();
		assertThat(candidate.limits()).isEqualTo(new RuleLimits(new TokenBucket(Rate.parse("5/s"), 300),
				Map.of("pro", new PlanLimit(new TokenBucket(Rate.parse("8/s"))), "max", PlanLimit.UNLIMITED)));
		this.properties.clear();
		assertThat(candidateOf("rate=10/s", "burst=50", "candidate.rate=5/s").standard())
			.as("nothing of the rule's limit")
			.isEqualTo(new TokenBucket(Rate.parse("5/s")));
		this.properties.clear();
		assertThat(candidateOf("rate=10/d", "algorithm=fixed-window", "capacity=20", "start=7h", "plans.pro.rate=20/d",
				"candidate.plans.pro.rate=30/d")
			.standard()).as("only a plan differs")
			.isEqualTo(new FixedWindow(Rate.parse("10/d"), 20, Duration.ofHours(7)));
		this.properties.clear();
		assertThat(candidateOf("rate=10/s", "burst=50", "candidate.algorithm=fixed-window", "candidate.rate=1/h",
				"candidate.capacity=5", "candidate.start=1m")
			.standard()).isEqualTo(new FixedWindow(Rate.parse("1/h"), 5, Duration.ofMinutes(1)));
		this.properties.clear();
		assertThat(read("rate=10/s", "candidate.rate=").derived()).isEmpty();
	}

	private RuleLimits candidateOf(String... properties) {
		return read(properties).derived().get(0).limits();
	}

	@Test
	void mistakesOfCandidatesAreReportedTogether() {
		assertReported(problems("a.rate=1/s", "a.candidate.rate=fast", "a.candidate.burst=x", "b.rate=1/s",
				"b.candidate.burst=5", "c.rate=1/s", "c.candidate.rate=1/s", "c.candidate.algorithm=sliding-log",
				"c.candidate.burst=2", "d.rate=1/s", "d.max-wait=1s", "d.candidate.rate=1/s",
				"d.candidate.algorithm=sliding-log", "e.rate=1/s", "e.candidate.plans.pro.rate=1/s", "f.rate=1/s",
				"f.plans.pro.unlimited=true", "f.candidate.plans.pro.rate=1/s", "g.rate=1/s", "g.candidate=1/s",
				"h.rate=1/s", "h.candidate.rats=1/s", "i.rate=1/s", "i.candidate.rate=1/s", "[i.candidate].rate=1/s",
				"x".repeat(95) + ".rate=1/s", "x".repeat(95) + ".candidate.rate=1/s", "j.rate=1/s",
				"j.plans.pro.rate=1/s", "j.candidate.plans.pro.rate=x"),
				"Rule 'a', candidate: rate must be permits per period|(was 'fast')|Correct tierlimit.rules.a.candidate.rate (test).",
				"Rule 'a', candidate: burst must be 1 to|(was 'x')|Correct tierlimit.rules.a.candidate.burst (test).",
				"Rule 'b', candidate (test) has no rate. Set tierlimit.rules.b.candidate.rate to permits per period, such as 10/s.",
				"Rule 'c', candidate: burst is not supported by sliding-log. Remove tierlimit.rules.c.candidate.burst (test).",
				"Rule 'd', candidate: max-reserved and max-wait are not supported by sliding-log. Set another algorithm, or remove tierlimit.rules.d.candidate.algorithm (test).",
				"Rule 'e', candidate, plan 'pro': the rule does not list the plan, so it has no limit to compare. List the plan in the rule, or remove tierlimit.rules.e.candidate.plans.pro",
				"Rule 'f', candidate, plan 'pro': the plan is unlimited in the rule, so it has no limit to compare. Use a rule with mode shadow instead, or remove tierlimit.rules.f.candidate.plans.pro",
				"tierlimit.rules.g.candidate must be a set of properties (algorithm, rate, burst, capacity, start, plans), not a single value.|(test)",
				"'rats' is not a known property. Known properties are algorithm, rate, burst, capacity, start, plans. Correct or remove tierlimit.rules.h.candidate.rats (test).",
				"Rule 'i': its candidate has the id 'i.candidate', which is the id of another rule. Rename that rule, or remove the candidate.",
				"the id of a rule must have 1 to 100 letters|.candidate')",
				"Rule 'j', candidate, plan 'pro': rate must be permits per period|(was 'x')|Correct tierlimit.rules.j.candidate.plans.pro.rate (test).");
	}

	@Test
	void ruleThatIsNotEnabledIsLeftOut() {
		this.properties.add("tierlimit.rules.off.rate=nonsense");
		this.properties.add("tierlimit.rules.off.enabled=false");
		assertThat(read("rate=1/s").id()).isEqualTo("r");
	}

	@Test
	void allMistakesAreReportedTogether() {
		List<String> problems = problems("a.rate=10", "b.scope=ip", "c.rate=1/s", "c.burst=0", "d.rate=1/s",
				"d.scope=apikey", "e.rate=1/s", "e.plans.pro.burst=5", "f.rate=1/s", "f.condition=usr == 'x'",
				"g.rate=1/s", "g.cost=-1)", "h.rate=1/s", "h.burst=five", "i.rate=1/s", "i.plans.pro.rate=2/s",
				"i.plans.pro.unlimited=true", "j.rate=1/s", "j.scope=global,ip", "[k k].rate=1/s", "l.rate=1/s",
				"l.key=headers('a')", "m.rate=5/s", "m.cost=6", "n.rate=5/s", "n.cost=3", "n.plans.pro.rate=2/s",
				"o.rate=1/s", "o.mode=monitor", "p.rate=1/s", "p.anonymous=yes", "q.rate=1/s", "q.enabled=perhaps",
				"r.rate=1/s", "r.rats=1/s", "s.rate=0/s", "t.rate=1000000000000000/s", "u.rate=1/s",
				"u.plans.pro.limit=1", "v.rate=1/s", "v.applies-to=all", "w.rate=1/s", "w.headers=none", "x.rate=1/s",
				"x.cost=-1", "y.rate=1/s", "y.cost=#items.size()", "z.rate=9/s", "z.cost=2 * 3");
		assertReported(problems,
				"Rule 'a': rate must be permits per period with a unit out of ms, s, m, h and d, such as 10/s, 100/m or 1000/15m (was '10'). Correct tierlimit.rules.a.rate (test).",
				"Rule 'b' (test) has no rate. Set tierlimit.rules.b.rate to permits per period, such as 10/s.",
				"Rule 'c': burst must be 1 to 1000000000000 permits (was '0')|tierlimit.rules.c.burst (test)",
				"Rule 'd': scope 'apikey' does not exist. The built-in scopes are user, ip, endpoint, plan, global; the KeyResolver beans are []. Correct tierlimit.rules.d.scope (test), or define a KeyResolver bean named 'apikey'.",
				"Rule 'e', plan 'pro' (test) has no rate. Set tierlimit.rules.e.plans.pro.rate to permits",
				"Rule 'f': A caller has no fact 'usr'. The facts are [method, path,|Correct tierlimit.rules.f.condition (test).",
				"Rule 'g': '-1)' is not a valid SpEL expression: EL1041E|Correct tierlimit.rules.g.cost (test).",
				"Rule 'h': burst must be 1 to|(was 'five')|Correct tierlimit.rules.h.burst (test).",
				"Rule 'i', plan 'pro': unlimited cannot be combined with rate, burst or capacity. Remove these, or tierlimit.rules.i.plans.pro.unlimited (test).",
				"Rule 'j': scope 'global' cannot be combined|(was 'global,ip')|tierlimit.rules.j.scope (test)",
				"Rule 'k k': the id of a rule must have 1 to 100 letters|(was 'k k')|Correct tierlimit.rules[k k] (test).",
				"Rule 'l': A caller has no fact 'headers()'.|header('name')|Correct tierlimit.rules.l.key (test).",
				"Rule 'm': cost 6 is above the capacity of 5, so the rule would reject every request. Lower tierlimit.rules.m.cost (test), or raise the burst.",
				"Rule 'n': cost 3 is above the capacity of 2 of plan 'pro'|Lower tierlimit.rules.n.cost (test), or raise the plan's burst.",
				"Rule 'o': mode must be one of enforce, shadow (was 'monitor')|tierlimit.rules.o.mode (test)",
				"Rule 'p': anonymous must be one of ip, skip, deny (was 'yes')|tierlimit.rules.p.anonymous (test)",
				"Rule 'q': enabled must be true or false (was 'perhaps')|tierlimit.rules.q.enabled (test)",
				"Rule 'r': 'rats' is not a known property. Known properties are enabled, applies-to, scope, paths, exclude-paths, methods, algorithm, rate, burst, capacity, start, plans, key, cost, headers, anonymous, mode, on-store-failure, cache-rejections, condition, max-reserved, max-wait, charge, reset-on, ban, enforce-percent, active, candidate, adaptive. Correct or remove tierlimit.rules.r.rats (test).",
				"Rule 's': rate must have 1 to 1000000000000 permits per period (was '0/s')|tierlimit.rules.s.rate (test)",
				"Rule 't': rate must have 1 to 1000000000000 permits per period (was '1000000000000000/s')|tierlimit.rules.t.rate (test)",
				"Rule 'u', plan 'pro': 'limit' is not a known property. Known properties are rate, burst, capacity, unlimited|tierlimit.rules.u.plans.pro.limit (test)",
				"Rule 'v': applies-to must be one of requests, methods (was 'all')|tierlimit.rules.v.applies-to (test)",
				"Rule 'w': headers must be one of shown, hidden (was 'none')|tierlimit.rules.w.headers (test)",
				"Rule 'x': cost must be a whole number of 0 or more (was '-1')|tierlimit.rules.x.cost (test)",
				"Rule 'y': '#items' is not supported|Correct tierlimit.rules.y.cost (test).");
	}

	@Test
	void unknownPropertiesAreFoundAnywhere() {
		assertReported(
				allProblems("tierlimit.header.styles=ietf", "tierlimit.headers.style=ietf", "tierlimit.rule.a.rate=1/s",
						"tierlimit.headers.styles[0]=ietf", "tierlimit.memory.max-buckets.x=1",
						"tierlimit.rules.b.rate=1/s", "tierlimit.rules.b.charge.status=401"),
				"tierlimit: 'header' is not a known property. Known properties are enabled, mode, rules, overrides, audit, client-ip, headers|Correct or remove tierlimit.header.styles (test).",
				"tierlimit.headers: 'style' is not a known property. Known properties are styles, x-ratelimit-reset|tierlimit.headers.style (test)",
				"tierlimit: 'rule' is not a known property. Known properties are enabled, mode, rules|Correct or remove tierlimit.rule.a.rate (test).",
				"tierlimit.memory.max-buckets has no property 'x', because it is a single value. Correct or remove tierlimit.memory.max-buckets.x (test).",
				"tierlimit.rules.b.charge has no property 'status', because it is a list of values. Correct or remove tierlimit.rules.b.charge.status (test).");
	}

	@Test
	void valuesThatCannotBeConvertedAreReportedWithTheRest() {
		assertReported(allProblems("tierlimit.headers.styles=ietf,clasic", "tierlimit.memory.max-buckets=many",
				"tierlimit.headers.x-ratelimit-reset=never", "tierlimit.rules.a.mode=monitor", "tierlimit.rules.b=10/s",
				"tierlimit.rules.c.paths=/a,/b/{c", "tierlimit.rules.c.rate=1/s", "tierlimit.rules.d.mode="),
				"tierlimit.headers.styles must be one of ietf, classic, x-ratelimit (was 'ietf,clasic'). Correct tierlimit.headers.styles (test).",
				"tierlimit.memory.max-buckets must be a whole number (was 'many'). Correct tierlimit.memory.max-buckets (test).",
				"tierlimit.headers.x-ratelimit-reset must be one of delta, epoch (was 'never'). Correct tierlimit.headers.x-ratelimit-reset (test).",
				"Rule 'a': mode must be one of enforce, shadow (was 'monitor')|tierlimit.rules.a.mode (test)",
				"Rule 'a' (test) has no rate. Set tierlimit.rules.a.rate to permits per period",
				"tierlimit.rules.b must be a set of properties (enabled,|not a single value. Set one or more of them instead of tierlimit.rules.b (test).",
				"Rule 'c': path '/b/{c' is not a valid path pattern|tierlimit.rules.c.paths (test)",
				"Rule 'd' (test) has no rate. Set tierlimit.rules.d.rate to permits per period");
	}

	@Test
	void fractionsAreNotWholeNumbers() {
		Map<String, Object> yaml = Map.of("tierlimit.rules.a.rate", "1/s", "tierlimit.rules.a.max-reserved", 1.9,
				"tierlimit.rules.b.rate", "1/s", "tierlimit.rules.b.max-reserved", 5, "tierlimit.memory.max-buckets",
				100.5, "tierlimit.rules.c.rate", "1/s", "tierlimit.rules.c.cost", 0.5);
		this.runner
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("yaml", yaml)))
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOfSatisfying(InvalidRulesException.class, (ex) -> assertReported(ex.problems(),
						"Rule 'a': max-reserved must be a whole number (was '1.9')|tierlimit.rules.a.max-reserved (yaml)",
						"tierlimit.memory.max-buckets must be a whole number (was '100.5')|(yaml)",
						"Rule 'c': '0.5' is not supported in an expression|tierlimit.rules.c.cost (yaml)")));
	}

	@Test
	void emptyValueIsTheDefault() {
		assertThat(read("rate=10/s", "enabled=", "applies-to=", "exclude-paths=", "burst=", "cost=", "headers=",
				"anonymous=", "mode=", "charge=", "reset-on=", "plans.pro.rate=2/s", "plans.pro.burst=",
				"plans.pro.unlimited="))
			.isEqualTo(read("rate=10/s", "plans.pro.rate=2/s"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "applies-to", "exclude-paths", "burst", "cost", "headers", "anonymous", "mode", "charge",
			"reset-on", "plans.pro.burst" })
	void blankValueIsTheDefault(String property) {
		Map<String, Object> blank = Map.of("tierlimit.rules.r." + property, " ");
		Rule plain = read("rate=10/s", "plans.pro.rate=2/s");
		this.runner.withPropertyValues("tierlimit.rules.r.rate=10/s", "tierlimit.rules.r.plans.pro.rate=2/s")
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("blank", blank)))
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).rules().rules())
				.containsExactly(plain));
	}

	/** Spring Boot would read a number as milliseconds. */
	@ParameterizedTest
	@ValueSource(strings = { "max-wait", "start", "ban.within", "ban.for", "ban.max", "candidate.start",
			"adaptive.target-latency", "adaptive.recovery" })
	void timeWithoutAUnitStopsStartup(String property) {
		for (Object written : List.of(60, "60", "+60", "${no.such:60}")) {
			String text = written.equals("+60") ? "+60" : "60";
			Map<String, Object> yaml = Map.of("tierlimit.rules.r." + property, written);
			this.runner.withPropertyValues("tierlimit.rules.r.rate=10/s")
				.withInitializer((context) -> context.getEnvironment()
					.getPropertySources()
					.addFirst(new MapPropertySource("yaml", yaml)))
				.run((context) -> assertThat(context.getStartupFailure()).rootCause()
					.hasMessageContaining("Rule 'r': " + property + " must be a time such as 500ms, 10s or 5m (was '"
							+ text + "'). Correct tierlimit.rules.r." + property + " (yaml)."));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "0s", "00", "PT0S", "${no.such:0}" })
	void timeOfZeroNeedsNoUnit(String zero) {
		assertThat(read("rate=10/s", "max-wait=" + zero)).isEqualTo(read("rate=10/s"));
	}

	/** A rule for the addresses of one path would be global, and for all paths. */
	@ParameterizedTest
	@CsvSource({ "scope, ''", "scope, ' '", "key, ''", "paths, ''", "paths, ${no.such:}", "methods, ''",
			"condition, ' '", "scope[0], ''", "paths[0], ' '", "methods[0], ''" })
	void emptyValueThatWouldWidenTheRuleStopsStartup(String property, String empty) {
		String name = property.replace("[0]", "");
		Map<String, Object> profile = Map.of("tierlimit.rules.r." + property, empty);
		this.runner
			.withPropertyValues("tierlimit.rules.r.rate=10/s", "tierlimit.rules.r.scope=ip",
					"tierlimit.rules.r.paths=/a")
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("profile", profile)))
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("Rule 'r': " + name + " is empty, so the rule would apply to other requests or "
						+ "callers than intended. Set a value, or remove tierlimit.rules.r." + property
						+ " (profile)."));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					condition=path.startWith('/api')     | 'startWith('/api')' is not supported in an expression, because a java.lang.String lacks it: correct its name, or use a KeyResolver bean with anonymous: skip
					condition='yes'                      | ''yes'' is a java.lang.String, but a condition must be true or false
					condition=null                       | condition 'null' must be true or false
					condition=1 / 0 == 1                 | condition '1 / 0 == 1' always fails: java.lang.ArithmeticException: / by zero
					condition=header('X-Debug')          | 'header('X-Debug')' is a java.lang.String, but a condition must be true or false
					condition=user.length()              | is a java.lang.Integer, but a condition must be true or false
					condition=authorities.contain('A')   | 'contain('A')' is not supported in an expression, because a java.util.List lacks it
					key=user.nam                         | 'nam' is not supported in an expression, because a java.lang.String lacks it: correct its name, or use a KeyResolver bean
					key=header()                         | 'header()' is not supported in an expression, because its name is not a constant
					key=header('X').repeat(2)            | is not supported in an expression
					key=user.contains(header('X'))       | because its time depends on an argument that is not a constant
					cost=header('X-Cost').toInt()        | 'toInt()' is not supported in an expression, because a java.lang.String lacks it: correct its name, or calculate the cost in code, with the RateLimiter bean
					cost=header('X-Cost') * 2            | 'header('X-Cost')' is a java.lang.String, but an operand must be a whole number
					cost=param('n') + 1                  | 'param('n')' is a java.lang.String, but an operand must be a whole number
					cost=method == 'PUT'                 | is a java.lang.Boolean, but a cost must be a whole number
					cost=2 ^ user.length()               | '(2 ^ user.length())' is not supported in an expression
					cost=1.5                             | '1.5' is not supported in an expression
					cost=0 - 1                           | cost must be a whole number of 0 or more (was '0 - 1')
					cost=2 * 3                           | cost 2 * 3 is above the capacity of 5
					cost=1 / 0                           | cost must be a whole number of 0 or more (was '1 / 0')
					""")
	void expressionThatCannotWorkStopsStartup(String property, String problem) {
		assertThat(problems("r.rate=5/s", "r." + property)).singleElement(InstanceOfAssertFactories.STRING)
			.startsWith("Rule 'r'")
			.contains(problem)
			.contains("tierlimit.rules.r." + property.substring(0, property.indexOf('=')) + " (test)");
	}

	private Rule read(String... rule) {
		List<String> all = new ArrayList<>(this.properties);
		for (String property : rule) {
			all.add("tierlimit.rules.r." + property);
		}
		List<Rule> rules = new ArrayList<>();
		this.runner.withPropertyValues(all.toArray(String[]::new))
			.run((context) -> rules.addAll(context.getBean(ConfiguredRules.class).rules().rules()));
		assertThat(rules).hasSize(1);
		return rules.get(0);
	}

	private List<String> problems(String... rules) {
		return allProblems(Arrays.stream(rules)
			.map((property) -> property.startsWith("[") ? "tierlimit.rules" + property : "tierlimit.rules." + property)
			.toArray(String[]::new));
	}

	private List<String> allProblems(String... properties) {
		List<String> problems = new ArrayList<>();
		this.runner.withPropertyValues(properties).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOfSatisfying(InvalidRulesException.class, (ex) -> problems.addAll(ex.problems()));
		});
		return problems;
	}

}
