package io.tierlimit.actuate;

import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;

import io.tierlimit.evaluation.BucketLookup;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Describes the rules in force.
 */
public final class RuleDescriptorFactory {

	private final RateLimitEvaluator evaluator;

	private final BucketLookup buckets;

	private final RuleTotals totals;

	private final UnaryOperator<String> origins;

	private final Instant since;

	/**
	 * Creates a factory.
	 * @param evaluator has the rules
	 * @param totals the number of requests by outcome
	 * @param origins maps the id of a rule to the place of its definition
	 * @param since when counting began
	 */
	public RuleDescriptorFactory(RateLimitEvaluator evaluator, RuleTotals totals, UnaryOperator<String> origins,
			Instant since) {
		this.evaluator = evaluator;
		this.buckets = new BucketLookup(evaluator);
		this.totals = totals;
		this.origins = origins;
		this.since = since;
	}

	RuleListDescriptor all(StoreDescriptor store) {
		List<RuleDescriptor> rules = this.evaluator.rules()
			.stream()
			.map(CompiledRule::rule)
			.map(this::describe)
			.toList();
		return new RuleListDescriptor(store, this.since, rules);
	}

	/** The rule with an id; {@code null} if there is none in force. */
	@Nullable RuleDescriptor of(String id) {
		CompiledRule rule = this.evaluator.rule(id);
		return (rule != null) ? describe(rule.rule()) : null;
	}

	private RuleDescriptor describe(Rule rule) {
		return RuleDescriptor.of(rule, this.origins.apply(rule.id()), this.buckets.keyParts(rule),
				this.totals.of(rule.id()));
	}

}
