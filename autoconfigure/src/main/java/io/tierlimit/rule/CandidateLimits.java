package io.tierlimit.rule;

/**
 * The limits that may replace those of a rule.
 *
 * @param limits the limits
 */
public record CandidateLimits(RuleLimits limits) implements OptionValue {
}
