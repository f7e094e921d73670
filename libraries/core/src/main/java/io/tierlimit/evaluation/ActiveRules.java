package io.tierlimit.evaluation;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.tierlimit.logging.OnceLogger;
import io.tierlimit.rule.RuleSet;

/**
 * Contains the current rule set, which is replaced as a whole. A request that began
 * before a replacement uses the previous set until its end: its charges are settled under
 * the rules that were charged.
 */
public final class ActiveRules {

	private final OnceLogger warnings = new OnceLogger(ActiveRules.class);

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
	public ActiveRules(RuleCompiler compiler, RuleSet rules) {
		this.compiler = compiler;
		this.current = compiler.compile(rules);
	}

	/**
	 * The current rule set. Code that needs the set several times must call this method
	 * once and keep the set.
	 * @return the rules
	 */
	public CompiledRules current() {
		return this.current;
	}

	/**
	 * Compiles another rule set.
	 * @param rules the rules
	 * @return the set, which is not active yet
	 * @throws IllegalArgumentException as in the constructor
	 */
	public CompiledRules compile(RuleSet rules) {
		return this.compiler.compile(rules);
	}

	/**
	 * Replaces the rule set. The stored buckets are kept, with the permits that were
	 * consumed, up to the capacity of a changed limit. Reduced rates remain reduced.
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
	 * @param listener called with each rule set that becomes active later; its exceptions
	 * are logged
	 */
	public void whenReplaced(Consumer<CompiledRules> listener) {
		this.listeners.add(listener);
	}

}
