package io.tierlimit.evaluation;

import java.util.List;
import java.util.Map;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class CostTests {

	private static final SimpleCaller ALICE = SimpleCaller.at("192.0.2.1").as("alice");

	private static final Verdict INVALID = new Verdict(Outcome.INVALID, List.of());

	@Test
	void costIsANumberOrAnExpression() {
		assertThat(costs(ALICE.sending(Map.of(), Map.of("n", "4")), "3", "0", "user == 'alice' ? 2 : 1", "param('n')"))
			.containsExactly(3L, 0L, 2L, 4L);
	}

	@ParameterizedTest
	@ValueSource(strings = { "user.length()", "-1", "claim('none')", "1 / 0", "user.length() - 1", "ip.length() - 12",
			"0 - 5", "header('X-Tenant').length() / 0", "9223372036854775807L + 1",
			"ip.length() * 9223372036854775807L", "param('n')", "method", "authorities.size() - 1" })
	void requestWithoutAValidCostIsInvalidAndWarnsOnce(String cost, CapturedOutput output) {
		TestEvaluator evaluator = TestEvaluators.of(costing("odd", cost));
		Caller caller = SimpleCaller.at("192.0.2.1").sending(Map.of("X-Tenant", "acme"), Map.of("n", "-5"));
		assertThat(evaluator.evaluate(caller)).isEqualTo(INVALID);
		assertThat(evaluator.evaluate(caller)).isEqualTo(INVALID);
		assertThat(output.toString().split("Rule 'odd' treated a request as invalid because its cost", -1)).hasSize(2);
	}

	@Test
	void invalidCostChargesNothingAndSkipsShadowRules() {
		Rule shadow = costing("shadow", "param('n')").options((options) -> options.mode(RuleMode.SHADOW));
		assertThat(TestEvaluators.of(TestRules.rule("global", 9), shadow).evaluate(ALICE).decisions())
			.extracting(RuleDecision::rule)
			.containsExactly("global");
		TestEvaluator evaluator = TestEvaluators.of(TestRules.rule("global", 9), costing("odd", "param('n')"));
		assertThat(evaluator.evaluate(ALICE.sending(Map.of(), Map.of("n", "-1")))).isEqualTo(INVALID);
		assertThat(evaluator.evaluate(ALICE.sending(Map.of(), Map.of("n", "1"))).allowed()).isTrue();
		assertThat(evaluator.remaining("global")).isEqualTo(8);
	}

	@Test
	void callersCannotMakeARequestFree() {
		assertThat(costs(ALICE.sending(Map.of("n", "x"), Map.of("n", "0")), "param('n')", "header('n') == 'x' ? 0 : 1"))
			.containsExactly(1L, 1L);
	}

	@ParameterizedTest
	@CsvSource({ "#value, , 95", "1, #value, 100" })
	void keyOrCostThatReadsAnArgumentOfTheHandlerIsChargedOnlyByItsCall(String cost, @Nullable String key,
			long remaining) {
		TestEvaluator evaluator = TestEvaluators.of(costing("r", "1"));
		Rule ofMethod = costing("r", cost);
		Scope scope = (key != null) ? new Scope(List.of(), key, MissingKeyPolicy.IP) : ofMethod.scope();
		CompiledRule variant = evaluator.variant(ofMethod.scope(scope), List.of("value"));
		MethodRules handler = new MethodRules(List.of(new MatchedRule(variant, null)), Map.of("value", 0));
		RateLimitTransaction transaction = evaluator.begin(ALICE);
		transaction.expect(handler);
		assertThat(transaction.evaluate(evaluator.matched("r"), Stage.ALL)).isEqualTo(Verdict.UNLIMITED);
		assertThat(evaluator.remaining("r")).isEqualTo(100);
		assertThat(transaction.beginHandlerCall(handler)).isTrue();
		Verdict call = transaction.evaluateHandlerCall(handler, new Object[] { 5 });
		assertThat(call.allowed()).isTrue();
		assertThat(call.decisions()).singleElement()
			.extracting((decision) -> decision.decision().remaining())
			.isEqualTo((key != null) ? 99L : 95L);
		assertThat(evaluator.remaining("r")).isEqualTo(remaining);
	}

	@Test
	void costAboveTheCapacityWarnsOnce(CapturedOutput output) {
		TestEvaluator evaluator = TestEvaluators.of(costing("a", "101"));
		assertThat(evaluator.evaluate(ALICE).outcome()).isEqualTo(Outcome.REJECTED);
		evaluator.evaluate(ALICE);
		assertThat(output.toString().split("exceeds the capacity of 100", -1)).hasSize(2);
	}

	/** Returns the permits that a request consumes under rules with these costs. */
	private static List<Long> costs(Caller caller, String... costs) {
		Rule[] rules = new Rule[costs.length];
		for (int i = 0; i < costs.length; i++) {
			rules[i] = costing("r" + i, costs[i]);
		}
		return TestEvaluators.of(rules).evaluate(caller).decisions().stream().map(RuleDecision::cost).toList();
	}

	private static Rule costing(String id, String cost) {
		return TestRules.rule(id, 100).cost(cost);
	}

}
