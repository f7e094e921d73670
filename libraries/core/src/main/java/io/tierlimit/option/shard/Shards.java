package io.tierlimit.option.shard;

import java.util.Map;

import io.tierlimit.limit.Overdraft;
import io.tierlimit.option.RuleOption;
import io.tierlimit.rule.OptionValue;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.rule.Scope;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.shard.LimitDivision;

/**
 * The number of shards over which a rule spreads each of its buckets.
 *
 * @param count the number: 1, for buckets that are not spread, to 64
 */
public record Shards(int count) implements OptionValue, RuleOption {

	/**
	 * Creates a number of shards.
	 * @throws IllegalArgumentException if the number is out of range
	 */
	public Shards {
		if (count < 1 || count > BucketKey.MAX_SHARDS) {
			throw new IllegalArgumentException("shards must be 1 to " + BucketKey.MAX_SHARDS + " (was " + count + ")");
		}
	}

	@Override
	public void check(RuleLimits limits) {
		LimitDivision.of(limits.standard(), this.count, 0);
		for (PlanLimit plan : limits.plans().values()) {
			if (plan.limit() != null) {
				LimitDivision.of(plan.limit(), this.count, 0);
			}
		}
	}

	@Override
	public void check(Scope scope, RuleOptions options) {
		if (this.count > 1 && scope.isPerCaller()) {
			throw new IllegalArgumentException("shards need a bucket that callers share, but each caller has its own");
		}
		if (this.count > 1 && !options.overdraft().equals(Overdraft.NONE)) {
			throw new IllegalArgumentException("shards cannot be combined with max-wait");
		}
	}

	@Override
	public boolean appliesToDerived() {
		return true;
	}

	@Override
	public ChargeOptions charge(ChargeOptions options, Purpose purpose) {
		return options.spread(this.count);
	}

	@Override
	public void describe(Map<String, Object> description) {
		description.put("shards", this.count);
	}

}
