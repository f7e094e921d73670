package io.tierlimit.actuate;

import java.util.List;
import java.util.Map;

import io.tierlimit.RuleMode;
import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.evaluation.TestUndecided;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RuleTotals}.
 */
class RuleTotalsTests {

	private final RuleTotals totals = new RuleTotals();

	private final Rule search = TestRules.rule("search", 10);

	private final Rule shadow = TestRules.rule("shadow", 10).options((options) -> options.mode(RuleMode.SHADOW));

	@Test
	void everyDecisionCountsUnderItsRuleAndOutcome() {
		Verdict rejection = new Verdict(Outcome.REJECTED,
				List.of(TestDecision.rejected(this.search), TestDecision.rejected(this.shadow)));
		this.totals.onVerdict(rejection, Caller.UNKNOWN);
		this.totals.onVerdict(rejection, Caller.UNKNOWN);
		this.totals.onVerdict(new Verdict(Outcome.ALLOWED, List.of(TestDecision.allowed(this.search, 9))),
				Caller.UNKNOWN);
		assertThat(this.totals.of("search"))
			.containsExactlyInAnyOrderEntriesOf(Map.of(RuleOutcome.REJECTED, 2L, RuleOutcome.ALLOWED, 1L));
		assertThat(this.totals.of("shadow")).containsExactly(Map.entry(RuleOutcome.SHADOW_REJECTED, 2L));
	}

	@Test
	void undecidedRulesCount() {
		this.totals.onVerdict(
				new Verdict(Outcome.UNAVAILABLE, List.of(),
						List.of(new TestUndecided("search", null, true), new TestUndecided("shadow", null, false))),
				Caller.UNKNOWN);
		assertThat(this.totals.of("search")).containsExactly(Map.entry(RuleOutcome.STORE_DENIED, 1L));
		assertThat(this.totals.of("shadow")).containsExactly(Map.entry(RuleOutcome.STORE_ALLOWED, 1L));
	}

	@Test
	void ruleWithoutRequestsHasNoTotals() {
		assertThat(this.totals.of("search")).isEmpty();
	}

}
