package io.tierlimit.evaluation;

import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Map;

import io.tierlimit.adaptive.AdaptiveRates;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.RuleKey;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.rule.ActiveTimes;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.spi.OverloadSignal;
import io.tierlimit.spi.Ticker;

/**
 * Compiles rules: parses their expressions, and looks up their key resolvers.
 */
public final class RuleCompiler {

	private final Map<String, KeyResolver> resolvers;

	private final KeyHash hash;

	private final InstantSource clock;

	private final Map<String, OverloadSignal> signals;

	private final Ticker ticker;

	private final OnceLogger warnings = new OnceLogger(CompiledRule.class);

	/**
	 * Creates a compiler.
	 * @param resolvers key resolvers by the scope that they define
	 * @param hash hashes parts of keys
	 * @param clock the time of the calendar, for rules that depend on it
	 * @param signals the signals of adaptive rules by their names
	 * @param ticker the clock that measures the requests of adaptive rules
	 */
	public RuleCompiler(Map<String, KeyResolver> resolvers, KeyHash hash, InstantSource clock,
			Map<String, OverloadSignal> signals, Ticker ticker) {
		this.resolvers = Map.copyOf(resolvers);
		this.hash = hash;
		this.clock = clock;
		this.signals = Map.copyOf(signals);
		this.ticker = ticker;
	}

	/**
	 * Compiles a rule set.
	 * @param rules the rules
	 * @return the rules with their expressions and resolvers
	 * @throws IllegalArgumentException if a rule has a scope without a resolver, or an
	 * invalid expression
	 */
	public CompiledRules compile(RuleSet rules) {
		return new CompiledRules(rules, this);
	}

	OverrideIndex index(RuleSet rules) {
		return new OverrideIndex(rules.overrides(), this.clock);
	}

	AdaptiveRates adaptiveRates() {
		return new AdaptiveRates(this.signals, this.ticker);
	}

	BanSuspensions banSuspensions(RuleSet rules) {
		return new BanSuspensions(this.ticker, new OverrideChanges(rules, this.clock));
	}

	CompiledRule compile(Rule rule, Collection<String> arguments, OverrideIndex overrides, AdaptiveRates rates,
			BanSuspensions suspensions) {
		RuleKey key = new RuleKey(rule, arguments, this.resolvers, this.hash, this.warnings);
		Rule candidate = rule.candidate();
		ActiveTimes times = rule.options().rollout().active();
		// A candidate is charged if the rule is, so its own overrides would not matter.
		boolean overridden = rule.options().rollout().candidateOf() == null && overrides.concerns(rule.id());
		return new CompiledRule(rule, key, Cost.parse(rule, arguments, this.warnings), overridden ? overrides : null,
				(times != null) ? new ActiveSchedule(times, this.clock, settling(rule)) : null, rates.of(rule),
				(candidate != null) ? compile(candidate, arguments, overrides, rates, suspensions) : null, suspensions,
				this.warnings);
	}

	/** How long rejections do not count for a ban after the rule has begun to apply. */
	private static Duration settling(Rule rule) {
		BanPolicy ban = rule.options().ban();
		return (ban != null) ? Duration.of(ban.within(), ChronoUnit.MICROS) : Duration.ZERO;
	}

}
