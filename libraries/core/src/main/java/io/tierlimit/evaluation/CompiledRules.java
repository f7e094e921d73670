package io.tierlimit.evaluation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

import io.tierlimit.key.ExpressionFact;
import io.tierlimit.option.CostSettlement;
import io.tierlimit.option.RuleSetOption;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.DerivedFrom;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import org.jspecify.annotations.Nullable;

/**
 * A rule set with compiled rules. Its rules do not change: a reload creates another set.
 * A request uses the same set from its beginning to its end.
 */
public final class CompiledRules {

	private final RuleSet set;

	private final RuleCompiler compiler;

	/** In the order of the compiler. */
	private final List<RuleSetOption> options;

	private final Set<CompiledRule> variants = ConcurrentHashMap.newKeySet();

	private final ConcurrentMap<Function<CompiledRules, ?>, Object> views = new ConcurrentHashMap<>();

	/** Replaced as a whole when the rule of a lazy bean's annotation is added. */
	private volatile Map<String, CompiledRule> rules;

	private volatile boolean tracksResponses;

	private volatile boolean readsRequestBytes;

	private volatile boolean readsResponseBytes;

	CompiledRules(RuleSet rules, RuleCompiler compiler) {
		this.set = rules;
		this.compiler = compiler;
		this.options = compiler.options(rules);
		Map<String, CompiledRule> compiled = new LinkedHashMap<>();
		rules.rules().forEach((rule) -> put(compile(rule, rules.argumentsOf(rule)), compiled));
		this.rules = compiled;
		compiled.values().forEach(this::addNeeds);
	}

	private static void put(CompiledRule rule, Map<String, CompiledRule> rules) {
		rules.put(rule.rule().id(), rule);
		rule.derived().forEach((derived) -> rules.put(derived.rule().id(), derived));
	}

	private CompiledRule compile(Rule rule, Map<String, Class<?>> arguments) {
		return this.compiler.compile(this.set.effective(rule), arguments, this.options);
	}

	/**
	 * Passes the state of the options of an earlier rule set to the options of this set,
	 * which replaces it.
	 */
	void continueFrom(CompiledRules earlier) {
		for (int i = 0; i < this.options.size(); i++) {
			this.options.get(i).continueFrom(earlier.options.get(i));
		}
	}

	/**
	 * All rules except derived rules.
	 * @return the rules in the order in which headers list them
	 */
	public List<CompiledRule> all() {
		return this.rules.values()
			.stream()
			.filter((rule) -> rule.rule().options().find(DerivedFrom.class) == null)
			.toList();
	}

	/**
	 * All rules, each followed by its derived rules.
	 * @return the rules in the order in which headers list them
	 */
	public List<CompiledRule> withDerived() {
		return List.copyOf(this.rules.values());
	}

	private void addNeeds(CompiledRule rule) {
		CostSettlement settlement = rule.settlement();
		this.tracksResponses |= rule.holdsPermits() || settlement != null;
		this.readsRequestBytes |= settlement != null && settlement.reads(ExpressionFact.REQUEST_BYTES);
		this.readsResponseBytes |= settlement != null && settlement.reads(ExpressionFact.RESPONSE_BYTES);
	}

	/**
	 * Whether the end of a response must be known exactly: rules release permits then, or
	 * settle costs.
	 * @return whether there is such a rule
	 */
	public boolean tracksResponses() {
		return this.tracksResponses;
	}

	/**
	 * Whether a rule needs the size of the request's body.
	 * @return whether there is such a rule
	 */
	public boolean readsRequestBytes() {
		return this.readsRequestBytes;
	}

	/**
	 * Whether a rule needs the size of the response's body.
	 * @return whether there is such a rule
	 */
	public boolean readsResponseBytes() {
		return this.readsResponseBytes;
	}

	/**
	 * Finds the part of an option that all rules share.
	 * @param <T> the type of the option
	 * @param type the type of the option
	 * @return the option
	 * @throws java.util.NoSuchElementException if there is no such option
	 */
	public <T extends RuleSetOption> T option(Class<T> type) {
		return this.options.stream().filter(type::isInstance).map(type::cast).findFirst().orElseThrow();
	}

	/**
	 * The overrides of callers.
	 * @return the overrides, in descending precedence
	 */
	public List<CallerOverride> overrides() {
		return this.set.overrides();
	}

	/**
	 * Looks up an override.
	 * @param id the id of the override
	 * @return the override, or {@code null} if none has that id
	 */
	public @Nullable CallerOverride override(String id) {
		return this.set.override(id);
	}

	/**
	 * Looks up a rule.
	 * @param id the rule's id
	 * @return the rule, or {@code null} if none has that id
	 */
	public @Nullable CompiledRule rule(String id) {
		return this.rules.get(id);
	}

	/**
	 * Looks up a rule that must exist, but may be inactive.
	 * @param id the rule's id
	 * @return the rule, or {@code null} if it is inactive
	 * @throws IllegalArgumentException if no rule has that id, or ever had it
	 */
	@Nullable CompiledRule known(String id) {
		CompiledRule rule = rule(id);
		if (rule == null && !isInactive(id)) {
			throw new IllegalArgumentException("Rule '" + id + "' is not one of " + this.rules.keySet());
		}
		return rule;
	}

	/**
	 * Whether a rule is disabled, or was removed while the application ran.
	 * @param id the rule's id
	 * @return whether it is; {@code false} for a rule that never existed
	 */
	public boolean isInactive(String id) {
		return this.set.inactive().contains(id);
	}

	/**
	 * Adds the rule of an annotation that was found after this set was created, such as
	 * an annotation of a lazy bean.
	 * @param rule the rule
	 * @param arguments the types of the method's arguments, which its key and cost may
	 * read, by their names
	 * @return the rule with that id; another thread may have added it already
	 * @throws IllegalArgumentException if the rule has a scope without a resolver, or an
	 * invalid expression
	 */
	public synchronized CompiledRule add(Rule rule, Map<String, Class<?>> arguments) {
		CompiledRule known = this.rules.get(rule.id());
		if (known != null) {
			return known;
		}
		Map<String, CompiledRule> more = new LinkedHashMap<>(this.rules);
		CompiledRule added = compile(rule, arguments);
		put(added, more);
		addNeeds(added);
		this.rules = more;
		return added;
	}

	/**
	 * Compiles a variant of a rule, with the same id but another key or cost.
	 * @param rule the variant, with the id of a rule
	 * @param arguments the types of the method's arguments, which its key and cost may
	 * read, by their names
	 * @return the variant
	 * @throws IllegalArgumentException as in {@link #add}
	 */
	public CompiledRule variant(Rule rule, Map<String, Class<?>> arguments) {
		CompiledRule variant = compile(rule, arguments);
		this.variants.add(variant);
		return variant;
	}

	/**
	 * The variants of rules.
	 * @return the variants that were compiled so far, in any order
	 */
	public Set<CompiledRule> variants() {
		return Set.copyOf(this.variants);
	}

	/**
	 * Returns a view of this set, such as an index. A view is created once.
	 * @param <T> the type of the view
	 * @param factory creates the view, and identifies it
	 * @return the view, the same object for the same factory
	 */
	public <T> T view(Function<CompiledRules, T> factory) {
		Object view = this.views.get(factory);
		if (view == null) {
			view = this.views.computeIfAbsent(factory, (absent) -> factory.apply(this));
		}
		@SuppressWarnings("unchecked") // the factory has created it
		T created = (T) view;
		return created;
	}

}
