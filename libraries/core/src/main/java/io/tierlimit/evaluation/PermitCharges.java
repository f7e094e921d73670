package io.tierlimit.evaluation;

import java.util.Map;
import java.util.function.Function;

import io.tierlimit.PermitRequest;
import io.tierlimit.option.CallerFacts;
import io.tierlimit.option.ChargeFacts;
import io.tierlimit.option.Terms;
import io.tierlimit.rule.Scope;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.ChargeOptions;
import org.jspecify.annotations.Nullable;

/**
 * Creates the charges for permit requests of code, which contain the parts of the key.
 */
final class PermitCharges {

	private PermitCharges() {
	}

	/**
	 * The charge for a request; {@code null} if the caller is not charged.
	 * @param purpose selects the options of the charge
	 */
	static @Nullable RuleCharge of(CompiledRule rule, PermitRequest request,
			Function<RuleChargeOptions, ChargeOptions> purpose) {
		BucketKey bucket = rule.key().of(request.parts(), request.plan());
		ChargeFacts facts = facts(rule, request, bucket);
		Terms terms = rule.terms(facts);
		return terms.charged() ? rule.charge(new MatchedRule(rule, null), terms, facts, bucket, plan(rule, request),
				request.cost(), purpose) : null;
	}

	/**
	 * A charge of 0 permits on the bucket of a key, even if its caller is unlimited;
	 * {@code null} if the plan is unlimited.
	 */
	static @Nullable RuleCharge inspection(CompiledRule rule, Map<String, String> key, @Nullable String plan) {
		PermitRequest request = new PermitRequest(rule.rule().id(), key, 0, plan);
		BucketKey bucket = rule.key().of(key, plan);
		return rule.inspection(rule.terms(facts(rule, request, bucket)), bucket, plan(rule, request));
	}

	private static @Nullable String plan(CompiledRule rule, PermitRequest request) {
		return rule.dependsOnPlan() ? request.plan() : null;
	}

	/** The facts about the caller that a permit request contains. */
	private static @Nullable ChargeFacts facts(CompiledRule rule, PermitRequest request, BucketKey bucket) {
		if (rule.options().isEmpty()) {
			return null;
		}
		CallerQuery caller = new CallerQuery(request.parts().get(Scope.USER), request.parts().get(Scope.IP),
				request.plan());
		return new ChargeFacts(new CallerFacts(caller), request.plan(), bucket);
	}

}
