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
 * the rule are reduced by the same share: those of its plans and overrides, too. The
 * capacity of a bucket does not change, except with the sliding algorithms, whose
 * capacity is the rate.
 */
public final class AdaptiveRate implements RuleOption {

	/** Shares are multiples of 2%, so that there are few limits. */
	private static final int STEPS = 50;

	private final AdaptivePolicy policy;

	private final BigDecimal minShare;

	/** The highest fixed cost of the rule, its variants and its candidate. */
	private volatile long cost;

	private volatile RequestHealth health;

	private final Ticker ticker;

	private volatile Reduction reduction = Reduction.NONE;

	/** When the share changed last. */
	private volatile long changed = Long.MIN_VALUE / 2;

	AdaptiveRate(Rule rule, AdaptivePolicy policy, Ticker ticker) {
		this.policy = policy;
		this.ticker = ticker;
		this.minShare = AdaptivePolicy.share(policy.minRate(), rule.limits().standard().rate());
		this.cost = fixedCost(rule.cost());
		this.health = new RequestHealth(policy, ProtectedResource.INTERVAL, ticker);
	}

	/**
	 * Does not reduce a sliding limit below the cost of the rule, a variant of it, or its
	 * candidate.
	 */
	synchronized void allowCostOf(Rule rule) {
		long other = fixedCost(rule.cost());
		if (other > this.cost) {
			this.cost = other;
			this.reduction = Reduction.to(this.reduction.share);
		}
	}

	/** The cost of a request; 1 if it depends on the request. */
	private static long fixedCost(String cost) {
		return (Rule.isNumber(cost) && cost.length() <= 18) ? Math.max(1, Long.parseLong(cost)) : 1;
	}

	/**
	 * When the rate is reduced.
	 * @return the policy
	 */
	public AdaptivePolicy policy() {
		return this.policy;
	}

	/**
	 * The share of the configured rate that is in force.
	 * @return the share: from that of the minimum rate to 1
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
	 * Whether the rate is reduced, or was reduced not long ago: a bucket may still have
	 * only the permits that it has earned at the reduced rate.
	 */
	@Override
	public boolean hasTightened(long ticks, ChargeFacts facts) {
		return this.reduction != Reduction.NONE || this.ticker.ticks() - this.changed < ticks;
	}

	@Override
	public List<OptionMeter> meters() {
		return List.of(OptionMeter.gauge("tierlimit.adaptive.share", "Share of the configured rate that is in force",
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
	 * Begins the measurement of a request, once for each request. The caller adds at most
	 * one failure and one slow request per second to a judgment.
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

	/** Continues with what was measured under the same policy in an earlier rule set. */
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

	/** Sets the share in force, rounded down; the minimum is exact. */
	synchronized void setShare(double share) {
		BigDecimal stepped = BigDecimal.valueOf((long) (share * STEPS)).divide(BigDecimal.valueOf(STEPS));
		BigDecimal next = stepped.max(this.minShare).min(BigDecimal.ONE);
		if (next.compareTo(this.reduction.share) != 0) {
			// First, so that a request with a reduced limit finds it reduced just now.
			this.changed = this.ticker.ticks();
			this.reduction = Reduction.to(next);
		}
	}

	/**
	 * A share, with the limits that were reduced by it.
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
				case TOKEN_BUCKET, LEAKY_BUCKET, FIXED_WINDOW -> false;
			};
			return limit.scale(this.share, sliding ? cost : limit.capacity());
		}

	}

}
