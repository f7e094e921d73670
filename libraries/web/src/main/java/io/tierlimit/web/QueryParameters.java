package io.tierlimit.web;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;

/**
 * The query parameters of a request. {@code getParameter} would also read the body of a
 * form, and block until the body has arrived.
 */
public final class QueryParameters {

	private QueryParameters() {
	}

	/**
	 * Reads a query.
	 * @param request the request
	 * @return the parameters in the order of the query, decoded as UTF-8; a name or value
	 * that cannot be decoded is unchanged
	 */
	public static MultiValueMap<String, String> of(HttpServletRequest request) {
		MultiValueMap<String, String> parameters = new LinkedMultiValueMap<>();
		String query = request.getQueryString();
		if (query != null && !query.isEmpty()) {
			for (String pair : query.split("&", -1)) {
				int equals = pair.indexOf('=');
				String name = (equals < 0) ? pair : pair.substring(0, equals);
				String value = (equals < 0) ? "" : pair.substring(equals + 1);
				parameters.add(decode(name), decode(value));
			}
		}
		return parameters;
	}

	private static String decode(String text) {
		try {
			return URLDecoder.decode(text, StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException ex) {
			return text;
		}
	}

}
