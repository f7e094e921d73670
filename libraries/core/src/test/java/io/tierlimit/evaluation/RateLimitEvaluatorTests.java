package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.PermitRequest;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.spi.KeyResolver;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class RateLimitEvaluatorTests {

	private static final SimpleCaller ALICE = SimpleCaller.at("192.0.2.1").as("alice");

	private static final SimpleCaller ANONYMOUS = SimpleCaller.at("192.0.2.1");

	private static final Verdict INVALID = new Verdict(Outcome.INVALID, List.of());

	private final List<Rule> rules = new ArrayList<>();

	private KeyHash hash = TestEvaluators.PLAIN_KEYS;

	private final Map<String, KeyResolver> resolvers = Map.of("tenant", (caller) -> caller.header("X-Tenant"), "broken",
			(caller) -> {
				throw new IllegalStateException("resolver");
			});

	private @Nullable TestEvaluator evaluator;

	@Test
	void requestRejectedByOneRuleConsumesNothingInTheOthers() {
		rule("wide", Scope.of("global"), 10);
		rule("narrow", Scope.of("user"), 2);
		evaluate(ALICE);
		evaluate(ALICE);
		Verdict rejected = evaluate(ALICE);
		assertThat(rejected.outcome()).isEqualTo(Outcome.REJECTED);
		assertThat(rejected.violated()).extracting(RuleDecision::rule).containsExactly("narrow");
		assertThat(remaining(evaluate(ALICE.as("bob")), "wide")).isEqualTo(7);
	}

	@Test
	void keysFollowTheScope() {
		rule("global", Scope.of("global"), 9);
		rule("ip", Scope.of("ip"), 9);
		rule("user", Scope.of("user"), 9);
		rule("endpoint", Scope.of("endpoint"), 9);
		rule("plan", Scope.of("plan"), 9);
		rule("tenant", Scope.of("tenant"), 9);
		rule("composite", Scope.of("user", "endpoint"), 9);
		Caller caller = ALICE.on("pro").to("GET", "/a/{id}").sending(Map.of("X-Tenant", "acme"), Map.of());
		assertThat(keys(caller)).containsExactly("", "192.0.2.1", "alice", "GET /a/{id}", "pro", "acme",
				"GET /a/{id}|alice");
	}

	@Test
	void endpointWithoutAMappingIsThePatternOfTheRuleOrUnmapped() {
		Rule rule = rule("endpoint", Scope.of("endpoint"), 9);
		Verdict verdict = evaluator().evaluate(List.of(new MatchedRule(evaluator().rule(rule.id()), "/files/**")),
				ALICE);
		assertThat(key(verdict)).isEqualTo("/files/**");
		assertThat(keys(ALICE)).containsExactly("unmapped");
	}

	@Test
	void keyExpressionIsTheWholeKeyOrAnAdditionalPart() {
		add("alone", new Scope(List.of("global"), "header('X-Tenant')", MissingKeyPolicy.IP), "1");
		add("combined", new Scope(List.of("user"), "header('X-Tenant')", MissingKeyPolicy.IP), "1");
		assertThat(keys(ALICE.sending(Map.of("X-Tenant", "acme"), Map.of()))).containsExactly("acme", "alice|acme");
	}

	@Test
	void anonymousCallerHasTheAddressByDefault() {
		rule("user", Scope.of("user"), 9);
		rule("plan", Scope.of("plan"), 9);
		rule("tenant", Scope.of("tenant"), 9);
		rule("composite", Scope.of("user", "endpoint"), 9);
		assertThat(keys(ANONYMOUS.to("*", "/a"))).containsExactly("(ip)192.0.2.1", "(ip)192.0.2.1", "(ip)192.0.2.1",
				"* /a|(ip)192.0.2.1");
		assertThat(keys(SimpleCaller.ANONYMOUS)).containsExactly("(none)", "(none)", "(none)", "unmapped|(none)");
	}

	@Test
	void userNamedLikeAnAddressHasADifferentBucket() {
		rule("user", Scope.of("user"), 1);
		assertThat(evaluate(ANONYMOUS).allowed()).isTrue();
		assertThat(evaluate(ALICE.as("(ip)192.0.2.1")).allowed()).isTrue();
		assertThat(evaluate(ALICE.as("192.0.2.1")).allowed()).isTrue();
		assertThat(evaluate(ANONYMOUS).allowed()).isFalse();
	}

	@Test
	void ruleThatSkipsAnonymousCallersDoesNotApplyToThem() {
		add("user", new Scope(List.of("user"), null, MissingKeyPolicy.SKIP), "1");
		assertThat(evaluate(ANONYMOUS)).isEqualTo(Verdict.UNLIMITED);
		assertThat(keys(ALICE)).containsExactly("alice");
	}

	@Test
	void ruleThatDeniesAnonymousCallersChargesNothing() {
		rule("global", Scope.of("global"), 9);
		add("user", new Scope(List.of("user"), null, MissingKeyPolicy.DENY), "1");
		assertThat(evaluate(ANONYMOUS).outcome()).isEqualTo(Outcome.DENIED);
		assertThat(remaining(evaluate(ALICE), "global")).isEqualTo(8);
	}

	@Test
	void shadowRuleDeniesNoCaller() {
		this.rules.add(shadow(
				TestRules.rule("user", bucket(9)).scope(new Scope(List.of("user"), null, MissingKeyPolicy.DENY))));
		assertThat(evaluate(ANONYMOUS).allowed()).isTrue();
	}

	@Test
	void shadowRuleRejectsNoRequestAndReportsTheViolation() {
		this.rules.add(shadow(TestRules.rule("shadow", bucket(1))));
		evaluate(ALICE);
		Verdict verdict = evaluate(ALICE);
		assertThat(verdict.allowed()).isTrue();
		assertThat(verdict.decisions()).singleElement()
			.satisfies((decision) -> assertThat(decision.decision().allowed()).isFalse())
			.satisfies((decision) -> assertThat(decision.violated()).isFalse());
	}

	@Test
	void everyPlanHasItsLimitAndItsBucket() {
		this.rules.add(
				TestRules
					.rule("user",
							new RuleLimits(bucket(2),
									Map.of("pro", new PlanLimit(bucket(5)), "max", PlanLimit.UNLIMITED)))
					.scope(Scope.of("user")));
		assertThat(key(evaluate(ALICE))).isEqualTo("alice|(none)");
		assertThat(key(evaluate(ALICE.on("gold")))).isEqualTo("alice|(none)");
		assertThat(evaluate(ALICE).allowed()).isFalse();
		Verdict pro = evaluate(ALICE.on("pro"));
		assertThat(key(pro)).isEqualTo("alice|pro");
		assertThat(remaining(pro, "user")).isEqualTo(4);
		assertThat(evaluate(ALICE.on("max"))).isEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void unlistedPlanHasTheLimitAndTheBucketOfTheDefaultPlan() {
		this.rules.add(TestRules.rule("user", withoutOwnLimit()).scope(Scope.of("user")));
		assertThat(key(evaluate(ALICE.on("free")))).isEqualTo("alice|free");
		assertThat(key(evaluate(ALICE.on("gold")))).isEqualTo("alice|free");
		assertThat(evaluate(ALICE).allowed()).as("no plan").isFalse();
		assertThat(remaining(evaluate(ALICE.on("pro")), "user")).isEqualTo(4);
		PermitRequest ofCode = PermitRequest.of("user").user("alice");
		assertThat(evaluator().limiter().tryAcquire(ofCode.plan("gold")).allowed()).isFalse();
		assertThat(evaluator().limiter().tryAcquire(ofCode).allowed()).isFalse();
	}

	@Test
	void unlistedPlanHasTheBucketOfTheDefaultPlanIfThePlanIsTheScope() {
		this.rules.add(TestRules.rule("plan", withoutOwnLimit()).scope(Scope.of("plan")));
		this.rules.add(TestRules.rule("all", withoutOwnLimit()));
		assertThat(keys(ALICE.on("gold"))).containsExactly("free", "free");
		assertThat(keys(ANONYMOUS)).containsExactly("(ip)192.0.2.1|free", "free");
	}

	@Test
	void bucketsAreListedOnceIfNoPlanMeansTheDefaultPlan() {
		this.rules.add(TestRules.rule("user", withoutOwnLimit()).scope(Scope.of("user")));
		assertThat(CallerQuery.plansOf(evaluator().rule("user"), null)).containsExactly("free", "pro");
		assertThat(CallerQuery.plansOf(evaluator().rule("user"), "gold")).containsExactly("gold");
	}

	private static RuleLimits withoutOwnLimit() {
		return Objects.requireNonNull(
				RuleLimits.ofPlans(Map.of("free", new PlanLimit(bucket(2)), "pro", new PlanLimit(bucket(5))), "free"));
	}

	@Test
	void planScopeAddsThePlanOnce() {
		this.rules.add(TestRules.rule("plan", new RuleLimits(bucket(2), Map.of("pro", new PlanLimit(bucket(5)))))
			.scope(Scope.of("plan")));
		assertThat(key(evaluate(ALICE.on("pro")))).isEqualTo("pro");
		assertThat(key(evaluate(ALICE.on("gold")))).isEqualTo("(none)");
	}

	@Test
	void changeOfThePlanCreatesNoPermitsIfTheAddressReplacesTheUser() {
		this.rules.add(TestRules.rule("plan", new RuleLimits(bucket(1), Map.of("pro", new PlanLimit(bucket(3)))))
			.scope(Scope.of("plan")));
		assertThat(evaluate(ANONYMOUS).allowed()).isTrue();
		assertThat(evaluate(ANONYMOUS).allowed()).isFalse();
		for (int i = 0; i < 3; i++) {
			assertThat(evaluate(ANONYMOUS.on("pro")).allowed()).isTrue();
			assertThat(evaluate(ANONYMOUS).allowed()).isFalse();
		}
		assertThat(evaluate(ANONYMOUS.on("pro")).allowed()).isFalse();
	}

	@Test
	void ruleDoesNotApplyIfItsConditionIsFalse() {
		conditional("a", "user == 'alice'");
		assertThat(evaluate(ALICE).decisions()).hasSize(1);
		assertThat(evaluate(ANONYMOUS)).isEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void oneWarningDoesNotHideAnother(CapturedOutput output) {
		this.rules
			.add(TestRules.rule("a", bucket(100)).options(TestRules.where("user.length() > 3")).cost("user.length()"));
		evaluate(ANONYMOUS);
		assertThat(output).contains("Rule 'a' applied to a request because its condition")
			.contains("Rule 'a' treated a request as invalid because its cost");
	}

	@Test
	void ruleAppliesIfItsConditionFailsAndWarnsOnce(CapturedOutput output) {
		conditional("a", "user.length() > 3");
		assertThat(evaluate(ANONYMOUS).decisions()).hasSize(1);
		assertThat(evaluate(ANONYMOUS).decisions()).hasSize(1);
		assertThat(output.toString().split("Rule 'a' applied to a request because its condition", -1)).hasSize(2);
	}

	@ParameterizedTest
	@EnumSource
	void failingKeyThatAClientCanInfluenceRejectsTheRequest(MissingKeyPolicy onMissingKey, CapturedOutput output) {
		Rule broken = add("broken", new Scope(List.of("broken"), null, onMissingKey), "1");
		Rule sent = add("sent", new Scope(List.of(), "header('X-Tenant').substring(0, 8)", onMissingKey), "1");
		assertThat(evaluate(broken, ALICE)).isEqualTo(INVALID);
		assertThat(output).containsOnlyOnce(
				"Rule 'broken' treated a request as invalid because its KeyResolver 'broken' failed: IllegalStateException");
		assertThat(evaluate(sent, ALICE.sending(Map.of("X-Tenant", "short"), Map.of()))).isEqualTo(INVALID);
		assertThat(key(evaluate(sent, ALICE.sending(Map.of("X-Tenant", "longer-one"), Map.of()))))
			.isEqualTo("longer-o");
	}

	@ParameterizedTest
	@CsvSource({ "IP, (ip)192.0.2.1", "SKIP, (ip)192.0.2.1", "DENY, " })
	void failingKeyThatNoClientCanInfluenceIsReplacedByTheAddress(MissingKeyPolicy onMissingKey, @Nullable String key,
			CapturedOutput output) {
		add("user", new Scope(List.of(), "user.substring(0, 8)", onMissingKey), "1");
		assertKeyOrDenied(key);
		assertThat(output)
			.contains("Rule 'user' used the client address because its key 'user.substring(0, 8)' failed: "
					+ "StringIndexOutOfBoundsException");
	}

	private void assertKeyOrDenied(@Nullable String key) {
		if (key != null) {
			assertThat(keys(ALICE)).containsExactly(key);
		}
		else {
			assertThat(evaluate(ALICE)).isEqualTo(new Verdict(Outcome.DENIED, List.of()));
		}
	}

	@ParameterizedTest
	@CsvSource({ "IP, (ip)192.0.2.1", "SKIP, (ip)192.0.2.1", "DENY, " })
	void memberOfAMissingFactNeverSkipsTheRule(MissingKeyPolicy onMissingKey, @Nullable String key) {
		add("header", new Scope(List.of(), "header('X-Tenant').trim()", onMissingKey), "1");
		assertKeyOrDenied(key);
	}

	@Test
	void nullSafeMemberOfAMissingFactIsMissing() {
		add("header", new Scope(List.of(), "header('X-Tenant')?.trim()", MissingKeyPolicy.SKIP), "1");
		assertThat(keys(ALICE)).isEmpty();
	}

	@Test
	void factThatCannotBeReadRejectsTheRequest() {
		Caller malformed = new Caller() {

			@Override
			public String param(String name) {
				throw new InvalidRequestValueException("malformed", null);
			}

			@Override
			public String plan() {
				throw new InvalidRequestValueException("malformed", null);
			}

		};
		conditional("condition", "param('a') != null");
		add("key", new Scope(List.of(), "param('a').trim()", MissingKeyPolicy.SKIP), "1");
		add("cost", Scope.of(), "param('a')");
		this.rules.add(TestRules.rule("plan", new RuleLimits(bucket(2), Map.of("pro", new PlanLimit(bucket(5))))));
		for (Rule rule : this.rules) {
			assertThat(evaluate(rule, malformed)).as(rule.id()).isEqualTo(INVALID);
		}
	}

	@Test
	void ruleAppliesWhereItsConditionIsNotBoolean(CapturedOutput output) {
		conditional("a", "claim('none')");
		assertThat(evaluate(ALICE).decisions()).hasSize(1);
		assertThat(output).containsOnlyOnce(
				"Rule 'a' applied to a request because its condition 'claim('none')' is neither true nor false");
	}

	@Test
	void ruleIsAddedOnce() {
		Rule more = TestRules.rule("more", bucket(1));
		rule("first", Scope.of(), 1);
		CompiledRule added = evaluator().add(more, List.of());
		assertThat(evaluator().rule("more")).isSameAs(added);
		assertThat(evaluator().rules()).extracting((rule) -> rule.rule().id()).containsExactly("first", "more");
		assertThat(evaluator().add(more, List.of())).isSameAs(added);
	}

	@Test
	void keyContainsNoClientSuppliedValue() {
		this.hash = new KeyHash(KeyHashing.SENSITIVE, null);
		rule("tenant", new Scope(List.of("tenant"), null, MissingKeyPolicy.IP), 100);
		rule("header", new Scope(List.of(), "header('X-Tenant')", MissingKeyPolicy.IP), 100);
		rule("param", new Scope(List.of("user"), "param('token').trim()", MissingKeyPolicy.IP), 100);
		rule("facts", new Scope(List.of("ip", "user", "endpoint"), "method + user", MissingKeyPolicy.IP), 100);
		Caller caller = ALICE.to("GET", "/orders/{id}")
			.sending(Map.of("X-Tenant", "s3cret"), Map.of("token", "s3cret"));
		List<String> keys = keys(caller);
		assertThat(keys).noneMatch((key) -> key.contains("s3cret"));
		assertThat(keys.get(0)).isEqualTo(keys.get(1)).startsWith("(hash)").hasSize(38);
		assertThat(keys.get(2)).startsWith("alice|(hash)");
		assertThat(keys.get(3)).isEqualTo("GET /orders/{id}|192.0.2.1|alice|GETalice");
	}

	@Test
	void permitRequestFindsTheBucketOfAHashedKey() {
		this.hash = new KeyHash(KeyHashing.ALL, "0123456789abcdef");
		rule("header", new Scope(List.of("user"), "header('X-Tenant')", MissingKeyPolicy.IP), 100);
		Verdict verdict = evaluate(ALICE.sending(Map.of("X-Tenant", "s3cret"), Map.of()));
		Verdict peeked = evaluator().limiter()
			.peek(PermitRequest.of("header").part("key", "s3cret").user("alice").cost(0));
		assertThat(key(peeked)).isEqualTo(key(verdict)).doesNotContain("alice", "s3cret");
		assertThat(remaining(peeked, "header")).isEqualTo(99);
	}

	@Test
	void addressInsteadOfAUserIsHashedLikeOtherParts() {
		this.hash = new KeyHash(KeyHashing.ALL, null);
		rule("user", new Scope(List.of("user"), null, MissingKeyPolicy.IP), 100);
		assertThat(keys(SimpleCaller.at("192.0.2.1"))).singleElement(InstanceOfAssertFactories.STRING)
			.startsWith("(ip)(hash)");
	}

	@Test
	void ruleReportsWhetherItsKeyIsSensitive() {
		rule("tenant", new Scope(List.of("tenant"), null, MissingKeyPolicy.IP), 100);
		rule("header", new Scope(List.of(), "header('X-Tenant')", MissingKeyPolicy.IP), 100);
		rule("user", new Scope(List.of("user", "plan", "ip", "endpoint"), "path", MissingKeyPolicy.IP), 100);
		rule("request", new Scope(List.of(), "requestAttribute('x')", MissingKeyPolicy.IP), 100);
		rule("session", new Scope(List.of(), "sessionAttribute('x')", MissingKeyPolicy.IP), 100);
		assertThat(evaluator().rules()).extracting((rule) -> rule.key().isSensitive())
			.containsExactly(true, true, false, true, true);
	}

	private Rule rule(String id, Scope scope, long burst) {
		Rule rule = TestRules.rule(id, bucket(burst)).scope(scope);
		this.rules.add(rule);
		return rule;
	}

	private Rule add(String id, Scope scope, String cost) {
		Rule rule = TestRules.rule(id, bucket(100)).scope(scope).cost(cost);
		this.rules.add(rule);
		return rule;
	}

	private void conditional(String id, String condition) {
		this.rules.add(TestRules.rule(id, bucket(100)).options(TestRules.where(condition)));
	}

	private static Rule shadow(Rule rule) {
		return rule.options((options) -> options.mode(RuleMode.SHADOW));
	}

	private static TokenBucket bucket(long burst) {
		return new TokenBucket(Rate.parse("1/h"), burst);
	}

	private TestEvaluator evaluator() {
		if (this.evaluator == null) {
			this.evaluator = TestEvaluator.of(this.rules, this.resolvers, this.hash, TestEvaluators.memory(1000));
		}
		return this.evaluator;
	}

	private Verdict evaluate(Caller caller) {
		return evaluator().evaluate(caller);
	}

	private Verdict evaluate(Rule rule, Caller caller) {
		return evaluator().evaluate(evaluator().matched(rule.id()), caller);
	}

	private List<String> keys(Caller caller) {
		return evaluate(caller).decisions().stream().map((decision) -> decision.key()).toList();
	}

	private static String key(Verdict verdict) {
		return verdict.decisions().get(0).key();
	}

	private static long remaining(Verdict verdict, String rule) {
		return verdict.decisions()
			.stream()
			.filter((decision) -> decision.rule().equals(rule))
			.findFirst()
			.orElseThrow()
			.decision()
			.remaining();
	}

}
