package io.tierlimit.option.adaptive;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.tierlimit.limit.Limit;
import io.tierlimit.option.ChargeFacts;
import io.tierlimit.option.InFlight;
import io.tierlimit.option.OptionMeter;
import io.tierlimit.option.RuleOption;
import io.tierlimit.option.Terms;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.Ticker;

/**
 * The rate of one rule, which is reduced while the resource is overloaded. All limits of
 * the rule are reduced by the same share, including the limits of its plans and
 * overrides. The capacity of a bucket does not change, except with the sliding
 * algorithms, whose capacity is the rate.
 */
public final class AdaptiveRate implements RuleOption {

	/** Shares are multiples of 2%, so that there are few different limits. */
	private static final int STEPS = 50;

	private final AdaptivePolicy policy;

	private final BigDecimal minShare;

	/** The highest fixed cost of the rule, its variants and its candidate. */
	private volatile long cost;

	private volatile RequestHealth health;

	private final Ticker ticker;

	private volatile Reduction reduction = Reduction.NONE;

	/** The time of the last change of the share. */
	private volatile long changed = Long.MIN_VALUE / 2;

	AdaptiveRate(Rule rule, AdaptivePolicy policy, Ticker ticker) {
		this.policy = policy;
		this.ticker = ticker;
		this.minShare = AdaptivePolicy.share(policy.minRate(), rule.limits().standard().rate());
		this.cost = fixedCost(rule.cost());
		this.health = new RequestHealth(policy, ProtectedResource.INTERVAL, ticker);
	}

	/**
	 * Ensures that a sliding limit is not reduced below the cost of a rule. Called for
	 * the rule, its variants, and its candidate.
	 */
	synchronized void allowCostOf(Rule rule) {
		long other = fixedCost(rule.cost());
		if (other > this.cost) {
			this.cost = other;
			this.reduction = Reduction.to(this.reduction.share);
		}
	}

	/** The cost of a request; 1 if the cost depends on the request. */
	private static long fixedCost(String cost) {
		return (Rule.isNumber(cost) && cost.length() <= 18) ? Math.max(1, Long.parseLong(cost)) : 1;
	}

	/**
	 * Defines when the rate is reduced.
	 * @return the policy
	 */
	AdaptivePolicy policy() {
		return this.policy;
	}

	/**
	 * The current share of the configured rate.
	 * @return the share, from the ratio of the minimum rate to 1
	 */
	public BigDecimal share() {
		return this.reduction.share;
	}

	/** Reduces the limit by the share. */
	@Override
	public Terms terms(Terms terms, ChargeFacts facts) {
		Limit limit = terms.limit();
		return (limit != null) ? terms.with(reduce(limit)) : terms;
	}

	Limit reduce(Limit limit) {
		return this.reduction.of(limit, this.cost);
	}

	/**
	 * Whether the rate is reduced, or was reduced recently. In the latter case, a bucket
	 * may still have only the permits that it has refilled at the reduced rate.
	 */
	@Override
	public boolean hasTightened(long ticks, ChargeFacts facts) {
		return this.reduction != Reduction.NONE || this.ticker.ticks() - this.changed < ticks;
	}

	@Override
	public List<OptionMeter> meters() {
		return List.of(OptionMeter.gauge("tierlimit.adaptive.share", "Current share of the configured rate",
				() -> share().doubleValue()));
	}

	@Override
	public void describe(Map<String, Object> description) {
		Map<String, Object> adaptive = new LinkedHashMap<>();
		adaptive.put("share", share().stripTrailingZeros());
		this.policy.describe(adaptive);
		description.put("adaptive", adaptive);
	}

	@Override
	public boolean followsRequests() {
		return true;
	}

	/**
	 * Begins the measurement of a request, once for each request. A caller adds at most
	 * one failure and one slow request per second to an evaluation.
	 */
	@Override
	public void begin(String caller, List<InFlight> kept) {
		for (InFlight other : kept) {
			if (other instanceof RequestInFlight request && request.isOf(this.health)) {
				return;
			}
		}
		kept.add(begin(caller));
	}

	RequestInFlight begin(String caller) {
		return this.health.begin(CallerCounts.slot(caller));
	}

	/** Takes over the measurements of an earlier rule set if its policy is the same. */
	void continueFrom(AdaptiveRate earlier) {
		this.changed = earlier.changed;
		if (this.policy.equals(earlier.policy)) {
			this.health = earlier.health;
		}
	}

	RequestHealth health() {
		return this.health;
	}

	double minShare() {
		return this.minShare.doubleValue();
	}

	/** Sets the current share. It is rounded down, except the minimum, which is exact. */
	synchronized void setShare(double share) {
		BigDecimal stepped = BigDecimal.valueOf((long) (share * STEPS)).divide(BigDecimal.valueOf(STEPS));
		BigDecimal next = stepped.max(this.minShare).min(BigDecimal.ONE);
		if (next.compareTo(this.reduction.share) != 0) {
			// Set first, so that for a request with the reduced limit, the rate was
			// reduced recently.
			this.changed = this.ticker.ticks();
			this.reduction = Reduction.to(next);
		}
	}

	/**
	 * A share, with the limits that were reduced to it.
	 */
	private static final class Reduction {

		private static final Reduction NONE = new Reduction(BigDecimal.ONE);

		private final BigDecimal share;

		private final Map<Limit, Limit> reduced = new ConcurrentHashMap<>();

		private Reduction(BigDecimal share) {
			this.share = share;
		}

		private static Reduction to(BigDecimal share) {
			return (share.compareTo(BigDecimal.ONE) == 0) ? NONE : new Reduction(share);
		}

		private Limit of(Limit limit, long cost) {
			if (this == NONE) {
				return limit;
			}
			Limit known = this.reduced.get(limit);
			return (known != null) ? known : this.reduced.computeIfAbsent(limit, (full) -> reduce(full, cost));
		}

		private Limit reduce(Limit limit, long cost) {
			boolean sliding = switch (limit.algorithm()) {
				case SLIDING_WINDOW, SLIDING_LOG -> true;
				case TOKEN_BUCKET, LEAKY_BUCKET, FIXED_WINDOW, CONCURRENCY -> false;
			};
			return limit.scale(this.share, sliding ? cost : limit.capacity());
		}

	}

}
