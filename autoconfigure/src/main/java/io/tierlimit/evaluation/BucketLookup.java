package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.rule.Rule;

import org.jspecify.annotations.Nullable;

/**
 * Shows buckets to operators, as the next request would find them. Spends nothing.
 */
public final class BucketLookup {

	private final RateLimitEvaluator evaluator;

	/**
	 * Creates a look-up.
	 * @param evaluator knows the rules and the store
	 */
	public BucketLookup(RateLimitEvaluator evaluator) {
		this.evaluator = evaluator;
	}

	/**
	 * The parts that the key of a rule's buckets is made of, but for the plan.
	 * @param rule a rule in force
	 * @return the names in the rule's scope in alphabetical order, and {@code key} for
	 * its expression; empty for a rule with one bucket
	 */
	public List<String> keyParts(Rule rule) {
		return this.evaluator.compiled(rule.id()).keyParts();
	}

	/**
	 * The buckets of a key.
	 * @param rule the id of a rule
	 * @param key the parts of the key
	 * @param plan the plan; {@code null} for a bucket on every plan that the rule lists,
	 * and one on none
	 * @return one decision a bucket; none for an unlimited plan
	 * @throws IllegalArgumentException if there is no such rule, or the key doesn't have
	 * the parts of its rule
	 */
	public List<RuleDecision> find(String rule, List<String> key, @Nullable String plan) {
		CompiledRule compiled = this.evaluator.compiled(rule);
		List<Due> dues = new ArrayList<>();
		for (String each : compiled.plansOf(plan)) {
			Due due = compiled.due(new Claim(rule, key, 0, each));
			if (due != null) {
				dues.add(due);
			}
		}
		return this.evaluator.look(dues);
	}

	/**
	 * The buckets that a caller shares with nobody, and those of rules with one bucket
	 * for all. Left out are rules whose key has a part that does not follow from what is
	 * given: an endpoint, an expression, a {@link io.tierlimit.key.KeyResolver}.
	 * @param user the user, or {@code null}
	 * @param ip what counts as the address of one client, or {@code null}
	 * @param plan the plan; {@code null} for a bucket on every plan that a rule lists,
	 * and one on none
	 * @return one decision a bucket
	 */
	public List<RuleDecision> findOf(@Nullable String user, @Nullable String ip, @Nullable String plan) {
		KnownCaller caller = new KnownCaller(user, ip, plan);
		List<Due> dues = new ArrayList<>();
		for (CompiledRule rule : this.evaluator.rules()) {
			dues.addAll(rule.duesOf(caller));
		}
		return this.evaluator.look(dues);
	}

	/**
	 * How buckets stand by now that were decided before.
	 * @param decided decisions of any time
	 * @return a new decision for each, in their order
	 */
	public List<RuleDecision> again(List<RuleDecision> decided) {
		return this.evaluator.look(decided.stream()
			.map((before) -> new Due(before.rule(), before.plan(), before.charge()).costing(0))
			.toList());
	}

	/**
	 * Makes buckets full.
	 * @param buckets what a look-up has found
	 * @return whether it is done: not if the store can't be reached
	 */
	public boolean reset(List<RuleDecision> buckets) {
		boolean done = true;
		for (RuleDecision bucket : buckets) {
			done &= this.evaluator.reset(bucket.charge().key());
		}
		return done;
	}

}
