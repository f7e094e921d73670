package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.RuleDecision;
import io.tierlimit.limit.Ban;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.PermitHolder;
import io.tierlimit.store.StoreFailureFlag;
import org.jspecify.annotations.Nullable;

/**
 * Reads the state of buckets for operators, as the next request would find them. Consumes
 * nothing.
 *
 * @param rules the current rules
 * @param evaluator reads the store
 */
public record BucketLookup(ActiveRules rules, RateLimitEvaluator evaluator) {

	/**
	 * Finds the buckets of a key.
	 * @param rule the rule
	 * @param key the parts of the key by their names
	 * @param plan the plan; {@code null} for the buckets of all plans that the rule
	 * lists, and the bucket without a plan
	 * @return one decision for each bucket; none for an unlimited plan
	 * @throws IllegalArgumentException if the parts do not match the key of the rule
	 */
	public List<RuleDecision> find(CompiledRule rule, Map<String, String> key, @Nullable String plan) {
		List<RuleCharge> ruleCharges = new ArrayList<>();
		for (String each : CallerQuery.plansOf(rule, plan)) {
			RuleCharge ruleCharge = PermitCharges.inspection(rule, key, each);
			if (ruleCharge != null) {
				ruleCharges.add(ruleCharge);
			}
		}
		return List.copyOf(this.evaluator.peek(ruleCharges));
	}

	/**
	 * Finds the buckets of stored keys.
	 * @param rule the rule
	 * @param plans the keys of buckets as the store has them, each with the plan that it
	 * belongs to, or {@code null}
	 * @return a decision for each bucket by its key; none for an unlimited plan
	 */
	public Map<String, RuleDecision> findStored(CompiledRule rule, Map<String, @Nullable String> plans) {
		List<RuleCharge> ruleCharges = new ArrayList<>();
		plans.forEach((key, plan) -> {
			RuleCharge ruleCharge = new LevelCharges(rule).ofStored(key, plan);
			if (ruleCharge != null) {
				ruleCharges.add(ruleCharge);
			}
		});
		Map<String, RuleDecision> found = new HashMap<>();
		this.evaluator.peek(ruleCharges).forEach((decision) -> found.put(decision.key(), decision));
		return found;
	}

	/**
	 * Finds the buckets of a caller under one rule.
	 * @param rule the rule
	 * @param user the user, or {@code null} for an anonymous caller
	 * @param ip the client address, or the network that is treated as one client, or
	 * {@code null}
	 * @param plan the plan; {@code null} for all plans, as in {@link #find}
	 * @return one decision for each bucket; none if the rule's key has a part that the
	 * arguments do not determine
	 */
	public List<RuleDecision> findOf(CompiledRule rule, @Nullable String user, @Nullable String ip,
			@Nullable String plan) {
		return List.copyOf(this.evaluator.peek(new LevelCharges(rule).of(new CallerQuery(user, ip, plan))));
	}

	/**
	 * Finds the buckets of a caller under all rules; conditions are not evaluated. Rules
	 * are omitted if their key has a part that the arguments do not determine: an
	 * endpoint, an expression, a {@link io.tierlimit.spi.KeyResolver}.
	 * @param user the user, or {@code null}
	 * @param ip the client address, or the network that is treated as one client, or
	 * {@code null}
	 * @param plan the plan; {@code null} for all plans, as in {@link #find}
	 * @return one decision for each bucket
	 */
	public List<RuleDecision> findOf(@Nullable String user, @Nullable String ip, @Nullable String plan) {
		Map<BucketKey, RuleCharge> ruleCharges = new LinkedHashMap<>();
		addAll(ruleCharges, new CallerQuery(user, null, plan));
		if (ip != null) {
			addAll(ruleCharges, new CallerQuery(user, ip, plan));
		}
		return List.copyOf(this.evaluator.peek(List.copyOf(ruleCharges.values())));
	}

	private void addAll(Map<BucketKey, RuleCharge> ruleCharges, CallerQuery caller) {
		for (CompiledRule rule : this.rules.current().withDerived()) {
			new LevelCharges(rule).of(caller)
				.forEach((ruleCharge) -> ruleCharges.putIfAbsent(ruleCharge.key(), ruleCharge));
		}
	}

	/**
	 * The holders of a bucket's permits.
	 * @param bucket a result of a look-up
	 * @return the holders, the oldest first
	 */
	public List<PermitHolder> holders(RuleDecision bucket) {
		return this.evaluator.store().holders(ChargeDecision.of(bucket).ruleCharge().key());
	}

	/**
	 * Releases the permits of a holder.
	 * @param rule the rule
	 * @param key the key of a bucket as the store has it
	 * @param holder the id of the holder
	 * @return whether the bucket had this holder; false if the store was not available
	 */
	public boolean release(CompiledRule rule, String key, String holder) {
		return this.evaluator.store().release(rule.key().ofStored(key), holder);
	}

	/**
	 * Resets buckets.
	 * @param buckets the result of a look-up
	 * @return false if the store was not available for one of them
	 */
	public boolean reset(List<RuleDecision> buckets) {
		boolean done = true;
		for (RuleDecision bucket : buckets) {
			ChargeDecision decision = ChargeDecision.of(bucket);
			done &= this.evaluator.store()
				.reset(bucket.local() ? decision.ruleCharge().key() : decision.charge().key(), new StoreFailureFlag());
		}
		return done;
	}

	/**
	 * The active bans of a rule.
	 * @param rule the rule
	 * @param most the maximum number of bans, 1 or more
	 * @return the bans by bucket, in any order; empty for a rule that bans no callers
	 */
	public Map<BucketKey, Ban> bans(CompiledRule rule, int most) {
		// Bans that are still stored are not active if the rule no longer bans callers.
		return (rule.chargeOptions().immediate().ban() != null) ? this.evaluator.store().bans(rule.rule().id(), most)
				: Map.of();
	}

	/**
	 * Resets a bucket.
	 * @param rule the rule
	 * @param key the key of a bucket as the store has it
	 * @return false if the store was not available
	 */
	public boolean resetStored(CompiledRule rule, String key) {
		BucketKey bucket = RuleCharge.spread(rule.key().ofStored(key), rule.chargeOptions().immediate());
		return this.evaluator.store().reset(bucket, new StoreFailureFlag());
	}

}
