package io.tierlimit.rule;

import java.math.BigInteger;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import io.tierlimit.AppliesTo;
import io.tierlimit.rule.OptionValue.Enforcement;

/**
 * A rule as the operator has written it. Immutable: every method with a parameter returns
 * another rule.
 *
 * @param id the public name: letters, digits, dots, dashes and underscores, 100 at most;
 * a number after {@code #} distinguishes the rules of one method or class
 * @param selection which requests or method calls
 * @param scope which bucket
 * @param limits which limit
 * @param cost permits that one request consumes: a whole number, or an expression over
 * the caller
 * @param options how the rule applies its limits
 */
public record Rule(String id, Selection selection, Scope scope, RuleLimits limits, String cost, RuleOptions options) {

	/** The requirement that ids meet, as messages name it. */
	public static final String ID_REQUIREMENT = "the id of a rule must have 1 to 100 letters, digits, dots, dashes and "
			+ "underscores, and must not begin with a dot or a dash";

	private static final Pattern ID = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,99}(#[0-9]{1,4})?");

	/**
	 * Creates a rule.
	 * @throws IllegalArgumentException if the id has characters that are not valid in a
	 * header, or if an option does not support the limits
	 */
	public Rule {
		checkId(id);
		try {
			options.check(limits);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("Rule '" + id + "': " + ex.getMessage(), ex);
		}
	}

	/**
	 * Creates a rule that costs 1 permit and has the default options.
	 * @param id the public name
	 * @param selection which requests or method calls
	 * @param scope which bucket
	 * @param limits which limit
	 */
	public Rule(String id, Selection selection, Scope scope, RuleLimits limits) {
		this(id, selection, scope, limits, "1", RuleOptions.STANDARD);
	}

	/**
	 * Whether a text is a valid id of a rule.
	 * @param text the text
	 * @return whether it is
	 */
	public static boolean isId(String text) {
		return ID.matcher(text).matches();
	}

	/**
	 * Checks an id.
	 * @param text the text
	 * @return the text
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
	 * @return whether it does; otherwise it applies only to calls whose annotation names
	 * it, and to programs
	 */
	public boolean appliesToRequests() {
		return this.selection.appliesTo() == AppliesTo.REQUESTS;
	}

	/**
	 * Sets the selection.
	 * @param selection which requests or method calls
	 * @return the rule with it
	 */
	public Rule selection(Selection selection) {
		return new Rule(this.id, selection, this.scope, this.limits, this.cost, this.options);
	}

	/**
	 * Sets the scope.
	 * @param scope which bucket
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
	 * @return the rule with them
	 */
	public Rule options(UnaryOperator<RuleOptions> change) {
		return new Rule(this.id, this.selection, this.scope, this.limits, this.cost, change.apply(this.options));
	}

	/**
	 * Whether this rule may reject a caller who keeps to another version of it: because
	 * it allows less, costs more, or charges other requests or other buckets.
	 * @param other the other version
	 * @return whether it may
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
	 * @param cost the text of a cost
	 * @return whether it is a number, not an expression
	 */
	public static boolean isNumber(String cost) {
		return !cost.isEmpty() && cost.chars().allMatch((c) -> c >= '0' && c <= '9');
	}

	/**
	 * The rules that options derive from this one.
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
