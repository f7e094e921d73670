package io.tierlimit.rule;

import java.util.List;
import java.util.Set;

import io.tierlimit.AppliesTo;

/**
 * Selects the requests to which a rule applies.
 *
 * @param appliesTo requests; or only code that names the rule, in which case the other
 * selectors have no effect
 * @param paths path patterns relative to the context path, one of which must match;
 * empty: every path
 * @param excludePaths path patterns, none of which may match
 * @param methods HTTP methods in upper case, one of which must match; empty: every
 * method. GET includes HEAD
 */
public record Selection(AppliesTo appliesTo, List<String> paths, List<String> excludePaths, Set<String> methods) {

	/** Every request. */
	public static final Selection ALL_REQUESTS = new Selection(AppliesTo.REQUESTS, List.of(), List.of(), Set.of());

	/**
	 * Creates a selection.
	 */
	public Selection {
		paths = List.copyOf(paths);
		excludePaths = List.copyOf(excludePaths);
		methods = Set.copyOf(methods);
	}

}
