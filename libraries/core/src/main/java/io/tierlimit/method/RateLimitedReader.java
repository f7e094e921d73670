package io.tierlimit.method;

import java.util.function.Function;

import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Reads annotations.
 */
public interface RateLimitedReader {

	/**
	 * Reads an annotation.
	 * @param use the annotation and its location
	 * @param rules finds a rule of the rule set by its id; {@code null} if the set has no
	 * such rule
	 * @return the rule that the annotation defines, or the rule that it names with the
	 * annotation's key, cost and wait; {@code null} if that rule is not in the set
	 * @throws io.tierlimit.rule.InvalidRulesException if the annotation is not valid
	 */
	@Nullable Rule read(RateLimitedOperation use, Function<String, @Nullable Rule> rules);

	/**
	 * The rule of an annotation.
	 * @param use the annotation and its location
	 * @return the id of the rule that the annotation defines or names
	 */
	String idOf(RateLimitedOperation use);

}
