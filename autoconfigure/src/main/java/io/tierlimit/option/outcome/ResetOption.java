package io.tierlimit.option.outcome;

import java.util.Map;
import java.util.Set;

import io.tierlimit.key.RuleKey;
import io.tierlimit.option.RuleOption;
import io.tierlimit.option.RuleOptionFactory;
import io.tierlimit.option.SettledCharge;
import io.tierlimit.option.Settlement;
import io.tierlimit.rule.Account;
import io.tierlimit.rule.RequestOutcome;

/**
 * A reset of the bucket that a request was charged from, by the outcome of the request.
 * The status resets the bucket only if the rule's paths name the handler; an
 * authentication only if the bucket belongs to the account. A ban remains active.
 *
 * @param policy the outcomes that reset the bucket
 * @param key identifies the account that the bucket belongs to
 */
public record ResetOption(ChargePolicy policy, RuleKey key) implements RuleOption {

	/**
	 * Creates the resets of rules.
	 * @return the factory
	 */
	public static RuleOptionFactory factory() {
		return (rules) -> (rule, key) -> {
			ChargePolicy policy = rule.options().find(ChargePolicy.class);
			return (policy == null || policy.resetOn().isEmpty()) ? null : new ResetOption(policy, key);
		};
	}

	@Override
	public Set<Fact> reads() {
		return Set.of(Fact.OUTCOME);
	}

	@Override
	public Settlement settle(RequestOutcome outcome, SettledCharge charge) {
		boolean resets = charge.own() && ((charge.named() && this.policy.resetsByStatus(outcome))
				|| (this.policy.resetsBySuccess(outcome) && ownsOne(outcome.authenticated(), charge.key())));
		return resets ? Settlement.RESET : Settlement.NONE;
	}

	private boolean ownsOne(Set<Account> accounts, String bucket) {
		for (Account account : accounts) {
			if (this.key.belongsTo(account, bucket)) {
				return true;
			}
		}
		return false;
	}

	@Override
	public boolean settlesByHandler() {
		return this.policy.resetsOnStatus();
	}

	@Override
	public void describe(Map<String, Object> description) {
		description.put("resetOn", this.policy.resetOn().stream().map(Object::toString).toList());
	}

}
