package io.tierlimit.evaluation;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.tierlimit.logging.OnceLogger;
import io.tierlimit.rule.RuleSet;

/**
 * The rule set in force. It is replaced as a whole: a request that began before has the
 * previous set until its end, and settles its charges under the rules that made them.
 */
public final class RulesInForce {

	private final OnceLogger warnings = new OnceLogger(RulesInForce.class);

	private final RuleCompiler compiler;

	private final List<Consumer<CompiledRules>> listeners = new CopyOnWriteArrayList<>();

	private volatile CompiledRules current;

	/**
	 * Compiles the first rule set.
	 * @param compiler compiles rules
	 * @param rules the rules
	 * @throws IllegalArgumentException if a rule has a scope without a resolver, or an
	 * invalid expression
	 */
	public RulesInForce(RuleCompiler compiler, RuleSet rules) {
		this.compiler = compiler;
		this.current = compiler.compile(rules);
	}

	/**
	 * The rule set in force. A caller that needs it more than once keeps it.
	 * @return the rules
	 */
	public CompiledRules current() {
		return this.current;
	}

	/**
	 * Compiles another rule set.
	 * @param rules the rules
	 * @return the set, which is not in force
	 * @throws IllegalArgumentException as in the constructor
	 */
	public CompiledRules compile(RuleSet rules) {
		return this.compiler.compile(rules);
	}

	/**
	 * Replaces the rule set. Buckets that are stored keep what was consumed, up to the
	 * capacity of a changed limit. Rates that are reduced remain reduced.
	 * @param rules the compiled rules
	 */
	public synchronized void replace(CompiledRules rules) {
		rules.continueFrom(this.current);
		this.current = rules;
		this.listeners.forEach((listener) -> notify(listener, rules));
	}

	private void notify(Consumer<CompiledRules> listener, CompiledRules rules) {
		try {
			listener.accept(rules);
		}
		catch (RuntimeException ex) {
			this.warnings.warn(listener, "The rules were replaced, but a listener failed", ex);
		}
	}

	/**
	 * Adds a listener.
	 * @param listener called with each rule set that comes into force later; its
	 * exceptions are logged
	 */
	public void whenReplaced(Consumer<CompiledRules> listener) {
		this.listeners.add(listener);
	}

}
