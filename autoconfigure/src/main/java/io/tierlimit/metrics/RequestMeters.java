package io.tierlimit.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleOutcome;
import io.tierlimit.UnaskedRule;
import io.tierlimit.Verdict;
import io.tierlimit.metrics.RuleMeters.PlanMeters;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.VerdictListener;
import org.jspecify.annotations.Nullable;

/**
 * Counts what becomes of requests, rule by rule.
 */
public final class RequestMeters implements VerdictListener {

	private static final String OTHER = "other";

	private final MeterRegistry registry;

	private final ConcurrentMap<String, RuleMeters> rules = new ConcurrentHashMap<>();

	/** All plans that any rule lists: callers can't make up others. */
	private final Set<String> plans = ConcurrentHashMap.newKeySet();

	/**
	 * Creates meters.
	 * @param registry where they are registered
	 */
	public RequestMeters(MeterRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Registers the meters of a rule before there is anything to count, so that its first
	 * refusal is an increase.
	 * @param rule a rule in force
	 */
	public void register(Rule rule) {
		Set<String> listed = rule.limits().plans().keySet();
		this.plans.addAll(listed);
		RuleMeters meters = of(rule);
		meters.of(OTHER);
		listed.forEach(meters::of);
	}

	@Override
	public void decided(Verdict verdict, Caller caller) {
		for (RuleDecision decision : verdict.decisions()) {
			RuleMeters rule = of(decision.rule());
			PlanMeters meters = rule.of(tag(decision.plan()));
			meters.count(decision.outcome());
			if (decision.outcome() == RuleOutcome.WAITED) {
				rule.time(decision.decision().timeToAct());
			}
			if (verdict.allowed() && isNearLimit(decision)) {
				meters.countNearLimit();
			}
		}
		for (UnaskedRule unasked : verdict.unasked()) {
			of(unasked.rule()).of(tag(unasked.plan())).count(unasked.outcome());
		}
	}

	private RuleMeters of(Rule rule) {
		RuleMeters meters = this.rules.get(rule.id());
		return (meters != null) ? meters
				: this.rules.computeIfAbsent(rule.id(), (id) -> new RuleMeters(this.registry, rule));
	}

	private String tag(@Nullable String plan) {
		return (plan != null && this.plans.contains(plan)) ? plan : OTHER;
	}

	private static boolean isNearLimit(RuleDecision decision) {
		return decision.decision().allowed() && decision.cost() > 0
				&& 5 * decision.decision().remaining() < decision.limit().capacity();
	}

}
