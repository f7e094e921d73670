package io.tierlimit.web;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.tierlimit.spi.InvalidRequestValueException;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;

/**
 * The query parameters of a request. {@code getParameter} would also read the body of a
 * form, and block until the body has arrived.
 */
public final class QueryParameters {

	/** Adjacent escapes, which may be malformed. */
	private static final Pattern ESCAPES = Pattern.compile("(?:%[^%]{0,2})++");

	private static final HexFormat HEX = HexFormat.of().withPrefix("%");

	private QueryParameters() {
	}

	/**
	 * Reads a query.
	 * @param request the request
	 * @return the parameters in the order of the query, decoded as UTF-8
	 * @throws InvalidRequestValueException if a name or a value cannot be decoded. Some
	 * containers ignore such a parameter, so that the application would use another value
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
		return ESCAPES.matcher(text.replace('+', ' ')).replaceAll(QueryParameters::decode);
	}

	private static String decode(MatchResult escapes) {
		try {
			ByteBuffer bytes = ByteBuffer.wrap(HEX.parseHex(escapes.group()));
			return Matcher.quoteReplacement(StandardCharsets.UTF_8.newDecoder().decode(bytes).toString());
		}
		catch (IllegalArgumentException | CharacterCodingException ex) {
			throw new InvalidRequestValueException("The request's query cannot be decoded", ex);
		}
	}

}
