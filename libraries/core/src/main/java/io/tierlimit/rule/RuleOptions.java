package io.tierlimit.rule;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.tierlimit.HeaderVisibility;
import io.tierlimit.RuleMode;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.rule.OptionValue.Enforcement;
import org.jspecify.annotations.Nullable;

/**
 * The options of a rule: the options that every rule has, and the values of the others.
 *
 * @param mode whether the rule rejects requests
 * @param visibility whether headers show the rule
 * @param onStoreFailure the policy while a shared store is not available; {@code null}
 * for the policy of the store
 * @param values the values of the options by their classes
 */
public record RuleOptions(RuleMode mode, HeaderVisibility visibility, @Nullable StoreFailurePolicy onStoreFailure,
		Map<Class<? extends OptionValue>, OptionValue> values) {

	/**
	 * The default: the rule rejects requests, is shown in headers, and has no further
	 * options.
	 */
	public static final RuleOptions STANDARD = new RuleOptions(RuleMode.ENFORCE, HeaderVisibility.SHOWN, null,
			Map.of());

	/**
	 * Creates options.
	 */
	public RuleOptions {
		values = Map.copyOf(values);
	}

	/**
	 * Returns the same options with another mode.
	 * @param mode the mode
	 * @return the options
	 */
	public RuleOptions mode(RuleMode mode) {
		return new RuleOptions(mode, this.visibility, this.onStoreFailure, this.values);
	}

	/**
	 * Returns the same options with a value, which replaces the value of the same class.
	 * @param value the value
	 * @return the options
	 */
	public RuleOptions with(OptionValue value) {
		Map<Class<? extends OptionValue>, OptionValue> more = new LinkedHashMap<>(this.values);
		more.put(value.getClass(), value);
		return new RuleOptions(this.mode, this.visibility, this.onStoreFailure, more);
	}

	/**
	 * Returns the same options without the value of a class.
	 * @param type the class of the option's value
	 * @return the options
	 */
	public RuleOptions without(Class<? extends OptionValue> type) {
		Map<Class<? extends OptionValue>, OptionValue> fewer = new LinkedHashMap<>(this.values);
		fewer.remove(type);
		return new RuleOptions(this.mode, this.visibility, this.onStoreFailure, fewer);
	}

	/**
	 * Finds the value of an option.
	 * @param <T> the class of the value
	 * @param type the class of the value
	 * @return the value, or {@code null} if the rule does not have the option
	 */
	public <T extends OptionValue> @Nullable T find(Class<T> type) {
		OptionValue value = this.values.get(type);
		return (value != null) ? type.cast(value) : null;
	}

	/**
	 * Returns the options of a rule that is derived from the rule with these options, and
	 * that rejects nothing.
	 * @param rule the id of the rule with these options
	 * @return the options
	 */
	public RuleOptions ofDerived(String rule) {
		Map<Class<? extends OptionValue>, OptionValue> shared = new LinkedHashMap<>(this.values);
		shared.values().removeIf((value) -> !value.appliesToDerived());
		return new RuleOptions(RuleMode.SHADOW, HeaderVisibility.HIDDEN, this.onStoreFailure, shared)
			.with(new DerivedFrom(rule));
	}

	/**
	 * The keys for which the rule rejects requests.
	 * @return the keys; none in shadow mode
	 */
	public Enforcement enforcement() {
		Enforcement all = (this.mode == RuleMode.SHADOW) ? Enforcement.NONE : Enforcement.ALL;
		for (OptionValue value : this.values.values()) {
			all = (value.enforcement().compareTo(all) > 0) ? value.enforcement() : all;
		}
		return all;
	}

	/**
	 * The permits that a request may acquire before they are available, because it waits
	 * for them.
	 * @return the permits, and the time until they are available
	 */
	public Overdraft overdraft() {
		return this.values.values()
			.stream()
			.map(OptionValue::overdraft)
			.filter((overdraft) -> !overdraft.equals(Overdraft.NONE))
			.findFirst()
			.orElse(Overdraft.NONE);
	}

	/**
	 * The expressions over the caller that decide whether the rule applies to a request
	 * that it selects.
	 * @return the expressions of all options
	 */
	public List<String> expressions() {
		return this.values.values().stream().flatMap((value) -> value.expressions().stream()).toList();
	}

	/**
	 * The time for which an option stores that a caller was rejected.
	 * @return the longest time of all options; zero if no option stores rejections
	 */
	public Duration memory() {
		return this.values.values().stream().map(OptionValue::memory).max(Duration::compareTo).orElse(Duration.ZERO);
	}

	/**
	 * Checks limits that the rule has, or that may replace them.
	 * @param limits the limits
	 * @throws IllegalArgumentException if an option does not support these limits
	 */
	public void check(RuleLimits limits) {
		this.values.values().forEach((value) -> value.check(limits));
	}

	/**
	 * Checks the options of a rule with each other, and with its scope.
	 * @param scope the scope of the rule
	 * @throws IllegalArgumentException if they cannot be combined
	 */
	void check(Scope scope) {
		this.values.values().forEach((value) -> value.check(scope, this));
	}

	/** Whether these options may reject a caller that other options do not reject. */
	boolean mayRejectMoreThan(RuleOptions others) {
		Set<Class<? extends OptionValue>> types = new HashSet<>(this.values.keySet());
		types.addAll(others.values.keySet());
		return types.stream().anyMatch((type) -> {
			OptionValue after = this.values.get(type);
			OptionValue before = others.values.get(type);
			OptionValue either = (after != null) ? after : before;
			return either != null && !Objects.equals(before, after) && either.mayRejectMore(before, after);
		});
	}

}
