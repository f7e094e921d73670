package io.tierlimit.actuate;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

import io.tierlimit.RuleDecision;
import io.tierlimit.RuleOutcome;
import io.tierlimit.UndecidedRule;
import io.tierlimit.Verdict;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.VerdictListener;

/**
 * Counts the outcomes of requests under each rule since startup.
 */
public final class RuleTotals implements VerdictListener {

	private final ConcurrentMap<String, Map<RuleOutcome, LongAdder>> rules = new ConcurrentHashMap<>();

	@Override
	public void onVerdict(Verdict verdict, Caller caller) {
		for (RuleDecision decision : verdict.decisions()) {
			count(decision.rule(), decision.outcome());
		}
		for (UndecidedRule undecided : verdict.undecided()) {
			count(undecided.rule(), undecided.outcome());
		}
	}

	private void count(String rule, RuleOutcome outcome) {
		Map<RuleOutcome, LongAdder> totals = this.rules.get(rule);
		if (totals == null) {
			totals = this.rules.computeIfAbsent(rule, (id) -> zeros());
		}
		Objects.requireNonNull(totals.get(outcome)).increment();
	}

	private static Map<RuleOutcome, LongAdder> zeros() {
		Map<RuleOutcome, LongAdder> zeros = new EnumMap<>(RuleOutcome.class);
		for (RuleOutcome outcome : RuleOutcome.values()) {
			zeros.put(outcome, new LongAdder());
		}
		return zeros;
	}

	/** The counts of a rule by outcome, without outcomes that have not occurred. */
	Map<RuleOutcome, Long> of(String rule) {
		Map<RuleOutcome, Long> counts = new EnumMap<>(RuleOutcome.class);
		this.rules.getOrDefault(rule, Map.of()).forEach((outcome, total) -> {
			long count = total.sum();
			if (count > 0) {
				counts.put(outcome, count);
			}
		});
		return counts;
	}

}
