package io.tierlimit.metrics;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleOutcome;
import io.tierlimit.UndecidedRule;
import io.tierlimit.Verdict;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.metrics.RuleMeters.PlanMeters;
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

	private final Function<String, @Nullable CompiledRule> ruleById;

	private final OptionMeters options;

	private final ConcurrentMap<String, RuleMeters> rules = new ConcurrentHashMap<>();

	/** All plans that any rule lists. Callers cannot add further plans. */
	private final Set<String> plans = ConcurrentHashMap.newKeySet();

	/**
	 * Creates meters.
	 * @param registry the registry of the meters
	 * @param ruleById finds a current rule by its id
	 */
	public RequestMeters(MeterRegistry registry, Function<String, @Nullable CompiledRule> ruleById) {
		this.registry = registry;
		this.ruleById = ruleById;
		this.options = new OptionMeters(registry, ruleById);
	}

	/**
	 * Registers the meters of rules with the value 0, so that the first rejection is an
	 * increase. If a rule already has meters, its counts continue. If a rule is removed,
	 * its counts stay in the registry, but a request that ends later is not counted for
	 * the rule. The meters of options that no rule has are removed.
	 * @param rules the new rules
	 */
	public synchronized void replace(Collection<CompiledRule> rules) {
		rules.forEach((rule) -> register(rule.rule()));
		this.rules.keySet().retainAll(rules.stream().map((rule) -> rule.rule().id()).toList());
		this.options.replace(rules);
	}

	private void register(Rule rule) {
		Set<String> listed = rule.limits().plans().keySet();
		this.plans.addAll(listed);
		RuleMeters meters = new RuleMeters(this.registry, rule);
		meters.of(OTHER);
		listed.forEach(meters::of);
		this.rules.put(rule.id(), meters);
	}

	@Override
	public void onVerdict(Verdict verdict, Caller caller) {
		for (RuleDecision decision : verdict.decisions()) {
			RuleMeters rule = of(decision.rule());
			if (rule == null) {
				continue;
			}
			PlanMeters meters = rule.of(tag(decision.plan()));
			meters.count(decision.outcome());
			if (decision.outcome() == RuleOutcome.DELAYED) {
				rule.time(decision.decision().delay());
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

	/**
	 * The meters of a rule. Registers the meters for a rule of a bean that was created
	 * late.
	 */
	private @Nullable RuleMeters of(String id) {
		RuleMeters meters = this.rules.get(id);
		return (meters != null) ? meters : registerLate(id);
	}

	/** Synchronized, so that no meters are added while the rule set is being replaced. */
	private synchronized @Nullable RuleMeters registerLate(String id) {
		CompiledRule rule = this.ruleById.apply(id);
		if (rule != null && !this.rules.containsKey(id)) {
			register(rule.rule());
			this.options.add(rule);
		}
		return this.rules.get(id);
	}

	private String tag(@Nullable String plan) {
		return (plan != null && this.plans.contains(plan)) ? plan : OTHER;
	}

	private static boolean isNearLimit(RuleDecision decision) {
		return decision.decision().allowed() && decision.cost() > 0
				&& 5 * decision.decision().remaining() < decision.limit().capacity();
	}

}
