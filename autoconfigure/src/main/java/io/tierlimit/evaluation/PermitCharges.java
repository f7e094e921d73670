package io.tierlimit.evaluation;

import java.util.List;
import java.util.function.Function;

import io.tierlimit.PermitRequest;
import io.tierlimit.key.RuleKey;
import io.tierlimit.option.CallerFacts;
import io.tierlimit.option.ChargeFacts;
import io.tierlimit.option.Terms;
import io.tierlimit.rule.Scope;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.ChargeOptions;
import org.jspecify.annotations.Nullable;

/**
 * The charges of one rule for the permit requests of code, which name the key.
 *
 * @param rule the rule
 */
record PermitCharges(CompiledRule rule) {

	/**
	 * The charge for a request; {@code null} if the caller is not charged.
	 * @param purpose selects the options of the charge
	 */
	@Nullable RuleCharge of(PermitRequest request, Function<RuleChargeOptions, ChargeOptions> purpose) {
		BucketKey bucket = this.rule.key().of(request.key(), request.plan());
		ChargeFacts facts = facts(request, bucket);
		Terms terms = this.rule.terms(facts);
		return terms.charged() ? this.rule.charge(terms, facts, bucket, plan(request), request.cost(), purpose, false)
				: null;
	}

	/**
	 * A charge of 0 permits on the bucket of a key, even if its caller is exempt;
	 * {@code null} if the plan is unlimited.
	 */
	@Nullable RuleCharge inspection(List<String> key, @Nullable String plan) {
		PermitRequest request = new PermitRequest(this.rule.rule().id(), key, 0, plan);
		BucketKey bucket = this.rule.key().of(key, plan);
		return this.rule.inspection(this.rule.terms(facts(request, bucket)), bucket, plan(request));
	}

	private @Nullable String plan(PermitRequest request) {
		return this.rule.dependsOnPlan() ? request.plan() : null;
	}

	/** The facts of a caller that the key of a request contains. */
	private @Nullable ChargeFacts facts(PermitRequest request, BucketKey bucket) {
		if (this.rule.options().isEmpty()) {
			return null;
		}
		CallerQuery caller = new CallerQuery(part(request, Scope.USER), part(request, Scope.IP), request.plan());
		return new ChargeFacts(new CallerFacts(caller), request.plan(), bucket);
	}

	private @Nullable String part(PermitRequest request, String name) {
		RuleKey key = this.rule.key();
		int index = key.names().indexOf(name);
		return (index >= 0) ? request.key().get(index) : null;
	}

}
