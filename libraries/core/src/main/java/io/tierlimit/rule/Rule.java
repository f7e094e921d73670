package io.tierlimit.rule;

import java.math.BigInteger;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import io.tierlimit.AppliesTo;
import io.tierlimit.rule.OptionValue.Enforcement;

/**
 * A rule as it is configured. Immutable: every method with a parameter returns another
 * rule.
 *
 * @param id the public name: at most 100 letters, digits, dots, dashes and underscores; a
 * number after {@code #} distinguishes the rules of one method or class
 * @param selection selects the requests to which the rule applies
 * @param scope selects the bucket
 * @param limits the limits of the buckets
 * @param cost the number of permits that a request consumes: a whole number, or an
 * expression over the caller
 * @param options how the rule applies its limits
 */
public record Rule(String id, Selection selection, Scope scope, RuleLimits limits, String cost, RuleOptions options) {

	/** The requirement for ids, as the beginning of messages. */
	public static final String ID_REQUIREMENT = "the id of a rule must have 1 to 100 letters, digits, dots, dashes and "
			+ "underscores, and must not begin with a dot or a dash";

	private static final Pattern ID = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,99}(#[0-9]{1,4})?");

	/**
	 * Creates a rule.
	 * @throws IllegalArgumentException if the id is not valid, or if an option does not
	 * support the limits
	 */
	public Rule {
		checkId(id);
		try {
			options.check(limits);
			options.check(scope);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("Rule '" + id + "': " + ex.getMessage(), ex);
		}
	}

	/**
	 * Creates a rule with a cost of 1 permit and the default options.
	 * @param id the public name
	 * @param selection selects the requests to which the rule applies
	 * @param scope selects the bucket
	 * @param limits the limits of the buckets
	 */
	public Rule(String id, Selection selection, Scope scope, RuleLimits limits) {
		this(id, selection, scope, limits, "1", RuleOptions.STANDARD);
	}

	/**
	 * Whether a string is a valid id of a rule.
	 * @param text the string
	 * @return whether it is valid
	 */
	public static boolean isId(String text) {
		return ID.matcher(text).matches();
	}

	/**
	 * Checks an id.
	 * @param text the id
	 * @return the id
	 * @throws IllegalArgumentException if it is not a valid id
	 */
	public static String checkId(String text) {
		if (!isId(text)) {
			throw new IllegalArgumentException(ID_REQUIREMENT + " (was '" + text + "')");
		}
		return text;
	}

	/**
	 * Whether the rule applies to requests.
	 * @return whether it applies to requests; otherwise it applies only where an
	 * annotation or code names it
	 */
	public boolean appliesToRequests() {
		return this.selection.appliesTo() == AppliesTo.REQUESTS;
	}

	/**
	 * Sets the selection.
	 * @param selection selects the requests to which the rule applies
	 * @return the rule with it
	 */
	public Rule selection(Selection selection) {
		return new Rule(this.id, selection, this.scope, this.limits, this.cost, this.options);
	}

	/**
	 * Sets the scope.
	 * @param scope selects the bucket
	 * @return the rule with it
	 */
	public Rule scope(Scope scope) {
		return new Rule(this.id, this.selection, scope, this.limits, this.cost, this.options);
	}

	/**
	 * Sets the cost.
	 * @param cost permits that one request consumes
	 * @return the rule with it
	 */
	public Rule cost(String cost) {
		return new Rule(this.id, this.selection, this.scope, this.limits, cost, this.options);
	}

	/**
	 * Changes the options.
	 * @param change returns other options
	 * @return the rule with these options
	 */
	public Rule options(UnaryOperator<RuleOptions> change) {
		return new Rule(this.id, this.selection, this.scope, this.limits, this.cost, change.apply(this.options));
	}

	/**
	 * Whether this version of a rule may reject a caller that another version allows,
	 * because this version allows less, costs more, or charges other requests or other
	 * buckets.
	 * @param other the other version
	 * @return whether it may reject such a caller
	 */
	public boolean mayRejectMoreThan(Rule other) {
		return this.limits.areLowerThan(other.limits) || mayCostMoreThan(other.cost) || !this.scope.equals(other.scope)
				|| !Objects.equals(this.limits.defaultPlan(), other.limits.defaultPlan())
				|| !this.selection.equals(other.selection) || this.options.mayRejectMoreThan(other.options);
	}

	private boolean mayCostMoreThan(String other) {
		boolean numbers = isNumber(this.cost) && isNumber(other);
		return numbers ? new BigInteger(this.cost).compareTo(new BigInteger(other)) > 0 : !this.cost.equals(other);
	}

	/**
	 * Whether a cost is fixed.
	 * @param cost a cost
	 * @return whether it is a number, not an expression
	 */
	public static boolean isNumber(String cost) {
		return !cost.isEmpty() && cost.chars().allMatch((c) -> c >= '0' && c <= '9');
	}

	/**
	 * The rules that options derive from this rule.
	 * @return rules that reject nothing; empty for most rules
	 */
	public List<Rule> derived() {
		return this.options.values()
			.values()
			.stream()
			.map((value) -> value.derive(this))
			.filter(Objects::nonNull)
			.toList();
	}

	/**
	 * Whether the rule rejects nothing.
	 * @return whether the mode is shadow, or the rule is enforced for no key
	 */
	public boolean isShadow() {
		return this.options.enforcement() == Enforcement.NONE;
	}

}
