package io.tierlimit.autoconfigure.rules;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.autoconfigure.ReportedProblems;
import io.tierlimit.evaluation.OverrideEditor;
import io.tierlimit.evaluation.OverrideEditor.Edit;
import io.tierlimit.evaluation.ReloadResult;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.CallerOverride.Kind;
import io.tierlimit.rule.CallerOverride.Target;
import io.tierlimit.spi.KeyResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;

import static io.tierlimit.autoconfigure.ReportedProblems.assertReported;
import static io.tierlimit.autoconfigure.rules.ContextRules.reload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

/**
 * Overrides of the configuration and of rule sources.
 */
@ExtendWith(OutputCaptureExtension.class)
class OverrideSourceTests extends OverrideTestSetup {

	@Test
	void configurationHasOverrides() {
		with("acme.user=acme acme.rules=perUser acme.rate=100/s acme.burst=2s acme.until=2030-01-31T18:00:00+01:00 "
				+ "office.address=203.0.113.0/24 office.unlimited=on one.key=ip:203.0.113.7 one.rules=per-ip "
				+ "one.rate=40/m one.burst=2m")
			.withPropertyValues("tierlimit.overrides.acme.reason= sale ")
			.run((context) -> {
				assertThat(overrides(context)).containsExactlyInAnyOrder(
						new CallerOverride("acme", new Target(Kind.USER, List.of("acme")), Set.of("per-user"),
								Effect.LIMIT, Map.of("per-user", new TokenBucket(Rate.parse("100/s"), 200)),
								Instant.parse("2030-01-31T17:00:00Z"), "sale"),
						new CallerOverride("office", new Target(Kind.ADDRESS, List.of("203.0.113.0/24")), Set.of(),
								Effect.UNLIMITED, Map.of(), null, null),
						new CallerOverride("one", new Target(Kind.KEY, List.of("ip:203.0.113.7")), Set.of("per-ip"),
								Effect.LIMIT,
								Map.of("per-ip", new FixedWindow(Rate.parse("40/m"), 80, Duration.ofSeconds(10))), null,
								null));
				assertThat(editor(context).originOf(override(context, "acme"))).isEqualTo("test");
			});
	}

	/** Each line has the properties of an override, and a part of its problem. */
	private static final String MISTAKES = """
			rate=1/s rules=per-user | exactly one of user, address and key must be set
			user=a address=::1 unlimited=true | exactly one of user, address and key must be set
			user=a | exactly one of rate, limit, unlimited and blocked must be set
			user=a unlimited=true blocked=true | exactly one of rate, limit, unlimited and blocked must be set
			user=a burst=5 unlimited=true rules=per-user | exactly one of rate, limit, unlimited and blocked must be set
			user=a burst=5 rules=per-user | has no rate
			user=a rate=1/s | rate replaces the limit of rules, but rules is not set. Set tierlimit.overrides.o.rules to the ids of rules
			user=a rate=1/s rules=per-usr | rule 'per-usr' does not exist. The rules are [all, both, per-ip, per-user]. Correct tierlimit.overrides.o.rules (test)
			user=a rate=1/s rules=per-ip | rule 'per-ip' has no buckets of its own for users, because its scope is ip
			address=::1/64 rate=1/s rules=per-ip | '::1/64' has bits below its prefix: write ::/64
			address=10.0.0.1 rate=1/s rules=all | rule 'all' has no buckets of its own for addresses, because its scope is global
			address=2001:db8::1 unlimited=true | address '2001:db8::1' is only a part of a client
			address=localhost unlimited=true | 'localhost' is not a valid network
			key=a blocked=true | key is the key of a rule, but rules is not set
			key=a,b blocked=true rules=per-user | key [a, b] cannot be a key of rule 'per-user', whose parts are [user]. Set tierlimit.overrides.o.key (test) to the name and the value of each part: user:<value>.
			key=mallory blocked=true rules=per-user | key [mallory] cannot be a key of rule 'per-user', whose parts are [user]. Set tierlimit.overrides.o.key (test) to the name and the value of each part: user:mallory.
			key=name:mallory blocked=true rules=per-user | key [name:mallory] cannot be a key of rule 'per-user', whose parts are [user]. Set tierlimit.overrides.o.key (test) to the name and the value of each part: user:<value>.
			key=user:a,user:b blocked=true rules=per-user | key [user:a, user:b] cannot be a key of rule 'per-user'
			key=user:a,ip:::1 blocked=true rules=per-user | key [ip:::1, user:a] cannot be a key of rule 'per-user'
			key=user:a blocked=true rules=per-user,per-ip | key [user:a] cannot be a key of rule 'per-ip', whose parts are [ip]
			key=user:a blocked=true rules=both | key [user:a] cannot be a key of rule 'both', whose parts are [ip, user]. Set tierlimit.overrides.o.key (test) to the name and the value of each part: [ip:<value>, user:<value>].
			key=user:a blocked=true rules=all | rule 'all' has no buckets of its own for keys, because its scope is global. Remove the rule from tierlimit.overrides.o.rules
			key=user:(hash)0123456789abcdef0123456789abcdef blocked=true rules=per-user | key has the part 'user:(hash)0123456789abcdef0123456789abcdef', which replaces a value in lists of keys
			key=user:(ip)203.0.113.7 blocked=true rules=per-user | so the override would match no request. Write the value itself in tierlimit.overrides.o.key
			key=(none) blocked=true rules=per-user | key has the part '(none)'
			key=user: unlimited=true rules=per-user | key has the part 'user:', whose value is empty. Write the value in tierlimit.overrides.o.key (test).
			key=ip:::1,user: rate=9/s rules=both | key has the part 'user:', whose value is empty
			key=ip:2001:db8::1 blocked=true rules=per-ip | key has the address '2001:db8::1', but a bucket of rule 'per-ip' belongs to one client, so the override would match no request. Use ip:2001:db8::/64 in tierlimit.overrides.o.key
			key=ip:2001:db8::1/64 blocked=true rules=per-ip | Use ip:2001:db8::/64 in
			key=ip:2001:DB8::/64 blocked=true rules=per-ip | Use ip:2001:db8::/64 in
			key=ip:::ffff:203.0.113.7 blocked=true rules=per-ip | Use ip:203.0.113.7 in
			key=ip:203.0.113.7:80 blocked=true rules=per-ip | Use ip:203.0.113.7 in
			key=ip:203.0.113.0/24 blocked=true rules=per-ip | Use ip:203.0.113.0 in tierlimit.overrides.o.key (test), or set address instead of key
			user=a rate=1/x rules=per-user | (was '1/x'). Correct tierlimit.overrides.o.rate
			key=ip:203.0.113.7 rate=5/m burst=4 rules=per-ip | burst must be from 5, the permits of the rate, to 1000000000000 permits (was '4'). Correct tierlimit.overrides.o.burst
			user=a unlimited=true until=tomorrow | until must be a date and a time with an offset, such as 2030-01-31T18:00:00Z (was 'tomorrow'). Correct tierlimit.overrides.o.until
			user=a unlimited=true until=2030-01-31T18:00:00 | until must be a date and a time with an offset
			user=a unlimited=yess | tierlimit.overrides.o.unlimited
			user=a unlimited=true untl=x | Override 'o': 'untl' is not a known property. Known properties are rules, user, address, key, rate
			""";

	@Test
	void mistakesOfTheConfigurationPreventStartup() {
		List<String> problems = new ArrayList<>();
		StringBuilder overrides = new StringBuilder();
		for (String line : MISTAKES.strip().split("\n", -1)) {
			String id = "o" + problems.size();
			String[] parts = line.split(" \\| ", 2);
			for (String property : parts[0].split(" ", -1)) {
				overrides.append(id).append('.').append(property).append(' ');
			}
			problems.add(parts[1].replace("overrides.o", "overrides." + id).replace("'o'", "'" + id + "'"));
		}
		List<String> reported = ReportedProblems.of(with(overrides.toString()));
		for (int i = 0; i < problems.size(); i++) {
			String expected = problems.get(i);
			String id = "o" + i;
			assertThat(reported).as(expected)
				.anyMatch((problem) -> problem.matches("(?s).*\\b" + id + "\\b.*") && problem.contains(expected));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "2001:db8::/64", "203.0.113.7", "2002::/16", "unix-socket", "/run/socket", "(hash)x" })
	void keyMayHaveTheAddressOfAClient(String address) {
		with("o.key=ip:" + address + " o.rules=per-ip o.blocked=true").run((context) -> {
			RateLimiter limiter = context.getBean(RateLimiter.class);
			assertThat(limiter.peek(PermitRequest.of("per-ip").ip(address)).allowed()).isFalse();
		});
	}

	@Test
	void addressOfAKeyHasThePrefixOfClients() {
		with("o.rules=per-ip o.blocked=true o.key=ip:2001:db8::1 p.key=ip:203.0.113.7 p.rules=per-ip p.blocked=true")
			.withPropertyValues("tierlimit.client-ip.ipv6-prefix=48")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("Use ip:2001:db8::/48 in")
				.hasMessageNotContaining("203.0.113.7"));
	}

	/** The name of a user may look like a part of a key. */
	@Test
	void keyIsComparedByItsParts() {
		with("o.key=user:mallory o.rules=per-user o.blocked=true p.key[0]=user:user:alice p.rules=per-user "
				+ "p.blocked=true")
			.run((context) -> {
				assertThat(allows(context, "mallory")).isFalse();
				assertThat(allows(context, "user:mallory")).isTrue();
				assertThat(allows(context, "user:alice")).isFalse();
				assertThat(allows(context, "alice")).isTrue();
			});
	}

	@Test
	void partsOfAResolverWhoseNameHasAColonAreRead() {
		ApplicationContextRunner tenants = with("o.rules=per-tenant o.blocked=true")
			.withBean("tenant:id", KeyResolver.class, () -> (caller) -> "acme")
			.withPropertyValues("tierlimit.rules.per-tenant.rate=1/s", "tierlimit.rules.per-tenant.scope=tenant:id");
		assertFails(tenants.withPropertyValues("tierlimit.overrides.o.key=tenant:id:(none)"),
				"'tenant:id:(none)', which replaces a value in lists of keys");
		assertFails(tenants.withPropertyValues("tierlimit.overrides.o.key=tenant:id:"),
				"'tenant:id:', whose value is empty");
		tenants.withPropertyValues("tierlimit.overrides.o.key=tenant:id:(any)")
			.run((context) -> assertThat(overrides(context)).hasSize(1));
	}

	@Test
	void partWithoutAValueIsReportedOnce() {
		ApplicationContextRunner twoRules = with("o.key=user: o.rules=per-user,other o.unlimited=true")
			.withPropertyValues("tierlimit.rules.other.rate=1/s", "tierlimit.rules.other.scope=user");
		assertReported(ReportedProblems.of(twoRules), "key has the part 'user:', whose value is empty");
	}

	@Test
	void keyWithAValueThatBeginsWithABlankIsWarnedOf() {
		ApplicationContextRunner blank = with("o.rules=per-user o.blocked=true")
			.withPropertyValues("tierlimit.overrides.o.key=user: mallory");
		assertWarned(blank, "key has the part 'user: mallory', whose value begins with a blank",
				"tierlimit.overrides.o.key");
		blank.run((context) -> {
			assertThat(allows(context, "mallory")).isTrue();
			assertThat(allows(context, " mallory")).isFalse();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = {
			"o.key=user:a,ip:192.0.2.1 o.rules=both o.blocked=true p.key=ip:192.0.2.1,user:a p.rules=both p.unlimited=true",
			"o.user=acme o.blocked=true p.user=acme p.unlimited=true p.rules=per-ip" })
	void twoOverridesOfOneSourceMustNotOverlap(String overrides) {
		assertFails(with(overrides), "override 'o' is for the same caller, and for the same rules");
	}

	@Test
	void inactiveRuleHasNoOverride() {
		with("o.user=a o.rules=off o.rate=1/s").run((context) -> assertThat(override(context, "o").limits()).isEmpty());
	}

	/** Without the blank, the value is the name of another user. */
	@ParameterizedTest
	@ValueSource(strings = { "victim ", " victim", "\tvictim", "victim\n" })
	void nameWithABlankAtAnEndIsAProblemInAllSources(String name) {
		String problem = " must not begin or end with a blank (was '" + name + "'). Correct ";
		for (String property : List.of("user", "key")) {
			Map<String, Object> configured = Map.of("tierlimit.overrides.o." + property, name);
			assertFails(with("o.rules=per-user o.blocked=true").withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("file", configured))), "Override 'o': " + property + problem);
			this.table.override("o", Map.of(property, name, "rules", "per-user", "blocked", "true"));
			assertFails(this.withTable, "Override 'o': " + property + problem);
			this.table.overrides.clear();
		}
		this.withTable.run((context) -> {
			Edit edit = editor(context).set("o", Map.of("user", name, "blocked", "true"));
			assertThat(edit.problems()).singleElement(STRING).contains("user" + problem);
			assertThat(this.table.overrides).isEmpty();
			assertThat(allows(context, "victim")).isTrue();
		});
	}

	@ParameterizedTest
	@CsvSource({ "0.0.0.0/0, blocked, IPv4", "::/0, blocked, IPv6", "::ffff:0:0/96, blocked, IPv4",
			"0.0.0.0/0, unlimited, IPv4" })
	void overrideOfAllAddressesIsAWarning(String network, String effect, String family, CapturedOutput output) {
		String warning = "address '" + network + "' is the network of all " + family
				+ " addresses, so each of these clients is " + effect + ". Correct or remove ";
		with("o.address=" + network + " o." + effect + "=true").run((context) -> {
			assertThat(context.getBean(ConfiguredRules.class).warnings())
				.containsExactly("Override 'o': " + warning + "tierlimit.overrides.o.address (test).");
			OverrideEditor editor = editor(context);
			Map<String, String> everybody = Map.of("address", network, effect, "true", "rules", "per-ip");
			for (int i = 1; i < 3; i++) {
				assertThat(editor.set("o", everybody).outcome()).isEqualTo(Edit.Outcome.DONE);
				assertThat(output.getOut().split(Pattern.quote(warning + "address (management endpoint)"), -1))
					.as("edit " + i)
					.hasSize(i + 1);
				assertThat(editor.remove("o").outcome()).isEqualTo(Edit.Outcome.DONE);
			}
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "o.address=128.0.0.0/1 o.blocked=true", "o.address=0.0.0.0/0 o.rate=1/m",
			"o.address=128.0.0.0/1 o.unlimited=true" })
	void overrideOfANetworkIsNotAWarning(String override) {
		assertNotWarned(with(override + " o.rules=per-ip"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			address=10.0.0.1 rules=dark blocked=true | is enforced, so the caller is not blocked | blocked
			user=a rules=off blocked=true | is enforced, so the caller is not blocked | blocked
			address=10.0.0.1 rules=off,dark blocked=true | is enforced, so the caller is not blocked | blocked
			user=a rules=per-ip,all unlimited=true | reads the user, so it probably has no effect | user
			user=a rules=per-ip blocked=true | reads the user, so it probably has no effect | user
			user=a unlimited=true until=2020-01-01T00:00:00Z | until '2020-01-01T00:00:00Z' is in the past | until
			""")
	void overrideWithoutEffectIsAWarning(String properties, String problem, String property, CapturedOutput output) {
		String[] shadow = { "tierlimit.rules.dark.rate=1/s", "tierlimit.rules.dark.mode=shadow" };
		assertWarned(with(properties.strip().replaceAll("(^| )", "$1o.")).withPropertyValues(shadow), "Override 'o': ",
				problem, "tierlimit.overrides.o." + property + " (test).");
		this.runner.withPropertyValues(shadow).run((context) -> {
			Map<String, String> edited = new LinkedHashMap<>();
			for (String each : properties.strip().split(" ", -1)) {
				edited.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
			}
			assertThat(editor(context).set("o", edited).outcome()).isEqualTo(Edit.Outcome.DONE);
			assertThat(output.getOut()).contains(problem, property + " (management endpoint).");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "user=a unlimited=true", "user=a rules=per-ip,per-user blocked=true",
			"user=a rules=methods blocked=true", "user=a rules=plans unlimited=true", "user=a rules=key unlimited=true",
			"user=a rules=condition unlimited=true", "user=a rules=cost unlimited=true",
			"user=a rules=dark unlimited=true", "user=a rules=dark,per-user blocked=true",
			"user=a rules=off unlimited=true", "address=10.0.0.1 rules=all blocked=true",
			"user=a rules=per-user rate=1/s until=2999-01-01T00:00:00Z" })
	void overrideWithAnEffectIsNotAWarning(String properties) {
		assertNotWarned(with(properties.replaceAll("(^| )", "$1o.")).withPropertyValues("tierlimit.rules.dark.rate=1/s",
				"tierlimit.rules.dark.scope=user", "tierlimit.rules.dark.mode=shadow",
				"tierlimit.rules.methods.rate=1/s", "tierlimit.rules.methods.applies-to=code",
				"tierlimit.rules.plans.rate=1/s", "tierlimit.rules.plans.plans.pro.rate=2/s",
				"tierlimit.rules.key.rate=1/s", "tierlimit.rules.key.key=header('X')",
				"tierlimit.rules.condition.rate=1/s", "tierlimit.rules.condition.condition=user != null",
				"tierlimit.rules.cost.rate=1/s", "tierlimit.rules.cost.cost=user == null ? 1 : 0"));
	}

	/** There may be many such overrides while a rule is disabled. */
	@Test
	void onlySomeOfManyOverridesWithoutEffectAreReported() {
		for (int i = 0; i < 1000; i++) {
			this.table.override("o" + i, Map.of("user", "u" + i, "rules", "off", "blocked", "true"));
		}
		this.withTable.run((context) -> assertThat(context.getBean(ConfiguredRules.class).warnings()).hasSize(10));
	}

	/** A source may also return overrides that have ended long ago. */
	@Test
	void overrideOfASourceThatHasEndedIsNotAWarning() {
		this.table.override("o", Map.of("user", "a", "unlimited", "true", "until", "2020-01-01T00:00:00Z"));
		assertNotWarned(this.withTable);
	}

	@Test
	void sourceReplacesAnOverrideAndAddsOthers() {
		this.table.override("acme", Map.of("user", "acme", "blocked", "true"))
			.override("other", Map.of("key[0]", "user:a,b", "rules", "per-user", "unlimited", "true"));
		this.withTable
			.withPropertyValues(properties("Acme.user=acme Acme.unlimited=true last.user=acme last.unlimited=true"))
			.run((context) -> {
				assertThat(overrides(context)).extracting(CallerOverride::id).containsExactly("acme", "other", "last");
				assertThat(editor(context).originOf(override(context, "acme"))).isEqualTo("table, override 'acme'");
				assertThat(overrides(context).get(1).target().values()).containsExactly("user:a,b");
				assertThat(allows(context, "acme")).isFalse();
			});
	}

	/** For the end of an override, the sources are not read again. */
	@Test
	void replacedOverrideAppliesAgainAtTheEndOfTheOther() {
		this.table.override("acme", Map.of("user", "acme", "blocked", "true", "until", "2030-01-01T00:00:00Z"));
		this.withTable.withBean(Clock.class, () -> this.clock)
			.withPropertyValues(properties("acme.user=acme acme.rules=per-user acme.rate=1/d acme.burst=7 "
					+ "acme.until=2031-01-01T00:00:00Z"))
			.run((context) -> {
				OverrideEditor editor = editor(context);
				assertThat(overrides(context)).extracting(CallerOverride::effect, editor::originOf)
					.containsExactly(tuple(Effect.BLOCKED, "table, override 'acme'"), tuple(Effect.LIMIT, "test"));
				assertThat(allows(context, "acme")).isFalse();
				this.now = Instant.parse("2030-01-01T00:00:00Z");
				assertThat(remaining(context, "acme")).isEqualTo(6);
				this.now = Instant.parse("2031-01-01T00:00:00Z");
				assertThat(remaining(context, "acme")).isEqualTo(49);
			});
	}

	/** A replaced override may have another caller, other rules and another effect. */
	@Test
	void replacedOverrideDoesNotApplyBefore() {
		this.table.override("acme", Map.of("user", "other", "unlimited", "true", "until", "2030-01-01T00:00:00Z"));
		this.withTable.withBean(Clock.class, () -> this.clock)
			.withPropertyValues("tierlimit.overrides.acme.user=acme", "tierlimit.overrides.acme.blocked=true")
			.run((context) -> {
				assertThat(allows(context, "acme")).isTrue();
				this.now = Instant.parse("2030-01-01T00:00:00Z");
				assertThat(allows(context, "acme")).isFalse();
			});
	}

	@ParameterizedTest
	@CsvSource({ "2030-01-01T00:00:00Z, 2029-12-31T00:00:00Z, 1", "2030-01-01T00:00:00Z, 2030-01-01T00:00:00Z, 1",
			"2030-01-01T00:00:00Z, 2030-01-02T00:00:00Z, 2", "'', 2030-01-02T00:00:00Z, 1",
			"2030-01-01T00:00:00Z, '', 2" })
	void replacedOverrideThatEndsBeforeIsNotKept(String replacing, String replaced, int number) {
		this.table.override("acme", Map.of("user", "acme", "blocked", "true", "until", replacing));
		this.withTable.withPropertyValues(properties("acme.user=acme acme.unlimited=true acme.until=" + replaced))
			.run((context) -> assertThat(overrides(context)).hasSize(number));
	}

	@Test
	void brokenOverrideOfASourceLeavesThePreviousOnesActive(CapturedOutput output) {
		this.table.override("acme", Map.of("user", "acme", "blocked", "true"));
		this.withTable.run((context) -> {
			this.table.override("acme", Map.of("user", "acme", "blocked", "maybe", "rat", "1/s"));
			ReloadResult result = context.getBean(RuleReloader.class).reload();
			assertThat(result.outcome()).isEqualTo(Outcome.INVALID);
			assertThat(result.problems()).contains(
					"Override 'acme': blocked must be true or false (was 'maybe'). Correct blocked (table, override 'acme').",
					"Override 'acme': 'rat' is not a known property. Known properties are rules, user, address, key, rate, burst, limit, unlimited, blocked, until, reason. Correct or remove rat (table, override 'acme').");
			assertThat(allows(context, "acme")).isFalse();
			this.table.override("acme", Map.of("user", "acme", "unlimited", "true"));
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(allows(context, "acme")).isTrue();
			assertThat(output).contains("The overrides were reloaded: 1 of them.");
		});
	}

	@Test
	void tooManyOverridesAreAProblem() {
		for (int i = 0; i <= OverrideReader.MAX_OVERRIDES; i++) {
			this.table.override("o" + i, Map.of("user", "u" + i, "unlimited", "true"));
		}
		assertFails(this.withTable, "There are 100001 overrides, but at most 100000 are supported");
	}

	@Test
	void overrideOfTheConfigurationThatHasEndedDoesNotPreventAnother() {
		with("a.user=acme a.unlimited=true a.until=2020-01-01T00:00:00Z b.user=acme b.blocked=true")
			.run((context) -> assertThat(allows(context, "acme")).isFalse());
	}

	@Test
	void partsOfAKeyMayBeInAnyOrder() {
		with("o.key[1]=ip:203.0.113.7 o.rules=both o.key[0]=user:acme o.blocked=true")
			.run((context) -> assertThat(override(context, "o").target().values()).containsExactly("ip:203.0.113.7",
					"user:acme"));
	}

}
