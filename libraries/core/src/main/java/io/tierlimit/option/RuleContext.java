package io.tierlimit.option;

import java.util.Collection;
import java.util.function.Function;

import io.tierlimit.AppliesTo;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.rule.reader.RuleProblems;
import org.jspecify.annotations.Nullable;

/**
 * The rule of which an option is read.
 *
 * @param id the id of the rule
 * @param appliesTo requests or code
 * @param limits the limits; {@code null} if they are not valid
 * @param cost the permits of a request: a number or an expression
 * @param options the mode, and the options that were read before
 * @param shared whether callers share the rule's buckets
 * @param beans finds the names of the application's beans by their type
 */
public record RuleContext(String id, AppliesTo appliesTo, @Nullable RuleLimits limits, String cost, RuleOptions options,
		boolean shared, Function<Class<?>, Collection<String>> beans) {

	/**
	 * Returns the context of the next option.
	 * @param read the options that were read
	 * @return the same rule with these options
	 */
	RuleContext with(RuleOptions read) {
		return new RuleContext(this.id, this.appliesTo, this.limits, this.cost, read, this.shared, this.beans);
	}

	/**
	 * Reports an option that rules with a shared bucket must not have. For a rule for
	 * code, a warning is logged instead, because an annotation that names the rule may
	 * set its key.
	 * @param problem the problem, without a full stop
	 * @param property the property of the option
	 * @param problems collects the problems of the rule
	 */
	public void reportIfShared(String problem, String property, RuleProblems problems) {
		String fix = "Set scope to user or ip, or remove";
		if (this.shared && this.appliesTo == AppliesTo.CODE) {
			problems.warn(problem + ", unless each annotation that names the rule sets a key of the caller", fix,
					property);
		}
		else if (this.shared) {
			problems.add(problem, fix, property);
		}
	}

}
