package io.tierlimit.web;

/**
 * Which differences in the spelling of a path the application overlooks. Rules overlook
 * them too, so that no spelling reaches a handler past them.
 *
 * @param ignoresCase whether upper and lower case are the same to any mapping
 * @param ignoresTrailingSlash whether a slash at the end makes no difference to any
 * mapping
 */
public record PathSpelling(boolean ignoresCase, boolean ignoresTrailingSlash) {

	/** Every difference counts. */
	public static final PathSpelling EXACT = new PathSpelling(false, false);

}
