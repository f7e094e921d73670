package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.option.CallerFacts;
import io.tierlimit.option.ChargeFacts;
import io.tierlimit.option.Terms;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.store.BucketKey;
import org.jspecify.annotations.Nullable;

/**
 * Creates charges of 0 permits, which read the levels of a rule's buckets.
 *
 * @param rule the rule
 */
record LevelCharges(CompiledRule rule) {

	/**
	 * The bucket of a caller; {@code null} if the rule does not apply to the caller, or
	 * the caller is not charged.
	 * @throws InvalidRequestValueException if the condition or the key is not valid for
	 * the request
	 */
	@Nullable RuleCharge ofCaller(CallerFacts caller) {
		if (!this.rule.appliesTo(caller.caller())) {
			return null;
		}
		Terms terms = terms(caller);
		return terms.charged() ? of(caller.caller(), terms) : null;
	}

	/**
	 * The buckets of a caller, one for each possible plan; none if the query does not
	 * determine the key. Includes the bucket of an unlimited caller, which may have been
	 * charged before the caller became unlimited.
	 */
	List<RuleCharge> of(CallerQuery caller) {
		List<RuleCharge> ruleCharges = new ArrayList<>();
		boolean onAnyPlan = this.rule.dependsOnPlan() && this.rule.rule().limits().plans().isEmpty();
		if (!this.rule.key().isDeterminedBy(caller) || (onAnyPlan && caller.user() != null && caller.plan() == null)) {
			return ruleCharges;
		}
		for (String plan : CallerQuery.plansOf(this.rule, caller.plan())) {
			CallerQuery onPlan = caller.withPlan(plan);
			RuleCharge ruleCharge = of(onPlan, terms(new CallerFacts(onPlan)));
			if (ruleCharge != null) {
				ruleCharges.add(ruleCharge);
			}
		}
		return ruleCharges;
	}

	private Terms terms(CallerFacts caller) {
		return this.rule.terms(this.rule.facts(caller, this.rule.planOf(caller.caller()), null));
	}

	private @Nullable RuleCharge of(Caller caller, Terms terms) {
		BucketKey bucket = (terms.limit() != null) ? this.rule.key().of(caller, null) : null;
		return (bucket != null) ? this.rule.inspection(terms, bucket, this.rule.planOf(caller)) : null;
	}

	/**
	 * The bucket of a stored key; {@code null} if its caller is not charged. A plan that
	 * the rule does not list is replaced by the default plan of the rule, or by none.
	 * Only overrides of keys are considered, since the user and the address are not
	 * known.
	 */
	@Nullable RuleCharge ofStored(String key, @Nullable String plan) {
		String listed = this.rule.rule().limits().listed(plan);
		BucketKey bucket = this.rule.key().ofStored(key);
		Terms terms = this.rule.terms(new ChargeFacts(new CallerFacts(Caller.UNKNOWN), listed, bucket));
		return terms.charged() ? this.rule.inspection(terms, bucket, listed) : null;
	}

}
