package io.tierlimit.method;

import io.tierlimit.rule.Rule;

import org.jspecify.annotations.Nullable;

/**
 * Makes a rule of an annotation.
 */
@FunctionalInterface
public interface RateLimitedReader {

	/**
	 * Reads an annotation.
	 * @param use where it stands
	 * @return the rule that it writes, or that it names with its own key and cost;
	 * {@code null} if that rule is switched off
	 * @throws io.tierlimit.rule.InvalidRulesException if the annotation is wrong
	 */
	@Nullable Rule read(RateLimitedUse use);

}
