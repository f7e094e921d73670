package io.tierlimit.rule;

/**
 * Marks a rule that an option derives from another rule.
 *
 * @param rule the id of the other rule
 */
public record DerivedFrom(String rule) implements OptionValue {

}
