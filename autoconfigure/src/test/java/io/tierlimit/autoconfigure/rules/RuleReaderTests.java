package io.tierlimit.autoconfigure.rules;

import java.time.Duration;
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
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.SlidingWindow;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.AuthenticationResult;
import io.tierlimit.rule.ChargePolicy;
import io.tierlimit.rule.InvalidRulesException;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.ReservationOptions;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.StatusRange;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;

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
		assertThat(rule.selection().condition()).isEqualTo("user != null");
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
	void ruleNeedsARateAndNothingElse() {
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
	void fixedWindowNeedsARateAndNothingElse() {
		assertThat(read("algorithm=fixed-window", "rate=10/d").limits().standard())
			.isEqualTo(new FixedWindow(Rate.parse("10/d"), 10, null));
	}

	@Test
	void limitsThatAreNothingButARateAreRead() {
		Rate rate = Rate.parse("10/m");
		assertThat(read("algorithm=sliding-window", "rate=10/m").limits().standard())
			.isEqualTo(new SlidingWindow(rate));
		assertThat(read("algorithm=sliding-log", "rate=10/m").limits().standard()).isEqualTo(new SlidingLog(rate));
		assertThat(read("algorithm=leaky-bucket", "rate=10/m").limits().standard()).isEqualTo(new LeakyBucket(rate));
	}

	@Test
	void reservationsAreRead() {
		assertThat(read("rate=10/s").reservations()).isEqualTo(ReservationOptions.NONE);
		assertThat(read("rate=10/s", "max-reserved=50", "max-wait=500ms").reservations())
			.isEqualTo(new ReservationOptions(50, Duration.ofMillis(500)));
	}

	@Test
	void costAboveTheCapacityPassesIfItCanWait() {
		assertThat(read("algorithm=leaky-bucket", "rate=9/s", "max-wait=1s", "cost=10").cost()).isEqualTo("10");
	}

	@Test
	void chargingIsRead() {
		assertThat(read("rate=5/h", "charge=401, 403,5XX", "reset-on=authentication-success,200").chargePolicy())
			.isEqualTo(new ChargePolicy(
					List.of(new StatusRange(401, 401), new StatusRange(403, 403), new StatusRange(500, 599)),
					List.of(AuthenticationResult.SUCCESS, new StatusRange(200, 200))));
		assertThat(read("rate=5/h", "charge=always").chargePolicy()).isEqualTo(ChargePolicy.STANDARD);
		assertThat(read("rate=5/h").chargePolicy()).isEqualTo(ChargePolicy.STANDARD);
	}

	@Test
	void mistakesOfChargingAreReportedTogether() {
		assertThat(problems("a.rate=1/m", "a.charge=600,sometimes,401", "a.reset-on=always", "b.rate=1/m",
				"b.charge=always,401", "c.rate=1/m", "c.charge=4xx", "c.reset-on=404", "d.rate=1/m",
				"d.reset-on=authentication-failure", "e.rate=1/m", "e.charge=authentication-success",
				"e.reset-on=authentication-success", "f.rate=1/m", "f.charge=099", "g.rate=1/m", "g.charge=401,,403"))
			.containsExactlyInAnyOrder(
					"Rule 'a' has '600' as its charge, but known are response statuses from 100 to 599, families of them such as 4xx, authentication-failure, authentication-success and always. Correct tierlimit.rules.a.charge (test).",
					"Rule 'a' has 'sometimes' as its charge, but known are response statuses from 100 to 599, families of them such as 4xx, authentication-failure, authentication-success and always. Correct tierlimit.rules.a.charge (test).",
					"Rule 'a' has 'always' as its reset-on, but known are response statuses from 100 to 599, families of them such as 4xx, and authentication-success. Correct tierlimit.rules.a.reset-on (test).",
					"Rule 'b' has a charge of 'always' with others beside it. Leave one or the others in tierlimit.rules.b.charge (test).",
					"Rule 'c': A request is either charged for 4xx or makes the bucket full by 404, not both. Correct tierlimit.rules.c.reset-on (test).",
					"Rule 'd': A bucket is not reset on authentication-failure: that would make guessing free. Correct tierlimit.rules.d.reset-on (test).",
					"Rule 'e': A request is either charged for authentication-success or makes the bucket full by authentication-success, not both. Correct tierlimit.rules.e.reset-on (test).",
					"Rule 'f' has '099' as its charge, but known are response statuses from 100 to 599, families of them such as 4xx, authentication-failure, authentication-success and always. Correct tierlimit.rules.f.charge (test).",
					"Rule 'g' has '' as its charge, but known are response statuses from 100 to 599, families of them such as 4xx, authentication-failure, authentication-success and always. Correct tierlimit.rules.g.charge (test).");
	}

	@Test
	void authenticationNeedsSpringSecurity() {
		Problems problems = new Problems();
		ChargePolicy chargePolicy = new ChargePolicyReader(
				new RuleProblems("Rule 'a'", (property) -> property, problems), false)
			.read(List.of("authentication-failure"), List.of("200", "authentication-success"));
		assertThat(chargePolicy).isNull();
		assertThatThrownBy(problems::report)
			.hasMessageContaining(
					"Rule 'a' waits for 'authentication-failure', but there is no Spring Security to tell it. "
							+ "Add spring-boot-starter-security, or write response statuses as charge.")
			.hasMessageContaining("as reset-on.");
	}

	@Test
	void failureResetsNothingWithOrWithoutSpringSecurity() {
		Problems problems = new Problems();
		new ChargePolicyReader(new RuleProblems("Rule 'a'", (property) -> property, problems), false)
			.read(List.of("authentication-failure"), List.of("authentication-failure"));
		assertThatThrownBy(problems::report)
			.isInstanceOfSatisfying(InvalidRulesException.class, (ex) -> assertThat(ex.problems()).containsExactly(
					"Rule 'a' waits for 'authentication-failure', but there is no Spring Security to tell it. "
							+ "Add spring-boot-starter-security, or write response statuses as charge.",
					"Rule 'a': A bucket is not reset on authentication-failure: that would make guessing free. Correct reset-on."));
	}

	@Test
	void startThatIsTooLateForAPlanNamesIt() {
		assertThat(problems("a.algorithm=fixed-window", "a.rate=10/m", "a.start=30s", "a.plans.gold.rate=10/s"))
			.containsExactly(
					"Rule 'a' has start PT30S, but windows start at an offset shorter than their period, and plans.gold.rate is 10/s. Correct tierlimit.rules.a.start (test).");
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
	void burstThatIsNeitherPermitsNorATimeNamesBoth(String burst) {
		assertThat(problems("a.rate=1/m", "a.burst=" + burst)).containsExactly("Rule 'a': '" + burst
				+ "' is no burst: write 1 to 1000000000000 permits, or what earns them, a time above 0 up to 3650 days, such as 5m. Correct tierlimit.rules.a.burst (test).");
	}

	@Test
	void mistakesOfAlgorithmsAreReportedTogether() {
		assertThat(problems("a.rate=1/m", "a.burst=30s", "b.rate=1/m", "b.capacity=5", "c.rate=1/m", "c.start=10s",
				"d.rate=10/m", "d.algorithm=fixed-window", "d.capacity=9", "e.rate=10/m", "e.algorithm=fixed-window",
				"e.start=1m", "f.rate=10/m", "f.algorithm=fixed-window", "f.burst=20", "g.rate=10/m",
				"g.algorithm=fixed-window", "g.capacity=many", "h.rate=10/m", "h.algorithm=bucket", "i.rate=10/m",
				"i.algorithm=fixed-window", "i.plans.pro.rate=20/m", "i.plans.pro.capacity=10", "j.rate=5/m",
				"j.algorithm=fixed-window", "j.cost=6", "k.rate=1001/s", "k.algorithm=sliding-log", "l.rate=1/2000d",
				"l.algorithm=sliding-window", "m.rate=1/s", "m.algorithm=leaky-bucket", "m.burst=2", "n.rate=1/s",
				"n.algorithm=sliding-log", "n.capacity=2", "p.rate=9/s", "p.algorithm=sliding-log", "p.max-reserved=5",
				"p.max-wait=1s", "q.rate=9/s", "q.max-reserved=-1", "q.max-wait=-1s", "t.rate=9/s", "t.max-wait=1500ns",
				"r.rate=9/s", "r.max-wait=3651d", "s.rate=9/s", "s.algorithm=leaky-bucket", "s.max-wait=1s",
				"s.cost=11", "o.rate=9/s", "o.algorithm=leaky-bucket", "o.cost=2"))
			.containsExactlyInAnyOrder(
					"Rule 'a': A burst of 30s earns no permit at 1/m. Correct tierlimit.rules.a.burst (test).",
					"Rule 'b' has a capacity, but a token bucket has a burst. Write burst in place of tierlimit.rules.b.capacity (test).",
					"Rule 'c' has a start, but no windows that could start. Choose the algorithm fixed-window, or remove tierlimit.rules.c.start (test).",
					"Rule 'd': A capacity has from the 10 permits of its rate to 1000000000000 but had 9. Correct tierlimit.rules.d.capacity (test).",
					"Rule 'e' has start PT1M, but windows start at an offset shorter than their period, and rate is 10/m. Correct tierlimit.rules.e.start (test).",
					"Rule 'f' has a burst, but a fixed window has a capacity. Write capacity in place of tierlimit.rules.f.burst (test).",
					"Rule 'g': 'many' is no capacity: write a whole number of permits. Correct tierlimit.rules.g.capacity (test).",
					"Rule 'h' has algorithm 'bucket', but known are token-bucket, fixed-window, sliding-window, sliding-log, leaky-bucket. Correct tierlimit.rules.h.algorithm (test).",
					"Rule 'j' has cost 6 above its capacity of 5, so that none can pass. Lower the cost or raise the capacity: tierlimit.rules.j.cost (test).",
					"Rule 'k': A sliding log notes every taking, and so has at most 1000 permits, but had 1001: a sliding window counts any number. Correct tierlimit.rules.k.rate (test).",
					"Rule 'l': A sliding window is full after twice its period, and so has one of at most 1825 days, but had 1/2000d. Correct tierlimit.rules.l.rate (test).",
					"Rule 'm' has a burst, but algorithm leaky-bucket saves nothing. Remove tierlimit.rules.m.burst (test).",
					"Rule 'n' has a capacity, but algorithm sliding-log has none but its rate. Remove tierlimit.rules.n.capacity (test).",
					"Rule 'o' has cost 2 above its capacity of 1, so that none can pass. Lower the cost or choose another algorithm: tierlimit.rules.o.cost (test).",
					"Rule 'p' has max-reserved, but algorithm sliding-log knows of no permits to come. Choose token-bucket, leaky-bucket or fixed-window, or remove tierlimit.rules.p.max-reserved (test).",
					"Rule 'p' has max-wait, but algorithm sliding-log knows of no permits to come. Choose token-bucket, leaky-bucket or fixed-window, or remove tierlimit.rules.p.max-wait (test).",
					"Rule 'q': From 0 to 1000000000000 permits can be reserved, but not -1. Correct tierlimit.rules.q.max-reserved (test).",
					"Rule 'q': Requests wait from 0s to 3650d, but not for PT-1S. Correct tierlimit.rules.q.max-wait (test).",
					"Rule 'r': Requests wait from 0s to 3650d, but not for PT87624H. Correct tierlimit.rules.r.max-wait (test).",
					"Rule 't': Requests wait for whole microseconds, but not for PT0.0000015S. Correct tierlimit.rules.t.max-wait (test).",
					"Rule 's' has cost 11 above its capacity of 1, so that none can pass. Lower the cost or choose another algorithm: tierlimit.rules.s.cost (test).",
					"Rule 'i': A capacity has from the 20 permits of its rate to 1000000000000 but had 10. Correct tierlimit.rules.i.plans.pro.capacity (test).");
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
		assertThat(problems).containsExactlyInAnyOrder(
				"Rule 'a': '10' is no rate: write permits per period with a unit out of ms, s, m, h and d, such as 10/s, 100/m or 1000/15m. Correct tierlimit.rules.a.rate (test).",
				"Rule 'b' has a limit without a rate. Write permits per period, such as 10/s, as tierlimit.rules.b.rate.",
				"Rule 'c': A burst needs 1 to 1000000000000 permits but had 0. Correct tierlimit.rules.c.burst (test).",
				"Rule 'd' has scope 'apikey', but known scopes are user, ip, endpoint, plan, global and the KeyResolver beans []. Define a KeyResolver bean named 'apikey' or correct tierlimit.rules.d.scope (test).",
				"Rule 'e' has a limit without a rate. Write permits per period, such as 10/s, as tierlimit.rules.e.plans.pro.rate.",
				"Rule 'f': A caller has no 'usr', but method, path, pattern, ip, user, plan, authorities, header('name'), param('name') and claim('name'). Correct tierlimit.rules.f.condition (test).",
				"Rule 'g': '-1)' is no SpEL: EL1041E: After parsing a valid expression, there is still more data in the expression: 'rparen())'. Correct tierlimit.rules.g.cost (test).",
				"Rule 'h': 'five' is no burst: write 1 to 1000000000000 permits, or what earns them, a time above 0 up to 3650 days, such as 5m. Correct tierlimit.rules.h.burst (test).",
				"Rule 'i' has a plan with both a limit and none at all. Remove the limit or tierlimit.rules.i.plans.pro.unlimited (test).",
				"Rule 'j': The scope 'global' stands alone but had others beside it: [global, ip]. Correct tierlimit.rules.j.scope (test).",
				"Rule 'k k': A rule's id has 1 to 100 letters, digits, dots, dashes and underscores, and begins with none of '.' and '-', but was 'k k'. Correct tierlimit.rules[k k].",
				"Rule 'l': A caller has no 'headers()', but method, path, pattern, ip, user, plan, authorities, header('name'), param('name') and claim('name'). Correct tierlimit.rules.l.key (test).",
				"Rule 'm' has cost 6 above its capacity of 5, so that none can pass. Lower the cost or raise the burst: tierlimit.rules.m.cost (test).",
				"Rule 'n' has cost 3 above the capacity of 2 of its plan 'pro', so that none can pass. Lower the cost or raise the plan's burst: tierlimit.rules.n.cost (test).",
				"Rule 'o' has mode 'monitor', but known are enforce, shadow. Correct tierlimit.rules.o.mode (test).",
				"Rule 'p' has anonymous 'yes', but known are ip, skip, deny. Correct tierlimit.rules.p.anonymous (test).",
				"Rule 'q' has enabled 'perhaps', but known are true, false. Correct tierlimit.rules.q.enabled (test).",
				"'rats' is unknown, but known are enabled, applies-to, scope, paths, exclude-paths, methods, condition, algorithm, rate, burst, capacity, start, plans, key, cost, headers, anonymous, mode, on-store-failure, cache-rejections, max-reserved, max-wait, charge, reset-on. Correct or remove tierlimit.rules.r.rats (test).",
				"Rule 's': A rate needs 1 to 1000000000000 permits per period but had 0. Correct tierlimit.rules.s.rate (test).",
				"Rule 't': A rate needs 1 to 1000000000000 permits per period but had 1000000000000000. Correct tierlimit.rules.t.rate (test).",
				"'limit' is unknown, but known are rate, burst, capacity, unlimited. Correct or remove tierlimit.rules.u.plans.pro.limit (test).",
				"Rule 'v' has applies-to 'all', but known are requests, methods. Correct tierlimit.rules.v.applies-to (test).",
				"Rule 'w' has headers 'none', but known are shown, hidden. Correct tierlimit.rules.w.headers (test).",
				"Rule 'x' has cost '-1', which is not a whole number of 0 or more. Correct tierlimit.rules.x.cost (test).",
				"Rule 'y': '#items' is out of reach: an expression reads the caller's facts and calls methods on them. Correct tierlimit.rules.y.cost (test).");
	}

	@Test
	void unknownPropertiesAreFoundAnywhere() {
		assertThat(allProblems("tierlimit.header.styles=ietf", "tierlimit.headers.style=ietf",
				"tierlimit.rule.a.rate=1/s", "tierlimit.headers.styles[0]=ietf", "tierlimit.memory.max-buckets.x=1",
				"tierlimit.rules.b.rate=1/s", "tierlimit.rules.b.charge.status=401"))
			.satisfiesExactlyInAnyOrder(
					(a) -> assertThat(a)
						.startsWith("'header' is unknown, but known are enabled, rules, client-ip, headers, plan"),
					(b) -> assertThat(b).startsWith("'style' is unknown, but known are styles, x-ratelimit-reset"),
					(c) -> assertThat(c).startsWith("'rule' is unknown"),
					(d) -> assertThat(d).isEqualTo(
							"'x' is unknown, for max-buckets is a single value. Write the value alone in place of tierlimit.memory.max-buckets.x (test)."),
					(e) -> assertThat(e).isEqualTo(
							"'status' is unknown, for charge is a list of words. Write the words alone, separated by commas, in place of tierlimit.rules.b.charge.status (test)."));
	}

	@Test
	void valuesThatCannotBeConvertedAreReportedWithTheRest() {
		assertThat(allProblems("tierlimit.headers.styles=ietf,clasic", "tierlimit.memory.max-buckets=many",
				"tierlimit.headers.x-ratelimit-reset=never", "tierlimit.rules.a.mode=monitor", "tierlimit.rules.b=10/s",
				"tierlimit.rules.c.paths=/a,/b/{c", "tierlimit.rules.c.rate=1/s", "tierlimit.rules.d.mode="))
			.containsExactlyInAnyOrder(
					"There is headers.styles 'ietf,clasic', but known are ietf, classic, x-ratelimit. Correct tierlimit.headers.styles (test).",
					"There is memory.max-buckets 'many', but it is a whole number. Correct tierlimit.memory.max-buckets (test).",
					"There is headers.x-ratelimit-reset 'never', but known are delta, epoch. Correct tierlimit.headers.x-ratelimit-reset (test).",
					"Rule 'a' has mode 'monitor', but known are enforce, shadow. Correct tierlimit.rules.a.mode (test).",
					"Rule 'a' has a limit without a rate. Write permits per period, such as 10/s, as tierlimit.rules.a.rate.",
					"Rule 'b' has the value '10/s', but a rule is a set of properties, as in 'b: { rate: 10/s }'. Set the rate as tierlimit.rules.b.rate, in place of tierlimit.rules.b (test).",
					"Rule 'c' has '/b/{c' among its paths, which is no path pattern: Expected close capture character after variable name }. Correct tierlimit.rules.c.paths (test).",
					"Rule 'd' has a limit without a rate. Write permits per period, such as 10/s, as tierlimit.rules.d.rate.");
	}

	@Test
	void fractionsAreNoWholeNumbers() {
		Map<String, Object> yaml = Map.of("tierlimit.rules.a.rate", "1/s", "tierlimit.rules.a.max-reserved", 1.9,
				"tierlimit.rules.b.rate", "1/s", "tierlimit.rules.b.max-reserved", 5, "tierlimit.memory.max-buckets",
				100.5, "tierlimit.rules.c.rate", "1/s", "tierlimit.rules.c.cost", 0.5);
		this.runner
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("yaml", yaml)))
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOfSatisfying(InvalidRulesException.class, (ex) -> assertThat(ex.problems())
					.containsExactlyInAnyOrder(
							"Rule 'a' has max-reserved '1.9', but it is a whole number. Correct tierlimit.rules.a.max-reserved (yaml).",
							"There is memory.max-buckets '100.5', but it is a whole number. Correct tierlimit.memory.max-buckets (yaml).",
							"Rule 'c' has cost '0.5', which is not a whole number of 0 or more. Correct tierlimit.rules.c.cost (yaml).")));
	}

	@Test
	void emptyValueIsTheDefault() {
		assertThat(read("rate=10/s", "enabled=", "applies-to=", "scope=", "paths=", "exclude-paths=", "methods=",
				"condition=", "burst=", "key=", "cost=", "headers=", "anonymous=", "mode=", "charge=", "reset-on=",
				"plans.pro.rate=2/s", "plans.pro.burst=", "plans.pro.unlimited="))
			.isEqualTo(read("rate=10/s", "plans.pro.rate=2/s"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "applies-to", "scope", "paths", "exclude-paths", "methods", "condition", "burst", "key",
			"cost", "headers", "anonymous", "mode", "charge", "reset-on", "plans.pro.burst" })
	void blankValueIsTheDefault(String property) {
		Map<String, Object> blank = Map.of("tierlimit.rules.r." + property, " ");
		Rule plain = read("rate=10/s", "plans.pro.rate=2/s");
		this.runner.withPropertyValues("tierlimit.rules.r.rate=10/s", "tierlimit.rules.r.plans.pro.rate=2/s")
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("blank", blank)))
			.run((context) -> assertThat(context.getBean(RuleSet.class).rules()).containsExactly(plain));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					condition=path.startWith('/api')     | 'startWith('/api')' does not exist: java.lang.String has no public method 'startWith' with 1 argument
					condition='yes'                      | ''yes'' is a java.lang.String, but a condition must be true or false
					condition=null                       | has condition 'null', which is not true or false
					condition=header('X-Debug')          | 'header('X-Debug')' is a java.lang.String, but a condition must be true or false
					condition=user.length()              | is a java.lang.Integer, but a condition must be true or false
					condition=authorities.contain('A')   | java.util.List has no public method 'contain' with 1 argument
					key=user.nam                         | java.lang.String has no public property 'nam'
					key=header()                         | 'header()' has 0 arguments, but the name is required, as in header('name')
					key=header('X').repeat(2)            | is out of reach
					key=user.replaceAll(header('X'), '') | has an argument that is not a constant
					cost=header('X-Cost').toInt()        | java.lang.String has no public method 'toInt' with 0 arguments
					cost=header('X-Cost') * 2            | calculates with something that is not a number
					cost=param('n') + 1                  | joins texts, but a cost must be a number
					cost=method == 'PUT'                 | is a java.lang.Boolean, but a cost must be a number
					cost=2 ^ user.length()               | is a power
					cost=1.5                             | has cost '1.5', which is not a whole number of 0 or more
					cost=2 * 3                           | has cost 2 * 3 above its capacity of 5
					cost=1 / 0                           | has cost '1 / 0', which is not a whole number of 0 or more
					""")
	void expressionThatCannotWorkStopsStartup(String property, String problem) {
		assertThat(problems("r.rate=5/s", "r." + property)).singleElement(InstanceOfAssertFactories.STRING)
			.startsWith("Rule 'r'")
			.contains(problem)
			.endsWith("tierlimit.rules.r." + property.substring(0, property.indexOf('=')) + " (test).");
	}

	private Rule read(String... rule) {
		List<String> all = new ArrayList<>(this.properties);
		for (String property : rule) {
			all.add("tierlimit.rules.r." + property);
		}
		List<Rule> rules = new ArrayList<>();
		this.runner.withPropertyValues(all.toArray(String[]::new))
			.run((context) -> rules.addAll(context.getBean(RuleSet.class).rules()));
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
