package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.tierlimit.key.KeyHash;
import io.tierlimit.key.RuleKey;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.option.CompositeOption;
import io.tierlimit.option.RuleOption;
import io.tierlimit.option.RuleOptionFactory;
import io.tierlimit.option.RuleSetOption;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.spi.KeyResolver;

/**
 * Compiles rules: parses their expressions, looks up their key resolvers, and creates
 * their options.
 */
public final class RuleCompiler {

	private final Map<String, KeyResolver> resolvers;

	private final KeyHash hash;

	private final List<RuleOptionFactory> options;

	private final OnceLogger warnings = new OnceLogger(CompiledRule.class);

	/**
	 * Creates a compiler.
	 * @param resolvers key resolvers by the scope that they define
	 * @param hash hashes the parts of keys
	 * @param options the options of rules, in the order in which a rule calls them
	 */
	public RuleCompiler(Map<String, KeyResolver> resolvers, KeyHash hash, List<RuleOptionFactory> options) {
		this.resolvers = Map.copyOf(resolvers);
		this.hash = hash;
		this.options = List.copyOf(options);
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

	/** The options of a rule set. */
	List<RuleSetOption> options(RuleSet rules) {
		return this.options.stream().map((factory) -> factory.of(rules)).toList();
	}

	CompiledRule compile(Rule rule, Map<String, Class<?>> arguments, List<RuleSetOption> options) {
		RuleKey key = new RuleKey(rule, arguments, this.resolvers, this.hash, this.warnings);
		Cost cost = Cost.parse(rule, arguments, this.warnings);
		List<RuleOption> ofRule = new ArrayList<>();
		for (RuleSetOption option : options) {
			RuleOption created = option.of(rule, key);
			if (created != null) {
				ofRule.add(created);
			}
		}
		return new CompiledRule(rule, key, cost, new CompositeOption(ofRule),
				rule.derived().stream().map((derived) -> compile(derived, arguments, options)).toList());
	}

}
