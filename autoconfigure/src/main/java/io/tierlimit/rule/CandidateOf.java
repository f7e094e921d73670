package io.tierlimit.rule;

/**
 * The rule that another one is the candidate of.
 *
 * @param rule the id of the rule
 */
public record CandidateOf(String rule) implements OptionValue {
}
