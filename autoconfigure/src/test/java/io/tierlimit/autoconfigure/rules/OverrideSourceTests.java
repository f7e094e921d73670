package io.tierlimit.autoconfigure.rules;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleMode;
import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.evaluation.OverrideEditor;
import io.tierlimit.evaluation.OverrideEditor.Edit;
import io.tierlimit.evaluation.OverrideEditor.Placed;
import io.tierlimit.evaluation.ReloadResult;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.evaluation.RulesInForce;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.redis.Poll;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.CallerOverride.Kind;
import io.tierlimit.rule.CallerOverride.Target;
import io.tierlimit.spi.OverrideStore;
import io.tierlimit.spi.RuleSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Overrides of the configuration and of rule sources, and edits.
 */
@ExtendWith(OutputCaptureExtension.class)
class OverrideSourceTests {

	private static final Map<String, String> BLOCKED = Map.of("user", "mallory", "blocked", "true");

	private final Table table = new Table();

	private Instant now = Instant.parse("2029-01-01T00:00:00Z");

	private final InstantSource time = () -> this.now;

	private final Clock clock = this.time.withZone(ZoneOffset.UTC);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class))
		.withPropertyValues("tierlimit.store=memory", "tierlimit.rules.per-user.rate=10/s",
				"tierlimit.rules.per-user.burst=50", "tierlimit.rules.per-user.scope=user",
				"tierlimit.rules.per-ip.rate=20/m", "tierlimit.rules.per-ip.scope=ip",
				"tierlimit.rules.per-ip.algorithm=fixed-window", "tierlimit.rules.per-ip.start=10s",
				"tierlimit.rules.all.rate=100/s", "tierlimit.rules.off.rate=1/s", "tierlimit.rules.off.enabled=false");

	private final ApplicationContextRunner withTable = this.runner.withBean("table", RuleSource.class,
			() -> this.table);

	@Test
	void configurationHasOverrides() {
		this.runner.withPropertyValues("tierlimit.overrides.acme.user=acme", "tierlimit.overrides.acme.rules=perUser",
				"tierlimit.overrides.acme.rate=100/s", "tierlimit.overrides.acme.burst=2s",
				"tierlimit.overrides.acme.until=2030-01-31T18:00:00+01:00", "tierlimit.overrides.acme.reason= sale ",
				"tierlimit.overrides.office.address=203.0.113.0/24", "tierlimit.overrides.office.exempt=on",
				"tierlimit.overrides.one.key=203.0.113.7", "tierlimit.overrides.one.rules=per-ip",
				"tierlimit.overrides.one.rate=40/m", "tierlimit.overrides.one.capacity=80")
			.run((context) -> {
				assertThat(overrides(context)).containsExactlyInAnyOrder(
						new CallerOverride("acme", new Target(Kind.USER, List.of("acme")), Set.of("per-user"),
								Effect.LIMIT, Map.of("per-user", new TokenBucket(Rate.parse("100/s"), 200)),
								Instant.parse("2030-01-31T17:00:00Z"), "sale"),
						new CallerOverride("office", new Target(Kind.ADDRESS, List.of("203.0.113.0/24")), Set.of(),
								Effect.EXEMPT, Map.of(), null, null),
						new CallerOverride("one", new Target(Kind.KEY, List.of("203.0.113.7")), Set.of("per-ip"),
								Effect.LIMIT,
								Map.of("per-ip", new FixedWindow(Rate.parse("40/m"), 80, Duration.ofSeconds(10))), null,
								null));
				assertThat(context.getBean(OverrideEditor.class).originOf(override(context, "acme"))).isEqualTo("test");
			});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					rate=1/s rules=per-user | exactly one of user, address and key must be set
					user=a address=::1 exempt=true | exactly one of user, address and key must be set
					user=a | exactly one of rate, exempt and blocked must be set
					user=a exempt=true blocked=true | exactly one of rate, exempt and blocked must be set
					user=a burst=5 exempt=true rules=per-user | exactly one of rate, exempt and blocked must be set
					user=a burst=5 rules=per-user | has no rate
					user=a rate=1/s | rate replaces the limit of rules, but rules is not set. Set tierlimit.overrides.o.rules to the ids of rules
					user=a rate=1/s rules=per-usr | rule 'per-usr' does not exist. The rules are [all, per-ip, per-user]. Correct tierlimit.overrides.o.rules (test)
					user=a rate=1/s rules=per-ip | rule 'per-ip' has no buckets of its own for users, because its scope is ip
					address=::1/64 rate=1/s rules=per-ip | '::1/64' has bits below its prefix: write ::/64
					address=10.0.0.1 rate=1/s rules=all | rule 'all' has no buckets of its own for addresses, because its scope is global
					address=2001:db8::1 exempt=true | address '2001:db8::1' is only a part of a client
					address=localhost exempt=true | 'localhost' is not a valid network
					key=a blocked=true | key is the key of a rule, but rules is not set
					key=a,b blocked=true rules=per-user | key [a, b] cannot be a key of rule 'per-user', whose parts are [user]
					key=a blocked=true rules=all | key [a] cannot be a key of rule 'all', whose parts are []
					key=(hash)0123456789abcdef0123456789abcdef blocked=true rules=per-user | key has the part '(hash)0123456789abcdef0123456789abcdef', which replaces a value in lists of keys
					key=(ip)203.0.113.7 blocked=true rules=per-user | so the override would match no request. Write the value itself in tierlimit.overrides.o.key
					key=(none) blocked=true rules=per-user | key has the part '(none)'
					key=2001:db8::1 blocked=true rules=per-ip | key has the address '2001:db8::1', but a bucket of rule 'per-ip' belongs to one client, so the override would match no request. Use 2001:db8::/64 in tierlimit.overrides.o.key
					key=2001:db8::1/64 blocked=true rules=per-ip | Use 2001:db8::/64 in
					key=2001:DB8::/64 blocked=true rules=per-ip | Use 2001:db8::/64 in
					key=::ffff:203.0.113.7 blocked=true rules=per-ip | Use 203.0.113.7 in
					key=203.0.113.7:80 blocked=true rules=per-ip | Use 203.0.113.7 in
					key=203.0.113.0/24 blocked=true rules=per-ip | Use 203.0.113.0 in tierlimit.overrides.o.key (test), or set address instead of key
					user=a rate=1/x rules=per-user | (was '1/x'). Correct tierlimit.overrides.o.rate
					user=a rate=1/s capacity=5 rules=per-user | capacity is not supported by token-bucket
					user=a exempt=true until=tomorrow | until must be a date and a time with an offset, such as 2030-01-31T18:00:00Z (was 'tomorrow'). Correct tierlimit.overrides.o.until
					user=a exempt=true until=2030-01-31T18:00:00 | until must be a date and a time with an offset
					user=a exempt=yess | tierlimit.overrides.o.exempt
					user=a exempt=true untl=x | Override 'o': 'untl' is not a known property. Known properties are rules, user, address, key, rate
					""")
	void mistakesOfTheConfigurationStopStartup(String properties, String problem) {
		this.runner.withPropertyValues(properties.strip().replaceAll("(^| )", "$1tierlimit.overrides.o.").split(" "))
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContainingAll("verride", problem));
	}

	@ParameterizedTest
	@ValueSource(strings = { "2001:db8::/64", "203.0.113.7", "2002::/16", "unix-socket", "/run/socket", "(hash)x" })
	void keyMayHaveTheAddressOfAClient(String address) {
		this.runner
			.withPropertyValues("tierlimit.overrides.o.key=" + address, "tierlimit.overrides.o.rules=per-ip",
					"tierlimit.overrides.o.blocked=true")
			.run((context) -> {
				RateLimiter limiter = context.getBean(RateLimiter.class);
				assertThat(limiter.peek(PermitRequest.of("per-ip", address)).allowed()).isFalse();
			});
	}

	@Test
	void addressOfAKeyHasThePrefixOfClients() {
		this.runner
			.withPropertyValues("tierlimit.client-ip.ipv4-prefix=24", "tierlimit.client-ip.ipv6-prefix=128",
					"tierlimit.overrides.o.rules=per-ip", "tierlimit.overrides.o.blocked=true",
					"tierlimit.overrides.o.key=203.0.113.7", "tierlimit.overrides.p.key=2001:db8::1",
					"tierlimit.overrides.p.rules=per-ip", "tierlimit.overrides.p.blocked=true")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("Use 203.0.113.0/24 in")
				.hasMessageNotContaining("2001:db8::1"));
	}

	@Test
	void inactiveRuleHasNoOverride() {
		this.runner
			.withPropertyValues("tierlimit.overrides.o.user=a", "tierlimit.overrides.o.rules=off",
					"tierlimit.overrides.o.rate=1/s")
			.run((context) -> assertThat(overrides(context)).singleElement()
				.satisfies((override) -> assertThat(override.limits()).isEmpty()));
	}

	/** Without the blank, it is the name of another user. */
	@ParameterizedTest
	@ValueSource(strings = { "victim ", " victim", "\tvictim", "victim\n" })
	void nameWithABlankAtAnEndIsAProblemInAllSources(String name) {
		String problem = "must not begin or end with a blank (was '" + name + "'). Correct ";
		for (String property : List.of("user", "key")) {
			Map<String, String> properties = Map.of(property, name, "rules", "per-user", "blocked", "true");
			Map<String, Object> configured = new LinkedHashMap<>();
			properties.forEach((other, value) -> configured.put("tierlimit.overrides.o." + other, value));
			this.runner
				.withInitializer((context) -> context.getEnvironment()
					.getPropertySources()
					.addFirst(new MapPropertySource("file", configured)))
				.run((context) -> assertThat(context.getStartupFailure()).rootCause()
					.hasMessageContaining("Override 'o': " + property + " " + problem));
			this.table.set("o", properties);
			this.withTable.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("Override 'o': " + property + " " + problem));
			this.table.overrides.clear();
		}
		this.withTable.run((context) -> {
			Edit edit = context.getBean(OverrideEditor.class).set("o", Map.of("user", name, "blocked", "true"));
			assertThat(edit.problems()).singleElement().asString().contains("user " + problem);
			assertThat(this.table.overrides).isEmpty();
			assertThat(allows(context, "victim")).isTrue();
		});
	}

	/** A part that is written alone is the value as it is. */
	@Test
	void partOfAKeyMayHaveABlankAtAnEnd() {
		this.withTable.run((context) -> {
			context.getBean(OverrideEditor.class)
				.set("o", Map.of("key[0]", "victim ", "rules", "per-user", "blocked", "true"));
			assertThat(allows(context, "victim")).isTrue();
			assertThat(allows(context, "victim ")).isFalse();
		});
	}

	@ParameterizedTest
	@CsvSource({ "0.0.0.0/0, blocked, IPv4", "::/0, blocked, IPv6", "::ffff:0:0/96, blocked, IPv4",
			"0.0.0.0/0, exempt, IPv4" })
	void overrideOfAllAddressesIsAWarning(String network, String effect, String family, CapturedOutput output) {
		String warning = "address '" + network + "' is the network of all " + family
				+ " addresses, so each of these clients is " + effect + ". Correct or remove ";
		this.runner
			.withPropertyValues("tierlimit.overrides.o.address=" + network, "tierlimit.overrides.o." + effect + "=true")
			.run((context) -> {
				assertThat(context.getBean(ConfiguredRules.class).warnings())
					.containsExactly("Override 'o': " + warning + "tierlimit.overrides.o.address (test).");
				OverrideEditor editor = context.getBean(OverrideEditor.class);
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
	@ValueSource(strings = { "blocked=true", "rate=1/m", "exempt=true" })
	void overrideOfANetworkIsNotAWarning(String effect) {
		this.runner
			.withPropertyValues(
					"tierlimit.overrides.o.address=" + (effect.startsWith("rate") ? "0.0.0.0/0" : "128.0.0.0/1"),
					"tierlimit.overrides.o." + effect, "tierlimit.overrides.o.rules=per-ip")
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).warnings()).isEmpty());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			address=10.0.0.1 rules=dark blocked=true | is enforced, so the caller is not blocked | blocked
			user=a rules=off blocked=true | is enforced, so the caller is not blocked | blocked
			address=10.0.0.1 rules=off,dark blocked=true | is enforced, so the caller is not blocked | blocked
			user=a rules=per-ip,all exempt=true | reads the user, so it probably has no effect | user
			user=a rules=per-ip blocked=true | reads the user, so it probably has no effect | user
			user=a exempt=true until=2020-01-01T00:00:00Z | until '2020-01-01T00:00:00Z' is in the past | until
			""")
	void overrideWithoutEffectIsAWarning(String properties, String problem, String property, CapturedOutput output) {
		ApplicationContextRunner shadow = this.runner.withPropertyValues("tierlimit.rules.dark.rate=1/s",
				"tierlimit.rules.dark.mode=shadow");
		shadow.withPropertyValues(properties.strip().replaceAll("(^| )", "$1tierlimit.overrides.o.").split(" "))
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).warnings()).singleElement()
				.asString()
				.startsWith("Override 'o': ")
				.contains(problem)
				.contains("tierlimit.overrides.o." + property + " (test)."));
		shadow.run((context) -> {
			Map<String, String> edited = new LinkedHashMap<>();
			for (String each : properties.strip().split(" ", -1)) {
				edited.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
			}
			assertThat(context.getBean(OverrideEditor.class).set("o", edited).outcome()).isEqualTo(Edit.Outcome.DONE);
			assertThat(output.getOut()).contains(problem, property + " (management endpoint).");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "user=a exempt=true", "user=a rules=per-ip,per-user blocked=true",
			"user=a rules=methods blocked=true", "user=a rules=plans exempt=true", "user=a rules=key exempt=true",
			"user=a rules=condition exempt=true", "user=a rules=cost exempt=true", "user=a rules=dark exempt=true",
			"user=a rules=dark,per-user blocked=true", "user=a rules=off exempt=true",
			"address=10.0.0.1 rules=all blocked=true", "user=a rules=per-user rate=1/s until=2999-01-01T00:00:00Z" })
	void overrideWithAnEffectIsNotAWarning(String properties) {
		this.runner
			.withPropertyValues("tierlimit.rules.dark.rate=1/s", "tierlimit.rules.dark.scope=user",
					"tierlimit.rules.dark.mode=shadow", "tierlimit.rules.methods.rate=1/s",
					"tierlimit.rules.methods.applies-to=methods", "tierlimit.rules.plans.rate=1/s",
					"tierlimit.rules.plans.plans.pro.rate=2/s", "tierlimit.rules.key.rate=1/s",
					"tierlimit.rules.key.key=header('X')", "tierlimit.rules.condition.rate=1/s",
					"tierlimit.rules.condition.condition=user != null", "tierlimit.rules.cost.rate=1/s",
					"tierlimit.rules.cost.cost=user == null ? 1 : 0")
			.withPropertyValues(properties.replaceAll("(^| )", "$1tierlimit.overrides.o.").split(" "))
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).warnings()).isEmpty());
	}

	/** Such as those of a rule that is disabled for a while. */
	@Test
	void onlySomeOfManyOverridesWithoutEffectAreReported() {
		for (int i = 0; i < 1000; i++) {
			this.table.set("o" + i, Map.of("user", "u" + i, "rules", "off", "blocked", "true"));
		}
		this.withTable.run((context) -> assertThat(context.getBean(ConfiguredRules.class).warnings()).hasSize(10));
	}

	/** A source may return all overrides that it has ever had. */
	@Test
	void overrideOfASourceThatHasEndedIsNotAWarning() {
		this.table.set("o", Map.of("user", "a", "exempt", "true", "until", "2020-01-01T00:00:00Z"));
		this.withTable.run((context) -> assertThat(context.getBean(ConfiguredRules.class).warnings()).isEmpty());
	}

	@Test
	void listInPlaceOfAMapStopsStartup() {
		this.runner.withPropertyValues("tierlimit.overrides[0].user=a")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("tierlimit.overrides must be a map, such as '<id>: { rate: 10/s }', not a list"));
	}

	@Test
	void twoOverridesOfOneSourceMustNotOverlap() {
		this.runner
			.withPropertyValues("tierlimit.overrides.a.user=acme", "tierlimit.overrides.a.blocked=true",
					"tierlimit.overrides.b.user=acme", "tierlimit.overrides.b.exempt=true",
					"tierlimit.overrides.b.rules=per-ip")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("is for the same caller, and for the same rules"));
	}

	@Test
	void sourceReplacesAnOverrideAndAddsOthers() {
		this.table.set("acme", Map.of("user", "acme", "blocked", "true"))
			.set("other", Map.of("key[0]", "a,b", "rules", "per-user, per-ip", "exempt", "true"));
		this.withTable
			.withPropertyValues("tierlimit.overrides.Acme.user=acme", "tierlimit.overrides.Acme.exempt=true",
					"tierlimit.overrides.last.user=acme", "tierlimit.overrides.last.exempt=true")
			.run((context) -> {
				assertThat(overrides(context)).extracting(CallerOverride::id).containsExactly("acme", "other", "last");
				assertThat(context.getBean(OverrideEditor.class).originOf(override(context, "acme")))
					.isEqualTo("table, override 'acme'");
				assertThat(overrides(context).get(1).target().values()).containsExactly("a,b");
				assertThat(allows(context, "acme")).isFalse();
			});
	}

	/** Its end needs no reading of the sources. */
	@Test
	void replacedOverrideAppliesAgainAtTheEndOfTheOther() {
		this.table.set("acme", Map.of("user", "acme", "blocked", "true", "until", "2030-01-01T00:00:00Z"));
		this.withTable.withBean(Clock.class, () -> this.clock)
			.withPropertyValues("tierlimit.overrides.acme.user=acme", "tierlimit.overrides.acme.rules=per-user",
					"tierlimit.overrides.acme.rate=1/d", "tierlimit.overrides.acme.burst=7",
					"tierlimit.overrides.acme.until=2031-01-01T00:00:00Z")
			.run((context) -> {
				OverrideEditor editor = context.getBean(OverrideEditor.class);
				assertThat(overrides(context)).extracting(CallerOverride::effect, editor::originOf)
					.containsExactly(tuple(Effect.BLOCKED, "table, override 'acme'"), tuple(Effect.LIMIT, "test"));
				assertThat(allows(context, "acme")).isFalse();
				this.now = Instant.parse("2030-01-01T00:00:00Z");
				assertThat(remaining(context, "acme")).isEqualTo(6);
				this.now = Instant.parse("2031-01-01T00:00:00Z");
				assertThat(remaining(context, "acme")).isEqualTo(49);
			});
	}

	/** The caller, the rules and the effect of a replaced override may be others. */
	@Test
	void replacedOverrideDoesNotApplyBefore() {
		this.table.set("acme", Map.of("user", "other", "exempt", "true", "until", "2030-01-01T00:00:00Z"));
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
		this.table.set("acme", Map.of("user", "acme", "blocked", "true", "until", replacing));
		this.withTable
			.withPropertyValues("tierlimit.overrides.acme.user=acme", "tierlimit.overrides.acme.exempt=true",
					"tierlimit.overrides.acme.until=" + replaced)
			.run((context) -> assertThat(overrides(context)).hasSize(number));
	}

	@Test
	void brokenOverrideOfASourceLeavesThePreviousOnesInForce(CapturedOutput output) {
		this.table.set("acme", Map.of("user", "acme", "blocked", "true"));
		this.withTable.run((context) -> {
			this.table.set("acme", Map.of("user", "acme", "blocked", "maybe", "rat", "1/s"));
			ReloadResult result = context.getBean(RuleReloader.class).reload();
			assertThat(result.outcome()).isEqualTo(ReloadResult.Outcome.INVALID);
			assertThat(result.problems()).contains(
					"Override 'acme': blocked must be true or false (was 'maybe'). Correct blocked (table, override 'acme').",
					"Override 'acme': 'rat' is not a known property. Known properties are rules, user, address, key, rate, burst, capacity, exempt, blocked, until, reason. Correct or remove rat (table, override 'acme').");
			assertThat(allows(context, "acme")).isFalse();
			this.table.set("acme", Map.of("user", "acme", "exempt", "true"));
			assertThat(context.getBean(RuleReloader.class).reload().outcome()).isEqualTo(ReloadResult.Outcome.REPLACED);
			assertThat(allows(context, "acme")).isTrue();
			assertThat(output).contains("The overrides were reloaded: 1 of them.");
		});
	}

	@Test
	void tooManyOverridesAreAProblem() {
		for (int i = 0; i <= OverrideReader.MAX_OVERRIDES; i++) {
			this.table.set("o" + i, Map.of("user", "u" + i, "exempt", "true"));
		}
		this.withTable.run((context) -> assertThat(context.getStartupFailure()).rootCause()
			.hasMessageContaining("There are 100001 overrides, but at most 100000 are supported"));
	}

	@Test
	void editIsInForceAndSurvivesAReload() {
		this.runner.withPropertyValues("tierlimit.overrides.acme.user=acme", "tierlimit.overrides.acme.exempt=true")
			.run((context) -> {
				OverrideEditor editor = context.getBean(OverrideEditor.class);
				Edit edit = editor.set("acme", Map.of("user", "acme", "blocked", "true"));
				assertThat(edit.outcome()).isEqualTo(Edit.Outcome.DONE);
				assertThat(edit.before()).extracting((placed) -> placed.override().effect(), Placed::origin)
					.containsExactly(Effect.EXEMPT, "test");
				assertThat(edit.after()).extracting((placed) -> placed.override().effect(), Placed::origin)
					.containsExactly(Effect.BLOCKED, "management endpoint");
				assertThat(editor.originOf(override(context, "acme"))).isEqualTo("management endpoint");
				assertThat(allows(context, "acme")).isFalse();
				context.getBean(RuleReloader.class).reload();
				assertThat(allows(context, "acme")).isFalse();
				Edit removal = editor.remove("acme");
				assertThat(removal.outcome()).isEqualTo(Edit.Outcome.DONE);
				assertThat(removal.before()).extracting(Placed::origin).isEqualTo("management endpoint");
				assertThat(removal.after()).extracting((placed) -> placed.override().effect()).isEqualTo(Effect.EXEMPT);
				assertThat(editor.remove("acme").outcome()).isEqualTo(Edit.Outcome.INVALID);
				assertThat(editor.remove("acme").problems()).singleElement()
					.asString()
					.contains("Override 'acme' is not one that was set through the management endpoint", "(test)");
				assertThat(editor.remove("missing").outcome()).isEqualTo(Edit.Outcome.UNKNOWN);
			});
	}

	@Test
	void editThatIsNotValidChangesNothing() {
		this.withTable.run((context) -> {
			OverrideEditor editor = context.getBean(OverrideEditor.class);
			Edit edit = editor.set("acme", Map.of("user", "acme"));
			assertThat(edit.outcome()).isEqualTo(Edit.Outcome.INVALID);
			assertThat(edit.problems()).singleElement()
				.asString()
				.contains("Override 'acme': exactly one of rate, exempt and blocked must be set");
			assertThat(overrides(context)).isEmpty();
			assertThat(this.table.overrides).isEmpty();
			assertThat(editor.set("a b", Map.of("user", "acme", "exempt", "true")).problems()).singleElement()
				.asString()
				.contains("Override 'a b': the id must have 1 to 100 letters");
		});
	}

	@Test
	void editIsStoredInTheFirstStoreThatThereIs() {
		this.withTable.run((context) -> {
			OverrideEditor editor = context.getBean(OverrideEditor.class);
			editor.set("acme", Map.of("user", "acme", "blocked", "true"));
			assertThat(this.table.overrides).containsKey("acme");
			assertThat(editor.originOf(override(context, "acme"))).isEqualTo("table, override 'acme'");
			assertThat(context.getBean(RuleReloader.class).reload().outcome())
				.isEqualTo(ReloadResult.Outcome.UNCHANGED);
			editor.remove("acme");
			assertThat(this.table.overrides).isEmpty();
			assertThat(allows(context, "acme")).isTrue();
		});
	}

	@Test
	void editHasTheSpellingOfTheStore() {
		this.table.set("acme-import", Map.of("user", "acme", "exempt", "true"));
		this.withTable.run((context) -> {
			OverrideEditor editor = context.getBean(OverrideEditor.class);
			Edit edit = editor.set("AcmeImport",
					Map.of("USER", "acme", "blocked", " yes ", "rate", " ", "until", " 2999-01-01T00:00:00Z "));
			assertThat(edit.before()).extracting((placed) -> placed.override().effect()).isEqualTo(Effect.EXEMPT);
			assertThat(this.table.overrides).isEqualTo(
					Map.of("acme-import", Map.of("user", "acme", "blocked", "true", "until", "2999-01-01T00:00:00Z")));
			assertThat(context.getBean(RuleReloader.class).reload().outcome())
				.isEqualTo(ReloadResult.Outcome.UNCHANGED);
			assertThat(editor.remove("ACME_IMPORT").outcome()).isEqualTo(Edit.Outcome.DONE);
			assertThat(this.table.overrides).isEmpty();
		});
	}

	@Test
	void partsOfAKeyAreStoredOneByOne() {
		this.withTable.run((context) -> {
			context.getBean(OverrideEditor.class)
				.set("key", Map.of("key", "acme", "rules", "per-user", "blocked", "true"));
			assertThat(this.table.overrides.get("key")).containsEntry("key[0]", "acme").doesNotContainKey("key");
			assertThat(allows(context, "acme")).isFalse();
		});
	}

	@Test
	void editThatIsNotValidInTheStoreChangesNothing(CapturedOutput output) {
		this.withTable.run((context) -> {
			this.table.failure = new IllegalArgumentException("user must not contain a line break");
			Edit edit = context.getBean(OverrideEditor.class).set("acme", Map.of("user", "acme", "blocked", "true"));
			assertThat(edit.outcome()).isEqualTo(Edit.Outcome.INVALID);
			assertThat(edit.problems()).containsExactly("Override 'acme': user must not contain a line break.");
			assertThat(allows(context, "acme")).isTrue();
			assertThat(output).doesNotContain("cannot be stored");
		});
	}

	@Test
	void editThatCannotBeStoredChangesNothing(CapturedOutput output) {
		this.withTable.run((context) -> {
			this.table.failure = new IllegalStateException("secret-host is down");
			Edit edit = context.getBean(OverrideEditor.class).set("acme", Map.of("user", "acme", "blocked", "true"));
			assertThat(edit.outcome()).isEqualTo(Edit.Outcome.UNAVAILABLE);
			assertThat(edit.problems()).containsExactly("Override 'acme' cannot be stored. The log has the cause.");
			assertThat(output).contains("secret-host is down");
			assertThat(allows(context, "acme")).isTrue();
		});
	}

	/** Each of them may have been written on another instance. */
	@Test
	void overlapOfRowsIsAWarning() {
		this.table.set("a", Map.of("user", "acme", "blocked", "true"))
			.set("b", Map.of("user", "acme", "exempt", "true"));
		this.withTable.run((context) -> {
			assertThat(allows(context, "acme")).isFalse();
			assertThat(context.getBean(ConfiguredRules.class).warnings()).singleElement()
				.asString()
				.startsWith("Override 'b': override 'a' is for the same caller, and for the same rules, so it does not "
						+ "apply. Merge them, and remove override 'b' (table, override 'b').");
			Edit edit = context.getBean(OverrideEditor.class).set("c", Map.of("user", "acme", "exempt", "true"));
			assertThat(edit.problems()).singleElement().asString().contains("override 'a' is for the same caller");
			assertThat(
					context.getBean(OverrideEditor.class).set("d", Map.of("user", "other", "exempt", "true")).outcome())
				.isEqualTo(Edit.Outcome.DONE);
		});
	}

	@Test
	void editThatOverlapsNamesTheOtherOverride() {
		this.runner.run((context) -> {
			OverrideEditor editor = context.getBean(OverrideEditor.class);
			editor.set("a", Map.of("user", "acme", "blocked", "true"));
			assertThat(editor.set("b", Map.of("user", "acme", "exempt", "true")).problems())
				.containsExactly("Override 'b': override 'a' is for the same caller, and for the same rules. "
						+ "Change or remove override 'a', or correct override 'b' (management endpoint).");
		});
	}

	@Test
	void overrideThatHasEndedDoesNotPreventAnother() {
		for (ApplicationContextRunner each : List.of(this.runner, this.withTable)) {
			this.now = Instant.parse("2029-01-01T00:00:00Z");
			each.withBean(Clock.class, () -> this.clock).run((context) -> {
				OverrideEditor editor = context.getBean(OverrideEditor.class);
				editor.set("one", Map.of("user", "acme", "exempt", "true", "until", "2029-01-01T00:00:03Z"));
				Map<String, String> blocked = Map.of("user", "acme", "blocked", "true");
				assertThat(editor.set("two", blocked).outcome()).isEqualTo(Edit.Outcome.INVALID);
				this.now = Instant.parse("2029-01-01T00:00:03Z");
				assertThat(editor.set("two", blocked).outcome()).isEqualTo(Edit.Outcome.DONE);
				assertThat(allows(context, "acme")).isFalse();
				assertThat(context.getBean(RuleReloader.class).reload().problems()).isEmpty();
				assertThat(context.getBean(ConfiguredRules.class).warnings()).isEmpty();
				assertThat(allows(context, "acme")).isFalse();
			});
		}
	}

	@Test
	void overrideOfTheConfigurationThatHasEndedDoesNotPreventAnother() {
		this.runner
			.withPropertyValues("tierlimit.overrides.a.user=acme", "tierlimit.overrides.a.exempt=true",
					"tierlimit.overrides.a.until=2020-01-01T00:00:00Z", "tierlimit.overrides.b.user=acme",
					"tierlimit.overrides.b.blocked=true")
			.run((context) -> assertThat(allows(context, "acme")).isFalse());
	}

	@Test
	void partsOfAKeyMayBeInAnyOrder() {
		Map<String, String> parts = new LinkedHashMap<>();
		parts.put("key[1]", "acme");
		parts.put("rules", "both");
		parts.put("key[0]", "203.0.113.7");
		parts.put("blocked", "true");
		this.table.set("key", parts);
		this.withTable.withPropertyValues("tierlimit.rules.both.rate=1/s", "tierlimit.rules.both.scope=user,ip")
			.run((context) -> assertThat(overrides(context).get(0).target().values()).containsExactly("203.0.113.7",
					"acme"));
	}

	/** An operator can block a caller while a row of another operator is broken. */
	@Test
	void editDoesNotDependOnABrokenRuleOfASource() {
		this.table.set("acme", Map.of("user", "acme", "exempt", "true"));
		this.withTable.run((context) -> {
			this.table.rules.put("broken", Map.of("rate", "x"));
			OverrideEditor editor = context.getBean(OverrideEditor.class);
			assertThat(editor.set("bad", Map.of("user", "mallory", "blocked", "true")).outcome())
				.isEqualTo(Edit.Outcome.DONE);
			assertThat(allows(context, "mallory")).isFalse();
			assertThat(overrides(context)).extracting(CallerOverride::id).containsExactly("acme", "bad");
		});
	}

	/** Another instance has edited the override. */
	@Test
	void overridesOfASourceAreInForceWhileOneOfItsRulesIsNotValid() {
		this.table.set("acme", Map.of("user", "acme", "exempt", "true"));
		this.withTable.run((context) -> {
			RuleReloader reloader = context.getBean(RuleReloader.class);
			this.table.rules.put("broken", Map.of("rate", "x"));
			this.table.set("bad", Map.of("user", "mallory", "blocked", "true"));
			this.table.overrides.remove("acme");
			assertThat(reloader.reload().outcome()).isEqualTo(ReloadResult.Outcome.INVALID);
			assertThat(allows(context, "mallory")).isFalse();
			assertThat(overrides(context)).extracting(CallerOverride::id).containsExactly("bad");
			assertThat(context.getBean(RulesInForce.class).current().rule("broken")).isNull();
			assertThat(reloader.reload().outcome()).as("the rule is still broken")
				.isEqualTo(ReloadResult.Outcome.INVALID);
			this.table.set("acme", Map.of("user", "acme", "rules", "broken", "exempt", "true"));
			assertThat(reloader.reload().outcome()).isEqualTo(ReloadResult.Outcome.INVALID);
			assertThat(overrides(context)).as("an override of the broken rule")
				.extracting(CallerOverride::id)
				.containsExactly("bad");
			this.table.rules.put("broken", Map.of("rate", "1/s"));
			assertThat(reloader.reload().outcome()).isEqualTo(ReloadResult.Outcome.REPLACED);
			assertThat(overrides(context)).extracting(CallerOverride::id).containsExactlyInAnyOrder("acme", "bad");
		});
	}

	@Test
	void editMayNameARuleOfItsStoreIfTheStoreWasNeverRead() {
		this.table.beforeRead = () -> {
			throw new IllegalStateException("no connection");
		};
		this.withTable.withPropertyValues("tierlimit.reload.on-startup-failure=ignore").run((context) -> {
			OverrideEditor editor = context.getBean(OverrideEditor.class);
			for (String user : List.of("a", "b")) {
				assertThat(editor.set(user, Map.of("user", user, "rules", "row", "exempt", "true")).outcome())
					.isEqualTo(Edit.Outcome.DONE);
			}
			assertThat(reload(context)).isEqualTo(ReloadResult.Outcome.UNAVAILABLE);
			assertThat(overrides(context)).extracting(CallerOverride::id).containsExactlyInAnyOrder("a", "b");
		});
	}

	@Test
	@Timeout(60)
	void editDoesNotWaitForASourceAndIsNotUndoneByItsReload() {
		for (ApplicationContextRunner each : List.of(this.runner, this.withTable)) {
			TestRuleSource slow = new TestRuleSource("slow");
			each.withBean("slow", RuleSource.class, () -> slow).run((context) -> {
				OverrideEditor editor = context.getBean(OverrideEditor.class);
				slow.set("more", "rate", "1/s").beforeRead(() -> onAnotherThread(() -> {
					assertThat(editor.set("bad", BLOCKED).outcome()).isEqualTo(Edit.Outcome.DONE);
					assertThat(allows(context, "mallory")).as("during the reload").isFalse();
				}));
				assertThat(reload(context)).isEqualTo(ReloadResult.Outcome.REPLACED);
				assertThat(allows(context, "mallory")).isFalse();
				slow.set("more", "rate", "2/s").beforeRead(() -> onAnotherThread(() -> {
					assertThat(editor.remove("bad").outcome()).isEqualTo(Edit.Outcome.DONE);
					assertThat(allows(context, "mallory")).as("during the reload").isTrue();
				}));
				assertThat(reload(context)).isEqualTo(ReloadResult.Outcome.REPLACED);
				assertThat(allows(context, "mallory")).isTrue();
			});
		}
	}

	@ParameterizedTest
	@CsvSource({ "1/s, UNAVAILABLE", "fast, INVALID" })
	void editDuringAReloadRemainsInForceIfItsStoreCannotBeReadThen(String rate, ReloadResult.Outcome outcome) {
		TestRuleSource slow = new TestRuleSource("slow");
		this.withTable.withBean("slow", RuleSource.class, () -> slow).run((context) -> {
			slow.set("more", "rate", rate).beforeRead(() -> {
				context.getBean(OverrideEditor.class).set("bad", BLOCKED);
				this.table.beforeRead = () -> {
					throw new IllegalStateException("no connection");
				};
			});
			assertThat(reload(context)).isEqualTo(outcome);
			assertThat(allows(context, "mallory")).isFalse();
		});
	}

	@Test
	@Timeout(60)
	void editAfterItsStoreWasReadIsNotUndoneByTheReload() {
		this.withTable.run((context) -> {
			Thread edit = new Thread(() -> context.getBean(OverrideEditor.class).set("bad", BLOCKED));
			this.table.afterRead = () -> startAndAwait(edit);
			assertThat(reload(context)).isEqualTo(ReloadResult.Outcome.UNCHANGED);
			edit.join();
			assertThat(this.table.overrides).containsKey("bad");
			assertThat(allows(context, "mallory")).isFalse();
		});
	}

	@Test
	@Timeout(60)
	void reloadWhileAnEditIsStoredIsNotUndoneByTheEdit() {
		this.withTable.run((context) -> {
			this.table.rules.put("more", Map.of("rate", "1/s"));
			Thread reload = new Thread(() -> reload(context));
			this.table.beforeStore = () -> startAndAwait(reload);
			assertThat(context.getBean(OverrideEditor.class).set("bad", BLOCKED).outcome())
				.isEqualTo(Edit.Outcome.DONE);
			reload.join();
			assertThat(allows(context, "mallory")).isFalse();
			assertThat(context.getBean(RulesInForce.class).current().rule("more")).isNotNull();
		});
	}

	@Test
	@Timeout(60)
	void modeOfTheInstanceDoesNotWaitForAnEditAndIsNotUndoneByIt() {
		this.withTable.run((context) -> {
			this.table.beforeStore = () -> onAnotherThread(() -> {
				context.getBean(RuleReloader.class).setMode(RuleMode.SHADOW);
				assertThat(isInShadow(context)).as("during the edit").isTrue();
			});
			assertThat(context.getBean(OverrideEditor.class).set("bad", BLOCKED).outcome())
				.isEqualTo(Edit.Outcome.DONE);
			assertThat(isInShadow(context)).isTrue();
			context.getBean(RuleReloader.class).setMode(null);
			assertThat(allows(context, "mallory")).isFalse();
		});
	}

	private static boolean isInShadow(AssertableApplicationContext context) {
		return context.getBean(RulesInForce.class).current().all().stream().allMatch((rule) -> rule.rule().isShadow());
	}

	private static ReloadResult.Outcome reload(AssertableApplicationContext context) {
		return context.getBean(RuleReloader.class).reload().outcome();
	}

	/** Waits for the end of an action, which would wait for a lock of this thread. */
	private static void onAnotherThread(Runnable action) throws Exception {
		CompletableFuture.runAsync(action).get(30, TimeUnit.SECONDS);
	}

	/** Starts a thread, and waits until it has ended or waits for a lock. */
	private static void startAndAwait(Thread thread) {
		thread.start();
		Poll.until(Duration.ofSeconds(30),
				() -> Set.of(Thread.State.BLOCKED, Thread.State.TERMINATED).contains(thread.getState()),
				() -> "the thread is " + thread.getState());
	}

	private static boolean allows(AssertableApplicationContext context, String user) {
		return context.getBean(RateLimiter.class).peek(PermitRequest.of("per-user", user)).allowed();
	}

	private static long remaining(AssertableApplicationContext context, String user) {
		return context.getBean(RateLimiter.class)
			.peek(PermitRequest.of("per-user", user))
			.decisions()
			.get(0)
			.decision()
			.remaining();
	}

	private static CallerOverride override(AssertableApplicationContext context, String id) {
		return Objects.requireNonNull(context.getBean(RulesInForce.class).current().override(id));
	}

	private static List<CallerOverride> overrides(AssertableApplicationContext context) {
		return context.getBean(RulesInForce.class).current().overrides();
	}

	private static final class Table implements OverrideStore {

		private final Map<String, Map<String, String>> rules = new LinkedHashMap<>();

		private final Map<String, Map<String, String>> overrides = new LinkedHashMap<>();

		private @Nullable RuntimeException failure;

		private TestRuleSource.Action beforeRead = () -> {
		};

		private TestRuleSource.Action afterRead = () -> {
		};

		private TestRuleSource.Action beforeStore = () -> {
		};

		Table set(String id, Map<String, String> properties) {
			this.overrides.put(id, properties);
			return this;
		}

		@Override
		public Map<String, Map<String, String>> read() throws Exception {
			this.beforeRead.run();
			return this.rules;
		}

		@Override
		public Map<String, Map<String, String>> readOverrides() throws Exception {
			Map<String, Map<String, String>> read = new LinkedHashMap<>(this.overrides);
			this.afterRead.run();
			return read;
		}

		@Override
		public String placeOfOverride(String id) {
			return "table, override '" + id + "'";
		}

		@Override
		public void setOverride(String id, Map<String, String> properties) throws Exception {
			this.beforeStore.run();
			if (this.failure != null) {
				throw this.failure;
			}
			set(id, properties);
		}

		@Override
		public void removeOverride(String id) {
			this.overrides.remove(id);
		}

	}

}
