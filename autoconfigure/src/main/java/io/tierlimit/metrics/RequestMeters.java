package io.tierlimit.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleOutcome;
import io.tierlimit.UndecidedRule;
import io.tierlimit.Verdict;
import io.tierlimit.limit.Ban;
import io.tierlimit.metrics.RuleMeters.PlanMeters;
import io.tierlimit.option.candidate.CandidateResult;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.VerdictListener;
import org.jspecify.annotations.Nullable;

/**
 * Counts the outcomes of requests under each rule.
 */
public final class RequestMeters implements VerdictListener {

	private static final String OTHER = "other";

	private final MeterRegistry registry;

	private final Function<String, @Nullable Rule> ruleById;

	private final ConcurrentMap<String, RuleMeters> rules = new ConcurrentHashMap<>();

	/** All plans that any rule lists. Callers cannot add others. */
	private final Set<String> plans = ConcurrentHashMap.newKeySet();

	/**
	 * Creates meters.
	 * @param registry the registry of the meters
	 * @param ruleById finds a rule that was not registered at startup
	 */
	public RequestMeters(MeterRegistry registry, Function<String, @Nullable Rule> ruleById) {
		this.registry = registry;
		this.ruleById = ruleById;
	}

	/**
	 * Registers the meters of a rule with the value 0, so that its first rejection is an
	 * increase. The counts of a rule that has meters continue.
	 * @param rule a rule that comes into force
	 */
	public void register(Rule rule) {
		Set<String> listed = rule.limits().plans().keySet();
		this.plans.addAll(listed);
		RuleMeters meters = new RuleMeters(this.registry, rule);
		meters.of(OTHER);
		listed.forEach(meters::of);
		this.rules.put(rule.id(), meters);
	}

	@Override
	public void onVerdict(Verdict verdict, Caller caller) {
		for (int i = 0; i < verdict.decisions().size(); i++) {
			RuleDecision decision = verdict.decisions().get(i);
			RuleMeters rule = of(decision.rule());
			if (rule == null) {
				continue;
			}
			countCandidate(verdict, i);
			PlanMeters meters = rule.of(tag(decision.plan()));
			meters.count(decision.outcome());
			if (decision.outcome() == RuleOutcome.DELAYED) {
				rule.time(decision.decision().timeToAct());
			}
			Ban ban = decision.decision().ban();
			if (ban != null && ban.started()) {
				rule.countBan();
			}
			if (verdict.allowed() && isNearLimit(decision)) {
				meters.countNearLimit();
			}
		}
		for (UndecidedRule undecided : verdict.undecided()) {
			RuleMeters rule = of(undecided.rule());
			if (rule != null) {
				rule.of(tag(undecided.plan())).count(undecided.outcome());
			}
		}
	}

	/** Counts a difference under the rule, if a decision is that of its candidate. */
	private void countCandidate(Verdict verdict, int index) {
		CandidateResult result = CandidateResult.of(verdict.decisions(), index);
		String id = verdict.decisions().get(index).candidateOf();
		RuleMeters rule = (result != null && id != null) ? of(id) : null;
		if (result != null && rule != null) {
			rule.count(result);
		}
	}

	/**
	 * The meters of a rule; registers them for a rule of a bean that was created late.
	 */
	private @Nullable RuleMeters of(String id) {
		RuleMeters meters = this.rules.get(id);
		if (meters == null) {
			Rule rule = this.ruleById.apply(id);
			if (rule != null) {
				register(rule);
				meters = this.rules.get(id);
			}
		}
		return meters;
	}

	private String tag(@Nullable String plan) {
		return (plan != null && this.plans.contains(plan)) ? plan : OTHER;
	}

	private static boolean isNearLimit(RuleDecision decision) {
		return decision.decision().allowed() && decision.cost() > 0
				&& 5 * decision.decision().remaining() < decision.limit().capacity();
	}

}
