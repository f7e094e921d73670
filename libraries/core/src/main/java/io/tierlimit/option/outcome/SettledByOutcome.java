package io.tierlimit.option.outcome;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.key.RuleKey;
import io.tierlimit.option.RuleOption;
import io.tierlimit.option.EndedCharge;
import io.tierlimit.option.OutcomeEffect;
import io.tierlimit.rule.Account;
import io.tierlimit.rule.RequestOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Refunds a charge or resets its bucket, depending on the outcome of the request. If the
 * charge is kept, the bucket is not reset. A status resets the bucket only if the rule's
 * paths select the handler. An authentication resets the bucket only if the bucket
 * belongs to the account. A ban remains active.
 *
 * @param policy the outcomes that are charged, and the outcomes that reset the bucket
 * @param key identifies the account that the bucket belongs to
 */
public record SettledByOutcome(ChargePolicy policy, RuleKey key) implements RuleOption {

	@Override
	public Set<Fact> reads() {
		return this.policy.hasStatusReset() ? Set.of(Fact.OUTCOME, Fact.HANDLER) : Set.of(Fact.OUTCOME);
	}

	@Override
	public OutcomeEffect effect(RequestOutcome outcome, EndedCharge charge) {
		boolean conditional = !this.policy.chargeOn().isEmpty();
		if (conditional && this.policy.charges(outcome)) {
			return OutcomeEffect.KEEP;
		}
		if (resets(outcome, charge)) {
			return OutcomeEffect.RESET;
		}
		return conditional ? OutcomeEffect.REFUND : OutcomeEffect.NONE;
	}

	private boolean resets(RequestOutcome outcome, EndedCharge charge) {
		return charge.own() && ((charge.named() && this.policy.resetsByStatus(outcome))
				|| (this.policy.resetsBySuccess(outcome) && belongsToOneOf(outcome.authenticated(), charge.key())));
	}

	private boolean belongsToOneOf(Set<Account> accounts, String bucket) {
		return accounts.stream().anyMatch((account) -> this.key.belongsTo(account, bucket));
	}

	@Override
	public void describe(Map<String, Object> description) {
		RuleOption.put(description, "chargeOn", texts(this.policy.chargeOn()));
		RuleOption.put(description, "resetOn", texts(this.policy.resetOn()));
	}

	private static @Nullable List<String> texts(List<OutcomeCondition> outcomes) {
		return outcomes.isEmpty() ? null : outcomes.stream().map(Object::toString).toList();
	}

}
