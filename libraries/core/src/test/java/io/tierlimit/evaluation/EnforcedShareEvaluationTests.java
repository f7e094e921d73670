package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.PermitRequest;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.option.share.EnforcedShare;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests rules that are enforced for a share of their keys.
 */
class EnforcedShareEvaluationTests {

	private static final List<String> USERS = IntStream.range(0, 200).mapToObj((i) -> "user-" + i).toList();

	private final Rule rule = TestRules.rule("orders", 1).scope(Scope.of("user"));

	@Test
	void ruleRejectsOnlyKeysOfItsShare() {
		TestEvaluator evaluator = with(enforced(this.rule, 0.3));
		Set<String> rejected = rejected(evaluator, USERS);
		assertThat(rejected).hasSizeBetween(40, 80).isEqualTo(included(0.3));
		for (String user : USERS) {
			RuleDecision decision = evaluator.evaluate(caller(user)).decisions().get(0);
			assertThat(decision.outcome())
				.isEqualTo(rejected.contains(user) ? RuleOutcome.REJECTED : RuleOutcome.SHADOW_REJECTED);
			assertThat(decision.shadow()).isEqualTo(!rejected.contains(user));
		}
	}

	@Test
	void codeIsRejectedForTheSameKeys() {
		TestEvaluator evaluator = with(enforced(this.rule, 0.3));
		Set<String> rejected = new TreeSet<>();
		for (String user : USERS) {
			PermitRequest request = PermitRequest.of("orders").user(user);
			evaluator.limiter().tryAcquire(request);
			if (!evaluator.limiter().tryAcquire(request).allowed()) {
				rejected.add(user);
			}
			assertThat(evaluator.limiter().peek(request).allowed()).isEqualTo(!rejected.contains(user));
		}
		assertThat(rejected).isEqualTo(included(0.3));
	}

	@Test
	void keyThatIsNotEnforcedIsChargedWithoutAPermitOfOthers() {
		TestEvaluator evaluator = with(enforced(this.rule, 0.3), TestRules.rule("all", 1000));
		String user = USERS.stream().filter((each) -> !included(0.3).contains(each)).findFirst().orElseThrow();
		for (int i = 0; i < 3; i++) {
			Verdict verdict = evaluator.evaluate(caller(user));
			assertThat(verdict.allowed()).isTrue();
			assertThat(verdict.decisions().get(0).decision().allowed()).isEqualTo(i == 0);
			assertThat(verdict.decisions().get(1).decision().remaining()).isEqualTo(999 - i);
		}
	}

	@Test
	void modeOverridesTheShare() {
		TestEvaluator evaluator = with(enforced(this.rule, 1).options((options) -> options.mode(RuleMode.SHADOW)));
		assertThat(rejected(evaluator, USERS)).isEmpty();
		assertThat(rejected(with(enforced(this.rule, 0.3).options((options) -> options.mode(RuleMode.SHADOW))), USERS))
			.isEmpty();
		assertThat(rejected(with(enforced(this.rule, 1)), USERS)).hasSameElementsAs(USERS);
	}

	@Test
	void anonymousCallersAreDeniedForAShareOfTheAddresses() {
		Rule denying = this.rule.scope(new Scope(List.of("user"), null, MissingKeyPolicy.DENY));
		assertThat(denied(with(enforced(denying, 0.3)))).isBetween(40, 80);
		assertThat(denied(with(enforced(denying, 1)))).isEqualTo(200);
	}

	private static int denied(TestEvaluator evaluator) {
		int denied = 0;
		for (int i = 0; i < 200; i++) {
			Caller anonymous = SimpleCaller.at("192.0.2." + i);
			Verdict verdict = evaluator.evaluate(anonymous);
			denied += (verdict.outcome() == Outcome.DENIED) ? 1 : 0;
			assertThat(evaluator.evaluate(anonymous).outcome()).isEqualTo(verdict.outcome());
		}
		return denied;
	}

	@Test
	void requestsWithAnInvalidCostAreRejectedForAShareOfTheAddresses() {
		TestEvaluator evaluator = with(enforced(this.rule.cost("param('n')"), 0.3));
		List<Verdict> invalid = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			invalid.add(evaluator.evaluate(SimpleCaller.at("192.0.2." + i).sending(Map.of(), Map.of("n", "many"))));
		}
		assertThat(invalid.stream().filter((verdict) -> verdict.outcome() == Outcome.INVALID).count()).isBetween(40L,
				80L);
		assertThat(invalid).allMatch((verdict) -> verdict.allowed() || verdict.outcome() == Outcome.INVALID);
	}

	@Test
	void callersReadTheirLimitsOnlyIfTheyAreEnforced() {
		TestEvaluator evaluator = with(enforced(this.rule, 0.3));
		CallerLimits limits = new CallerLimits(evaluator.activeRules(), evaluator.evaluator());
		for (String user : USERS) {
			assertThat(limits.of(caller(user)).decisions()).hasSize(included(0.3).contains(user) ? 1 : 0);
		}
	}

	@Test
	void operatorsSeeWhichBucketsAreEnforced() {
		TestEvaluator evaluator = with(enforced(this.rule, 0.3));
		BucketLookup lookup = new BucketLookup(evaluator.activeRules(), evaluator.evaluator());
		for (String user : USERS) {
			boolean shadow = !included(0.3).contains(user);
			assertThat(lookup.findOf(user, null, null)).singleElement()
				.satisfies((decision) -> assertThat(decision.shadow()).isEqualTo(shadow));
			assertThat(lookup.find(evaluator.rule("orders"), Map.of("user", user), null)).singleElement()
				.satisfies((decision) -> assertThat(decision.shadow()).isEqualTo(shadow));
		}
	}

	private static Set<String> included(double share) {
		Set<String> included = new TreeSet<>(USERS);
		included.removeIf((user) -> !new EnforcedShare(share).includes("orders", user));
		return included;
	}

	private static Rule enforced(Rule rule, double share) {
		return rule.options((options) -> options.with(new EnforcedShare(share)));
	}

	private static TestEvaluator with(Rule... rules) {
		return TestEvaluators.of(TestEvaluators.memory(1000), rules);
	}

	/** The users whose second request is rejected. */
	private static Set<String> rejected(TestEvaluator evaluator, List<String> users) {
		Set<String> rejected = new TreeSet<>();
		for (String user : users) {
			assertThat(evaluator.evaluate(caller(user)).allowed()).isTrue();
			if (!evaluator.evaluate(caller(user)).allowed()) {
				rejected.add(user);
			}
		}
		return rejected;
	}

	private static SimpleCaller caller(String user) {
		return SimpleCaller.at("192.0.2.1").as(user);
	}

}
