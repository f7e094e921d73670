package io.tierlimit.actuate;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.RuleSummary;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.rule.DerivedFrom;
import org.jspecify.annotations.Nullable;

/**
 * Describes the current rules.
 *
 * @param rules supplies the current rules
 * @param totals the number of requests by outcome
 * @param origins maps the id of a rule to the place of its definition
 * @param summary describes a rule in one line
 * @param since when counting began
 */
public record RuleDescriptorFactory(ActiveRules rules, RuleTotals totals, UnaryOperator<String> origins,
		RuleSummary summary, Instant since) {

	/** The current rules, in the order in which headers list them. */
	Map<String, Object> all(ModeDescriptor mode, ReloadDescriptor reload) {
		Map<String, Object> description = new LinkedHashMap<>();
		description.put("since", this.since);
		description.put("mode", mode);
		description.put("reload", reload);
		description.put("rules", this.rules.current().withDerived().stream().map(this::describe).toList());
		return description;
	}

	/**
	 * The limits of a plan: for each rule, the limit of the plan or, if the rule does not
	 * list the plan, the limit of the rule or of its default plan.
	 */
	Map<String, Object> ofPlan(String plan) {
		Map<String, PlanDescriptor> limits = new LinkedHashMap<>();
		for (CompiledRule rule : this.rules.current().all()) {
			limits.put(rule.rule().id(), PlanDescriptor.of(rule.rule(), plan));
		}
		Map<String, Object> description = new LinkedHashMap<>();
		description.put("plan", plan);
		description.put("rules", limits);
		return description;
	}

	/** The current rule with an id; {@code null} if there is no such rule. */
	@Nullable RuleDescriptor of(String id) {
		CompiledRule rule = this.rules.current().rule(id);
		return (rule != null) ? describe(rule) : null;
	}

	private RuleDescriptor describe(CompiledRule compiled) {
		DerivedFrom origin = compiled.rule().options().find(DerivedFrom.class);
		String written = (origin != null) ? origin.rule() : compiled.rule().id();
		return RuleDescriptor.of(compiled, this.summary.of(compiled, this.rules.current()), this.origins.apply(written),
				this.totals);
	}

}
