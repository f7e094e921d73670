package io.tierlimit.option;

import java.util.Collection;
import java.util.function.Function;

import io.tierlimit.AppliesTo;
import io.tierlimit.limit.Algorithm;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleOptions;
import org.jspecify.annotations.Nullable;

/**
 * The rule whose option is read.
 *
 * @param id the id of the rule
 * @param appliesTo requests or methods
 * @param algorithm the algorithm
 * @param limits the limits; {@code null} if they are not valid
 * @param cost the permits of a request: a number or an expression
 * @param options the mode, and the options that were read before this one
 * @param shared whether callers share the rule's buckets
 * @param beans finds the names of the application's beans by their type
 */
public record RuleContext(String id, AppliesTo appliesTo, Algorithm algorithm, @Nullable RuleLimits limits, String cost,
		RuleOptions options, boolean shared, Function<Class<?>, Collection<String>> beans) {
}
