package io.tierlimit.evaluation;

import java.time.InstantSource;
import java.util.Collection;
import java.util.Map;

import io.tierlimit.key.KeyHash;
import io.tierlimit.key.RuleKey;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.spi.KeyResolver;

/**
 * Compiles rules: parses their expressions, and looks up their key resolvers.
 */
public final class RuleCompiler {

	private final Map<String, KeyResolver> resolvers;

	private final KeyHash hash;

	private final InstantSource clock;

	private final OnceLogger warnings = new OnceLogger(CompiledRule.class);

	/**
	 * Creates a compiler.
	 * @param resolvers key resolvers by the scope that they define
	 * @param hash hashes parts of keys
	 * @param clock the time of the calendar, for rules that depend on it
	 */
	public RuleCompiler(Map<String, KeyResolver> resolvers, KeyHash hash, InstantSource clock) {
		this.resolvers = Map.copyOf(resolvers);
		this.hash = hash;
		this.clock = clock;
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

	CompiledRule compile(Rule rule, Collection<String> arguments, OverrideIndex overrides) {
		Rule candidate = rule.candidate();
		return new CompiledRule(rule, new RuleKey(rule, arguments, this.resolvers, this.hash, this.warnings), arguments,
				overrides, this.clock, (candidate != null) ? compile(candidate, arguments, overrides) : null,
				this.warnings);
	}

}
