package io.tierlimit.web;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;

/**
 * The query parameters of a request. {@code getParameter} of the request would also read
 * the body of a form, and block until the body has arrived.
 */
public final class QueryParameters {

	private final Map<String, List<String>> values = new LinkedHashMap<>();

	private QueryParameters() {
	}

	/**
	 * Reads a query.
	 * @param request the request
	 * @return the parameters, decoded as UTF-8; text that cannot be decoded is unchanged
	 */
	public static QueryParameters of(HttpServletRequest request) {
		QueryParameters parameters = new QueryParameters();
		String query = request.getQueryString();
		if (query != null && !query.isEmpty()) {
			for (String pair : query.split("&", -1)) {
				parameters.add(pair);
			}
		}
		return parameters;
	}

	private void add(String pair) {
		int equals = pair.indexOf('=');
		String name = decode((equals < 0) ? pair : pair.substring(0, equals));
		String value = (equals < 0) ? "" : decode(pair.substring(equals + 1));
		this.values.computeIfAbsent(name, (key) -> new ArrayList<>()).add(value);
	}

	private static String decode(String text) {
		try {
			return URLDecoder.decode(text, StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException ex) {
			return text;
		}
	}

	/**
	 * The first value.
	 * @param name the parameter's name
	 * @return the value, or {@code null} if the parameter is missing
	 */
	public @Nullable String first(String name) {
		List<String> found = this.values.get(name);
		return (found != null) ? found.get(0) : null;
	}

	/**
	 * All values.
	 * @return the values by name, in the order of the query
	 */
	public Map<String, String[]> all() {
		Map<String, String[]> all = new LinkedHashMap<>();
		this.values.forEach((name, found) -> all.put(name, found.toArray(String[]::new)));
		return all;
	}

}
