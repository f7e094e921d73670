package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.PermitRequest;
import io.tierlimit.RuleDecision;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.BucketKey;
import org.jspecify.annotations.Nullable;

/**
 * Shows buckets to operators, as the next request would find them. Consumes nothing.
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
	 * The parts that the key of a rule's buckets is made of, except for the plan.
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
		List<RuleCharge> ruleCharges = new ArrayList<>();
		for (String each : compiled.plansOf(plan)) {
			RuleCharge ruleCharge = compiled.ruleCharge(new PermitRequest(rule, key, 0, each));
			if (ruleCharge != null) {
				ruleCharges.add(ruleCharge);
			}
		}
		return List.copyOf(this.evaluator.look(ruleCharges));
	}

	/**
	 * The buckets that a caller takes from under one rule.
	 * @param rule the id of a rule
	 * @param user the user, or {@code null} for an anonymous caller
	 * @param ip what counts as the address of one client, or {@code null}
	 * @param plan the plan, as above
	 * @return one decision a bucket; none if the rule's key has a part that does not
	 * follow from what is given
	 * @throws IllegalArgumentException if there is no such rule
	 */
	public List<RuleDecision> findOf(String rule, @Nullable String user, @Nullable String ip, @Nullable String plan) {
		return List
			.copyOf(this.evaluator.look(this.evaluator.compiled(rule).chargesOf(new CallerQuery(user, ip, plan))));
	}

	/**
	 * The buckets that a caller takes from under all rules, whatever their conditions.
	 * Left out are rules whose key has a part that does not follow from what is given: an
	 * endpoint, an expression, a {@link io.tierlimit.spi.KeyResolver}.
	 * @param user the user, or {@code null}
	 * @param ips what counts as the address of one client: any number of them
	 * @param plan the plan, as above
	 * @return one decision a bucket
	 */
	public List<RuleDecision> findOf(@Nullable String user, Collection<String> ips, @Nullable String plan) {
		Map<BucketKey, RuleCharge> ruleCharges = new LinkedHashMap<>();
		addAll(ruleCharges, new CallerQuery(user, null, plan));
		ips.forEach((ip) -> addAll(ruleCharges, new CallerQuery(user, ip, plan)));
		return List.copyOf(this.evaluator.look(List.copyOf(ruleCharges.values())));
	}

	private void addAll(Map<BucketKey, RuleCharge> ruleCharges, CallerQuery caller) {
		for (CompiledRule rule : this.evaluator.rules()) {
			rule.chargesOf(caller)
				.forEach((ruleCharge) -> ruleCharges.putIfAbsent(ruleCharge.charge().key(), ruleCharge));
		}
	}

	/**
	 * Makes buckets full.
	 * @param buckets what a look-up has found
	 * @return whether it is done: not if the store can't be reached
	 */
	public boolean reset(List<RuleDecision> buckets) {
		boolean done = true;
		for (RuleDecision bucket : buckets) {
			BucketKey key = ChargeDecision.of(bucket).charge().key();
			done &= this.evaluator
				.reset(bucket.local() ? new BucketKey(bucket.rule(), key.key(), key.affinityKey()) : key);
		}
		return done;
	}

}
