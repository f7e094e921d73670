package io.tierlimit.web.header;

import java.util.List;

/**
 * A header that describes limits.
 *
 * @param name the name
 * @param numeric whether the value is a whole number; otherwise it is a structured field
 * @param description the meaning of the value, for the documentation of an API
 */
public record LimitHeader(String name, boolean numeric, String description) {

	/**
	 * The three headers of a style for the rule that is closest to rejection.
	 * @param prefix the start of their names
	 * @param reset the description of the third header
	 */
	static List<LimitHeader> triple(String prefix, String reset) {
		return List.of(
				new LimitHeader(prefix + "Limit", true, "The capacity of the rate limit that is nearest to rejecting."),
				new LimitHeader(prefix + "Remaining", true, "The remaining requests of this rate limit."),
				new LimitHeader(prefix + "Reset", true, reset));
	}

}
