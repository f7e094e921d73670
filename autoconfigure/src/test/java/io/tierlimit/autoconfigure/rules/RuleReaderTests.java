package io.tierlimit.autoconfigure.rules;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.AppliesTo;
import io.tierlimit.HeaderVisibility;
import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.RuleMode;
import io.tierlimit.autoconfigure.ReportedProblems;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.SlidingWindow;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.tierlimit.autoconfigure.ReportedProblems.assertReported;
import static io.tierlimit.autoconfigure.rules.RuleReading.allProblems;
import static io.tierlimit.autoconfigure.rules.RuleReading.assertProblems;
import static io.tierlimit.autoconfigure.rules.RuleReading.problems;
import static io.tierlimit.autoconfigure.rules.RuleReading.read;
import static io.tierlimit.autoconfigure.rules.RuleReading.rules;
import static io.tierlimit.autoconfigure.rules.RuleReading.withSource;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rules of the configuration, without their options.
 */
class RuleReaderTests {

	@Test
	void everyPropertyOfARuleIsRead() {
		Rule rule = read("applies-to=code", "scope=endpoint, user", "paths=/a/**,/b", "exclude-paths=/a/x",
				"methods=get,POST", "condition=user != null", "rate=10/s", "burst=50", "plans.pro.rate=100/s",
				"plans.pro.burst=500", "plans.max.unlimited=true", "key=ip", "cost=2", "headers=hidden",
				"on-missing-key=deny", "mode=shadow");
		assertThat(rule.selection().appliesTo()).isEqualTo(AppliesTo.CODE);
		assertThat(rule.selection().paths()).containsExactly("/a/**", "/b");
		assertThat(rule.selection().excludePaths()).containsExactly("/a/x");
		assertThat(rule.selection().methods()).containsExactlyInAnyOrder("GET", "POST");
		assertThat(rule.options().expressions()).containsExactly("user != null");
		assertThat(rule.scope().names()).containsExactly("endpoint", "user");
		assertThat(rule.scope().key()).isEqualTo("ip");
		assertThat(rule.scope().onMissingKey()).isEqualTo(MissingKeyPolicy.DENY);
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
		assertThat(rule.scope().onMissingKey()).isEqualTo(MissingKeyPolicy.IP);
		assertThat(rule.limits().standard()).isEqualTo(new TokenBucket(Rate.parse("10/s"), 10));
		assertThat(rule.cost()).isEqualTo("1");
		assertThat(rule.options().visibility()).isEqualTo(HeaderVisibility.SHOWN);
		assertThat(rule.options().mode()).isEqualTo(RuleMode.ENFORCE);
	}

	@Test
	void fixedWindowIsRead() {
		Rule rule = read("algorithm=fixed-window", "rate=10/d", "burst=20", "window.start=7h", "plans.pro.rate=100/d",
				"plans.max.rate=100/d", "plans.max.burst=300");
		assertThat(rule.limits().standard()).isEqualTo(new FixedWindow(Rate.parse("10/d"), 20, Duration.ofHours(7)));
		assertThat(rule.limits().plans())
			.containsEntry("pro", new PlanLimit(new FixedWindow(Rate.parse("100/d"), 100, Duration.ofHours(7))))
			.containsEntry("max", new PlanLimit(new FixedWindow(Rate.parse("100/d"), 300, Duration.ofHours(7))));
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
	void costAboveTheCapacityPassesIfItCanWait() {
		assertThat(read("algorithm=leaky-bucket", "rate=9/s", "max-wait=1s", "cost=10").cost()).isEqualTo("10");
	}

	@Test
	void startThatIsTooLateForAPlanNamesThePlan() {
		assertReported(
				problems("a.algorithm=fixed-window", "a.rate=10/m", "a.window.start=30s", "a.plans.gold.rate=10/s"),
				"Rule 'a': window.start must be shorter than the period of plans.gold.rate, 10/s (was '30s')|Correct tierlimit.rules.a.window.start (test).");
	}

	@ParameterizedTest
	@CsvSource({ "10/s, 5m, 3000", "7/m, 90s, 10", "100/h, 1h, 100", "10/s, 250ms, 2", "1/s, 1d, 86400",
			"10/s, PT5M, 3000", "10/s, 5 m, 3000" })
	void burstMayBeATimeThatEarnsIt(String rate, String burst, long permits) {
		assertThat(read("rate=" + rate, "burst=" + burst).limits().standard())
			.isEqualTo(new TokenBucket(Rate.parse(rate), permits));
	}

	@ParameterizedTest
	@CsvSource({ "10/m, 1m, 10", "10/m, 90s, 15", "10/m, 3m, 30", "7/m, 90s, 10", "5000/d, 2d, 10000" })
	void burstOfAFixedWindowMayBeATime(String rate, String burst, long permits) {
		assertThat(read("algorithm=fixed-window", "rate=" + rate, "burst=" + burst).limits().standard())
			.isEqualTo(new FixedWindow(Rate.parse(rate), permits, null));
	}

	@ParameterizedTest
	@ValueSource(strings = { "5min", "1.5", "-5ms", "0s", "PT0S", "PT-5M", "P5", "4000d", "3651d",
			"99999999999999999999d", "99999999999999999999", "PT9999999999999999.5S" })
	void invalidBurstIsReported(String burst) {
		assertReported(problems("a.rate=1/m", "a.burst=" + burst),
				"Rule 'a': burst must be 1 to 1000000000000 permits, or a time above 0 and up to 3650 days|(was '"
						+ burst + "')|Correct tierlimit.rules.a.burst (test).");
	}

	@Test
	void mistakesOfAlgorithmsAreReportedTogether() {
		assertReported(problems("a.rate=1/m", "a.burst=30s", "b.rate=10/m", "b.algorithm=fixed-window", "b.burst=30s",
				"c.rate=1/m", "c.window.start=10s", "d.rate=10/m", "d.algorithm=fixed-window", "d.burst=9",
				"e.rate=10/m", "e.algorithm=fixed-window", "e.window.start=1m", "f.rate=10/m",
				"f.algorithm=fixed-window", "f.burst=1s", "g.rate=10/m", "g.algorithm=fixed-window", "g.burst=many",
				"h.rate=10/m", "h.algorithm=bucket", "i.rate=10/m", "i.algorithm=fixed-window", "i.plans.pro.rate=20/m",
				"i.plans.pro.burst=10", "j.rate=5/m", "j.algorithm=fixed-window", "j.cost=6", "k.rate=1001/s",
				"k.algorithm=sliding-log", "l.rate=1/2000d", "l.algorithm=sliding-window", "m.rate=1/s",
				"m.algorithm=leaky-bucket", "m.burst=2", "n.rate=1/s", "n.algorithm=sliding-log", "n.burst=2",
				"u.rate=1/s", "u.algorithm=sliding-window", "u.burst=5s", "p.rate=9/s", "p.algorithm=sliding-log",
				"p.max-reserved=5", "p.max-wait=1s", "q.rate=9/s", "q.max-reserved=-1", "q.max-wait=-1s", "t.rate=9/s",
				"t.max-wait=1500ns", "r.rate=9/s", "r.max-wait=3651d", "s.rate=9/s", "s.algorithm=leaky-bucket",
				"s.max-wait=1s", "s.cost=11", "o.rate=9/s", "o.algorithm=leaky-bucket", "o.cost=2"),
				"Rule 'a': burst must earn at least 1 permit at 1/m (was '30s')|tierlimit.rules.a.burst (test)",
				"Rule 'b': burst must be from 10, the permits of the rate, to 1000000000000 permits (was '30s'). Correct tierlimit.rules.b.burst (test).",
				"Rule 'c': window.start is not supported by token-bucket. Set algorithm to fixed-window, or remove tierlimit.rules.c.window.start (test).",
				"Rule 'd': burst must be from 10|(was '9')|tierlimit.rules.d.burst (test)",
				"Rule 'e': window.start must be shorter than the period of rate, 10/m (was '1m')|tierlimit.rules.e.window.start (test)",
				"Rule 'f': burst must earn at least 1 permit at 10/m (was '1s')|tierlimit.rules.f.burst (test)",
				"Rule 'g': burst must be 1 to 1000000000000 permits, or a time|(was 'many')|tierlimit.rules.g.burst (test)",
				"Rule 'h': algorithm must be one of token-bucket, fixed-window, sliding-window, sliding-log, leaky-bucket, concurrency (was 'bucket')|tierlimit.rules.h.algorithm (test)",
				"Rule 'j': cost 6 is above the capacity of 5|Lower tierlimit.rules.j.cost (test), or raise the burst.",
				"Rule 'k': rate must have at most 1000 permits|(was '1001/s')|tierlimit.rules.k.rate (test)",
				"Rule 'l': rate must have a period of at most 1825 days|(was '1/2000d')|tierlimit.rules.l.rate (test)",
				"Rule 'm': burst is not supported by leaky-bucket. Remove tierlimit.rules.m.burst (test).",
				"Rule 'n': burst is not supported by sliding-log. Remove tierlimit.rules.n.burst (test).",
				"Rule 'u': burst is not supported by sliding-window. Remove tierlimit.rules.u.burst (test).",
				"Rule 'o': cost 2 is above the capacity of 1|Lower tierlimit.rules.o.cost (test), or set another algorithm.",
				"Rule 'p': max-reserved is not supported by sliding-log. Set algorithm to token-bucket, leaky-bucket or fixed-window, or remove tierlimit.rules.p.max-reserved (test)",
				"Rule 'p': max-wait is not supported by sliding-log. Set algorithm to token-bucket, leaky-bucket or fixed-window, or remove tierlimit.rules.p.max-wait (test)",
				"Rule 'q': max-reserved must be from 0 to 1000000000000 permits (was '-1')|tierlimit.rules.q.max-reserved (test)",
				"Rule 'q': max-wait must be from 0s to 3650d (was '-1s')|tierlimit.rules.q.max-wait (test)",
				"Rule 'r': max-wait must be from 0s to 3650d (was '3651d')|tierlimit.rules.r.max-wait (test)",
				"Rule 't': max-wait must be a whole number of microseconds (was '1500ns')|tierlimit.rules.t.max-wait (test)",
				"Rule 's': cost 11 is above the capacity of 1|tierlimit.rules.s.cost (test)",
				"Rule 'i', plan 'pro': burst must be from 20|(was '10')|tierlimit.rules.i.plans.pro.burst (test)");
	}

	@Test
	void ruleThatIsNotEnabledIsLeftOut() {
		assertThat(rules("tierlimit.rules.off.rate=nonsense", "tierlimit.rules.off.enabled=false")).isEmpty();
	}

	@Test
	void allMistakesAreReportedTogether() {
		List<String> problems = problems("a.rate=10", "b.scope=ip", "c.rate=1/s", "c.burst=0", "d.rate=1/s",
				"d.scope=apikey", "e.rate=1/s", "e.plans.pro.burst=5", "f.rate=1/s", "f.condition=usr == 'x'",
				"g.rate=1/s", "g.cost=-1)", "h.rate=1/s", "h.burst=five", "i.rate=1/s", "i.plans.pro.rate=2/s",
				"i.plans.pro.unlimited=true", "j.rate=1/s", "j.scope=global,ip", "[k k].rate=1/s", "l.rate=1/s",
				"l.key=headers('a')", "m.rate=5/s", "m.cost=6", "n.rate=5/s", "n.cost=3", "n.plans.pro.rate=2/s",
				"o.rate=1/s", "o.mode=monitor", "p.rate=1/s", "p.on-missing-key=yes", "q.rate=1/s", "q.enabled=perhaps",
				"r.rate=1/s", "r.rats=1/s", "s.rate=0/s", "t.rate=1000000000000000/s", "u.rate=1/s",
				"u.plans.pro.capacity=1", "v.rate=1/s", "v.applies-to=all", "w.rate=1/s", "w.headers=none",
				"x.rate=1/s", "x.cost=-1", "y.rate=1/s", "y.cost=#items.size()", "z.rate=9/s", "z.cost=2 * 3",
				"aa.rate=1/s", "aa.plans[ ].rate=2/s", "ab.rate=1/s", "ab.methods=GET POST", "ac.rate=1/s",
				"ac.candidate.plans.pro.foo=1");
		assertReported(problems,
				"Rule 'a': rate must be permits per period with a unit out of ms, s, m, h and d, such as 10/s, 100/m or 1000/15m (was '10'). Correct tierlimit.rules.a.rate (test).",
				"Rule 'b' (test) has no rate. Set tierlimit.rules.b.rate to permits per period, such as 10/s.",
				"Rule 'c': burst must be 1 to 1000000000000 permits (was '0')|tierlimit.rules.c.burst (test)",
				"Rule 'd': scope 'apikey' does not exist. The built-in scopes are user, ip, endpoint, plan, global; the KeyResolver beans are []. Correct tierlimit.rules.d.scope (test), or define a KeyResolver bean named 'apikey'.",
				"Rule 'e', plan 'pro' (test) has no rate. Set tierlimit.rules.e.plans.pro.rate to permits",
				"Rule 'f': A caller has no fact 'usr'. The facts are [method, path,|Correct tierlimit.rules.f.condition (test).",
				"Rule 'g': '-1)' is not a valid SpEL expression: EL1041E|Correct tierlimit.rules.g.cost (test).",
				"Rule 'h': burst must be 1 to|(was 'five')|Correct tierlimit.rules.h.burst (test).",
				"Rule 'i', plan 'pro': unlimited cannot be combined with rate, burst or limit. Remove these, or tierlimit.rules.i.plans.pro.unlimited (test).",
				"Rule 'j': scope 'global' cannot be combined|(was 'global,ip')|tierlimit.rules.j.scope (test)",
				"Rule 'k k': the id of a rule must have 1 to 100 letters|(was 'k k')|Correct tierlimit.rules[k k] (test).",
				"Rule 'l': A caller has no fact 'headers()'.|header('name')|Correct tierlimit.rules.l.key (test).",
				"Rule 'm': cost 6 is above the capacity of 5, so the rule would reject every request. Lower tierlimit.rules.m.cost (test), or raise the burst.",
				"Rule 'n': cost 3 is above the capacity of 2 of plan 'pro'|Lower tierlimit.rules.n.cost (test), or raise the plan's burst.",
				"Rule 'o': mode must be one of enforce, shadow (was 'monitor')|tierlimit.rules.o.mode (test)",
				"Rule 'p': on-missing-key must be one of ip, skip, deny (was 'yes')|tierlimit.rules.p.on-missing-key (test)",
				"Rule 'q': enabled must be true or false (was 'perhaps')|tierlimit.rules.q.enabled (test)",
				"Rule 'r': 'rats' is not a known property. Known properties are enabled, applies-to, scope, paths, exclude-paths, methods, algorithm, rate, burst, limit, max-duration, retry-after-hint, window, plans, key, cost, headers, on-missing-key, mode, on-store-failure, condition, max-reserved, max-wait, charge-on, reset-on, actual-cost, max-debt, ban, enforce-share, schedule, shards, candidate, adaptive. Correct or remove tierlimit.rules.r.rats (test).",
				"Rule 's': rate must have 1 to 1000000000000 permits per period (was '0/s')|tierlimit.rules.s.rate (test)",
				"Rule 't': rate must have 1 to 1000000000000 permits per period (was '1000000000000000/s')|tierlimit.rules.t.rate (test)",
				"Rule 'u', plan 'pro': 'capacity' is not a known property. Known properties are rate, burst, limit, unlimited|tierlimit.rules.u.plans.pro.capacity (test)",
				"Rule 'v': applies-to must be one of requests, code (was 'all')|tierlimit.rules.v.applies-to (test)",
				"Rule 'w': headers must be one of shown, hidden (was 'none')|tierlimit.rules.w.headers (test)",
				"Rule 'x': cost must be a whole number of 0 or more (was '-1')|tierlimit.rules.x.cost (test)",
				"Rule 'y': '#items' is not supported|Correct tierlimit.rules.y.cost (test).",
				"Rule 'aa': a plan has no name", "Rule 'ab': method 'GET POST' is not a valid HTTP method",
				"Rule 'ac', plan 'pro': 'foo' is not a known property.");
	}

	@Test
	void unknownPropertiesAreFoundAnywhere() {
		assertReported(allProblems("tierlimit.header.styles=draft-11", "tierlimit.headers.style=draft-11",
				"tierlimit.rule.a.rate=1/s", "tierlimit.headers.styles[0]=draft-11", "tierlimit.memory.max-buckets.x=1",
				"tierlimit.rules.b.rate=1/s", "tierlimit.rules.b.charge-on.status=401"),
				"tierlimit: 'header' is not a known property. Known properties are enabled, mode, rules, overrides, audit, client-ip, headers|Correct or remove tierlimit.header.styles (test).",
				"tierlimit.headers: 'style' is not a known property. Known properties are styles, expose, retry-after-jitter|tierlimit.headers.style (test)",
				"tierlimit: 'rule' is not a known property. Known properties are enabled, mode, rules|Correct or remove tierlimit.rule.a.rate (test).",
				"tierlimit.memory.max-buckets has no property 'x', because it is a single value. Correct or remove tierlimit.memory.max-buckets.x (test).",
				"tierlimit.rules.b.charge-on has no property 'status', because it is a list of values. Correct or remove tierlimit.rules.b.charge-on.status (test).");
	}

	@Test
	void valuesThatCannotBeConvertedAreReportedWithTheRest() {
		assertReported(
				allProblems("tierlimit.headers.styles=draft-11,draft-10", "tierlimit.memory.max-buckets=many",
						"tierlimit.rules.a.mode=monitor", "tierlimit.rules.b=10/s", "tierlimit.rules.c.paths=/a,/b/{c",
						"tierlimit.rules.c.rate=1/s", "tierlimit.rules.d.mode="),
				"tierlimit.headers.styles must be one of draft-11, draft-06, x-ratelimit, x-ratelimit-delta (was 'draft-11,draft-10'). Correct tierlimit.headers.styles (test).",
				"tierlimit.memory.max-buckets must be a whole number (was 'many'). Correct tierlimit.memory.max-buckets (test).",
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
		assertReported(ReportedProblems.of(withSource("yaml", yaml)),
				"Rule 'a': max-reserved must be a whole number (was '1.9')|tierlimit.rules.a.max-reserved (yaml)",
				"tierlimit.memory.max-buckets must be a whole number (was '100.5')|(yaml)",
				"Rule 'c': '0.5' is not supported in an expression|tierlimit.rules.c.cost (yaml)");
	}

	@Test
	void emptyValueIsTheDefault() {
		assertThat(read("rate=10/s", "enabled=", "applies-to=", "exclude-paths=", "burst=", "cost=", "headers=",
				"on-missing-key=", "mode=", "charge-on=", "reset-on=", "plans.pro.rate=2/s", "plans.pro.burst=",
				"plans.pro.unlimited="))
			.isEqualTo(read("rate=10/s", "plans.pro.rate=2/s"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "applies-to", "exclude-paths", "burst", "cost", "headers", "on-missing-key", "mode",
			"charge-on", "reset-on", "plans.pro.burst" })
	void blankValueIsTheDefault(String property) {
		Map<String, Object> blank = Map.of("tierlimit.rules.r." + property, " ");
		Rule plain = read("rate=10/s", "plans.pro.rate=2/s");
		withSource("blank", blank)
			.withPropertyValues("tierlimit.rules.r.rate=10/s", "tierlimit.rules.r.plans.pro.rate=2/s")
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).rules().rules())
				.containsExactly(plain));
	}

	/** Spring Boot would read a number as milliseconds. */
	@Test
	void timeWithoutAUnitFailsStartup() {
		List<String> times = List.of("max-wait", "window.start", "ban.within", "ban.for", "ban.max",
				"candidate.window.start", "adaptive.target-latency", "adaptive.recovery");
		for (Object written : List.of(60, "60", "+60", "${no.such:60}")) {
			Map<String, Object> yaml = new HashMap<>();
			for (String time : times) {
				yaml.put("tierlimit.rules." + time.replace('.', '-') + "." + time, written);
				yaml.put("tierlimit.rules." + time.replace('.', '-') + ".rate", "10/s");
			}
			List<String> problems = ReportedProblems.of(withSource("yaml", yaml));
			String text = written.equals("+60") ? "+60" : "60";
			for (String time : times) {
				assertThat(problems).contains("Rule '" + time.replace('.', '-') + "': " + time
						+ " must be a time such as 500ms, 10s or 5m (was '" + text + "'). Correct tierlimit.rules."
						+ time.replace('.', '-') + "." + time + " (yaml).");
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "0s", "00", "PT0S", "${no.such:0}" })
	void timeOfZeroNeedsNoUnit(String zero) {
		assertThat(read("rate=10/s", "max-wait=" + zero)).isEqualTo(read("rate=10/s"));
	}

	/**
	 * Otherwise a rule per address for one path would become a global rule for all paths.
	 */
	@ParameterizedTest
	@CsvSource({ "scope, ''", "scope, ' '", "key, ''", "paths, ''", "paths, ${no.such:}", "methods, ''",
			"condition, ' '", "scope[0], ''", "paths[0], ' '", "methods[0], ''" })
	void emptyValueThatWouldWidenTheRuleFailsStartup(String property, String empty) {
		String name = property.replace("[0]", "");
		Map<String, Object> profile = Map.of("tierlimit.rules.r." + property, empty);
		withSource("profile", profile)
			.withPropertyValues("tierlimit.rules.r.rate=10/s", "tierlimit.rules.r.scope=ip",
					"tierlimit.rules.r.paths=/a")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("Rule 'r': " + name + " is empty, so the rule would apply to other requests or "
						+ "callers than intended. Set a value, or remove tierlimit.rules.r." + property
						+ " (profile)."));
	}

	@Test
	void expressionThatCannotWorkFailsStartup() {
		assertProblems(
				"""
						condition=path.startWith('/api')     | 'startWith('/api')' is not supported in an expression, because a java.lang.String lacks it: correct its name, or use a KeyResolver bean with on-missing-key: skip
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
						""",
				"rate=5/s");
	}

}
