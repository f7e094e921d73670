package io.tierlimit.replay;

import java.util.List;

/**
 * The properties of the application that the file of rules does not show.
 *
 * @param springSecurity whether the application uses Spring Security: rules that need the
 * caller are checked after authentication, and not for requests that were answered with
 * 401, or with 403 to an authenticated user
 * @param endpoints the mappings of the application, such as {@code GET,HEAD
 * /api/orders/{id}}: the methods with commas between them, or {@code *}, and the path
 * pattern. Without mappings, rules that need the endpoint are not replayed
 */
public record ReplayOptions(boolean springSecurity, List<String> endpoints) {

	/**
	 * The options of an application without Spring Security, whose mappings are unknown.
	 */
	public static final ReplayOptions DEFAULT = new ReplayOptions(false, List.of());

	/**
	 * Creates options.
	 */
	public ReplayOptions {
		endpoints = List.copyOf(endpoints);
	}

}
