package io.tierlimit.rule.reader;

import org.jspecify.annotations.Nullable;

/**
 * The source in which properties are written.
 */
@FunctionalInterface
public interface TextSource {

	/**
	 * A property with its location. The fix of a problem contains this string.
	 * @param property the property's name, with an index for an element of a list; empty
	 * for the rule as a whole
	 * @return the location, such as {@code tierlimit.rules.a.rate (application.yml, line
	 * 3)}
	 */
	String location(String property);

	/**
	 * The location of the first property of a rule or plan.
	 * @param property empty for the rule; {@code plans.} and a name for a plan
	 * @return the location, such as {@code application.yml, line 3}, or {@code null}
	 */
	default @Nullable String origin(String property) {
		return null;
	}

}
