package io.tierlimit.method;

import java.util.function.Function;

import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Converts annotations to rules.
 */
public interface RateLimitedReader {

	/**
	 * Reads an annotation.
	 * @param use the annotation and its location
	 * @param rules finds a rule of the rule set by its id; {@code null} if the set has no
	 * such rule
	 * @return the rule that the annotation declares, or the rule that it names, with the
	 * key, cost and wait of the annotation; {@code null} if the named rule is not in the
	 * set
	 * @throws io.tierlimit.rule.InvalidRulesException if the annotation is not valid
	 */
	@Nullable Rule read(RateLimitedOperation use, Function<String, @Nullable Rule> rules);

	/**
	 * The rule of an annotation.
	 * @param use the annotation and its location
	 * @return the id of the rule that the annotation declares or names
	 */
	String idOf(RateLimitedOperation use);

}
