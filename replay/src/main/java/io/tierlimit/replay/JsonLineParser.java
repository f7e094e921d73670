package io.tierlimit.replay;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads lines that are JSON objects.
 */
final class JsonLineParser implements LineParser {

	private final JsonMapper json = JsonMapper.shared();

	private final LogTime times = new LogTime();

	private final LogFields fields;

	JsonLineParser(LogFields fields) {
		this.fields = fields;
	}

	@Override
	public LoggedRequest parse(String line) throws InvalidLineException {
		JsonNode node = read(line);
		Instant time = this.times.parse(required(node, LogFields.TIME));
		Map<String, String> facts = new HashMap<>();
		for (String name : this.fields.facts()) {
			String value = text(node, name);
			if (value != null) {
				facts.put(name, value);
			}
		}
		String request = text(node, LogFields.REQUEST);
		RequestLine sent = (request != null) ? RequestLine.parse(request)
				: new RequestLine(required(node, LogFields.METHOD), target(node));
		return new LoggedRequest(time.minusNanos(nanos(text(node, LogFields.DURATION))), sent.method(), sent.target(),
				text(node, LogFields.ADDRESS), text(node, LogFields.USER),
				CommonLineParser.status(text(node, LogFields.STATUS)), facts);
	}

	private String target(JsonNode node) throws InvalidLineException {
		String path = required(node, LogFields.PATH);
		String query = text(node, LogFields.QUERY);
		return (query == null || path.indexOf('?') >= 0) ? path : path + (query.startsWith("?") ? "" : "?") + query;
	}

	private JsonNode read(String line) throws InvalidLineException {
		try {
			return this.json.readTree(line);
		}
		catch (JacksonException ex) {
			throw new InvalidLineException("not a JSON object");
		}
	}

	private String required(JsonNode node, String name) throws InvalidLineException {
		String value = text(node, name);
		if (value == null) {
			throw new InvalidLineException("the field '" + this.fields.of(name) + "' for the " + name
					+ " is missing; the fields are " + node.propertyNames());
		}
		return value;
	}

	/**
	 * The value of a field, whose name may be a path of several names separated by dots.
	 */
	private @Nullable String text(JsonNode node, String name) {
		String field = this.fields.of(name);
		JsonNode value = node.get(field);
		if (value == null && field.indexOf('.') >= 0) {
			value = node;
			for (String part : field.split("\\.", -1)) {
				value = value.path(part);
			}
		}
		// A header may be logged as a list of its lines.
		JsonNode single = (value != null && value.isArray()) ? value.path(0) : value;
		if (single == null || !single.isValueNode() || single.isNull()) {
			return null;
		}
		String text = single.isNumber() ? single.decimalValue().toPlainString() : single.asString();
		return (text.isEmpty() || text.equals("-")) ? null : text;
	}

	/** Converts a number of seconds to nanoseconds. */
	private static long nanos(@Nullable String seconds) throws InvalidLineException {
		try {
			return (seconds != null && seconds.length() <= 30) ? new BigDecimal(seconds).movePointRight(9).longValue()
					: 0;
		}
		catch (NumberFormatException ex) {
			throw new InvalidLineException("'" + seconds + "' is not a duration in seconds");
		}
	}

}
