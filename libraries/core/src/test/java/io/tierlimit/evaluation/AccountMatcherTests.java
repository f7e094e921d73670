package io.tierlimit.evaluation;

import java.util.List;
import java.util.Map;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.RuleDecision;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.outcome.OutcomeCondition;
import io.tierlimit.rule.Account;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.store.Charge;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests which bucket a successful authentication resets.
 */
class AccountMatcherTests {

	private static final String KELVIN = "\u212A";

	@ParameterizedTest
	@CsvSource({ "fred, fred, true", "Fred, Fred, true", "fred, Fred, false", "Fred, fred, false", "fred, fre, false",
			"fred, frederic, false", "' fred', fred, false", "'', fred, false", "'', '', true", "a|b, a|b, true",
			"a|b, a, false", "(none), (none), true" })
	void keyThatKeepsTheCaseBelongsToTheAccountOfThatName(String sent, String account, boolean resets) {
		assertThat(resets("param('u')", sent, account)).isEqualTo(resets);
	}

	@ParameterizedTest
	@CsvSource({ "fred, fred, true", "FRED, Fred, true", "' fReD ', Fred, true", "fred, fre, false", "ömer, Ömer, true",
			"fred, 'fred ', false", "victim, attacker, false" })
	void keyThatIgnoresTheCaseBelongsToTheAccountInAnyCase(String sent, String account, boolean resets) {
		assertThat(resets("param('u')?.trim()?.toLowerCase()", sent, account)).isEqualTo(resets);
		assertThat(resets("param('u')?.trim()?.toUpperCase()", sent, account)).isEqualTo(resets);
		assertThat(resets("header('u')?.trim()?.toLowerCase()", sent, account)).isEqualTo(resets);
	}

	@Test
	void letterThatConvertsInOneDirectionOnlyIsDifferent() {
		assertThat(resets("param('u').toLowerCase()", "kate", KELVIN + "ate")).isFalse();
		assertThat(resets("param('u').toLowerCase()", "kate", "Kate")).isTrue();
		assertThat(resets("param('u').toLowerCase()", "straße", "STRASSE")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "param('u').substring(0, 1)", "param('tenant') + '/' + param('u')", "path", "'constant'",
			"param('u').length()", "param('u') + ip" })
	void keyThatContainsMoreOrLessThanTheNameBelongsToNoAccount(String key) {
		assertThat(resets(key, "fred", "fred")).isFalse();
	}

	@Test
	void userPartIsComparedWithTheNameOfTheUser() {
		Account carol = new Account("carol", "tenant-1");
		assertThat(resets(rule(Scope.of(Scope.USER)), new NamingCaller("x", "tenant-1"), carol)).isTrue();
		assertThat(resets(rule(Scope.of(Scope.USER)), new NamingCaller("x", "carol"), carol)).isFalse();
		assertThat(resets(rule(key("user")), new NamingCaller("x", "tenant-1"), carol)).isTrue();
		assertThat(resets(rule(key("param('u')")), new NamingCaller("tenant-1", null), carol)).isFalse();
		assertThat(resets(rule(key("param('u')")), new NamingCaller("carol", null), carol)).isTrue();
	}

	@Test
	void everyPartThatMayNameAnAccountMustNameIt() {
		Account fred = new Account("fred", "fred");
		Scope tenant = new Scope(List.of("tenant", Scope.IP, Scope.ENDPOINT), "param('u')", MissingKeyPolicy.DENY);
		assertThat(resets(rule(tenant), new NamingCaller("fred", null), fred)).as("tenant acme").isFalse();
		assertThat(resets(rule(tenant), new NamingCaller("acme", null), new Account("acme", "acme"))).isTrue();
		Scope address = new Scope(List.of(Scope.IP, Scope.ENDPOINT, Scope.PLAN), "param('u')", MissingKeyPolicy.DENY);
		assertThat(resets(rule(address), new NamingCaller("fred", "other"), fred)).isTrue();
		assertThat(resets(rule(Scope.of(Scope.IP)), new NamingCaller("fred", null), fred)).isFalse();
		assertThat(resets(rule(Scope.of()), new NamingCaller("fred", null), fred)).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void hashedNameIsTheSameName(KeyHashing hashing) {
		KeyHash hash = new KeyHash(hashing, (hashing != KeyHashing.NONE) ? "a secret of some length" : null);
		Rule rule = rule(key("param('u').toLowerCase()"));
		assertThat(resets(rule, hash, new NamingCaller("FRED", null), new Account("Fred", "Fred"))).isTrue();
		assertThat(resets(rule, hash, new NamingCaller("FRED", null), new Account("bob", "bob"))).isFalse();
	}

	private static boolean resets(String key, String sent, String account) {
		return resets(rule(key(key)), new NamingCaller(sent, null), new Account(account, account));
	}

	private static boolean resets(Rule rule, Caller caller, Account account) {
		return resets(rule, TestEvaluators.PLAIN_KEYS, caller, account);
	}

	private static boolean resets(Rule rule, KeyHash hash, Caller caller, Account account) {
		InMemoryBucketStore store = TestEvaluators.memory(100);
		KeyResolver tenant = KeyResolver.beforeAuthentication((asking) -> "acme");
		TestEvaluator evaluator = TestEvaluator.of(List.of(rule), Map.of("tenant", tenant), hash, store);
		MatchedRule match = new MatchedRule(evaluator.rule("it"), "endpoint");
		RateLimitTransaction transaction = evaluator.begin(caller);
		RuleDecision decision = transaction.evaluate(List.of(match), Stage.ALL).decisions().get(0);
		transaction.complete(RequestOutcome.answered(200).authenticated(account));
		Charge look = new Charge(ChargeDecision.of(decision).charge().key(), decision.limit(), 0);
		return store.peek(List.of(look)).decisions().get(0).remaining() == 10;
	}

	private static Scope key(String expression) {
		return new Scope(List.of(), expression, MissingKeyPolicy.DENY);
	}

	private static Rule rule(Scope scope) {
		return TestRules.rule("it", 10)
			.scope(scope)
			.options((options) -> options
				.with(new ChargePolicy(List.of(), List.of(OutcomeCondition.parse("authentication-success")))));
	}

	/**
	 * A caller that sends a name.
	 */
	private record NamingCaller(String name, @Nullable String user) implements Caller {

		@Override
		public String ip() {
			return "10.0.0.1";
		}

		@Override
		public String path() {
			return "/login/fred";
		}

		@Override
		public String param(String parameter) {
			return this.name;
		}

		@Override
		public String header(String field) {
			return this.name;
		}

	}

}
