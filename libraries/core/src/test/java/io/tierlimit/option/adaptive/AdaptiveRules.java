package io.tierlimit.option.adaptive;

import java.time.Duration;
import java.util.List;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import org.jspecify.annotations.Nullable;

/**
 * Rules with one bucket and an adaptive rate.
 */
public final class AdaptiveRules {

	private final String id;

	private final Rate rate;

	private final Rate minRate;

	private @Nullable Duration latency;

	private @Nullable Double errors;

	private @Nullable String signal;

	private Duration recovery = AdaptivePolicy.DEFAULT_RECOVERY;

	private String resource;

	private int priority;

	private AdaptiveRules(String id, long rate, long minRate) {
		this.id = id;
		this.rate = new Rate(rate, Duration.ofSeconds(1));
		this.minRate = new Rate(minRate, Duration.ofSeconds(1));
		this.resource = id;
	}

	/** A rule with rates per second, and with a tenth of the rate as its burst. */
	public static AdaptiveRules rule(String id, long rate, long minRate) {
		return new AdaptiveRules(id, rate, minRate);
	}

	public AdaptiveRules withLatency(Duration target) {
		this.latency = target;
		return this;
	}

	public AdaptiveRules withErrors(double most) {
		this.errors = most;
		return this;
	}

	public AdaptiveRules withSignal(String name) {
		this.signal = name;
		return this;
	}

	AdaptiveRules recovery(Duration time) {
		this.recovery = time;
		return this;
	}

	AdaptiveRules resource(String name) {
		this.resource = name;
		return this;
	}

	AdaptiveRules priority(int number) {
		this.priority = number;
		return this;
	}

	public Rule build() {
		AdaptivePolicy policy = new AdaptivePolicy(this.minRate, this.latency, this.errors, this.signal, this.recovery,
				this.resource, this.priority);
		TokenBucket limit = new TokenBucket(this.rate, Math.max(1, this.rate.permits() / 10));
		return new Rule(this.id, Selection.ALL_REQUESTS, new Scope(List.of(Scope.GLOBAL), null, MissingKeyPolicy.IP),
				new RuleLimits(limit))
			.options((options) -> options.with(policy));
	}

}
