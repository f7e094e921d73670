package io.tierlimit.autoconfigure.rules;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.PropertyText;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.StringUtils;

/**
 * The documentation of the properties of an override, for IDEs. An override applies to
 * one caller instead of the limits of rules. {@link OverrideReader} reads the values.
 *
 * @param rules Ids of the rules. By default all rules; another limit needs their ids.
 * @param user The user that the override is for.
 * @param address The address or the network that the override is for, such as
 * 203.0.113.0/24.
 * @param key The key that the override is for: the name and the value of each part of the
 * key of its rules, such as user:alice.
 * @param rate Permits per period, instead of the rate of the rules.
 * @param burst Maximum number of permits in a token bucket or a fixed window: a number,
 * or a time in which the rate earns them. By default the permits of the rate.
 * @param limit Permits that can be in use at the same time, instead of the limit of rules
 * with the algorithm concurrency.
 * @param unlimited Whether the rules do not limit the caller.
 * @param blocked Whether the rules reject every request of the caller.
 * @param until End of the override, such as 2030-01-31T18:00:00Z. None by default.
 * @param reason Why there is an override, for operators.
 */
record OverrideProperties(@DefaultValue List<String> rules, @Nullable String user, @Nullable String address,
		@DefaultValue List<String> key, @Nullable String rate, @Nullable String burst, @Nullable String limit,
		@DefaultValue("false") Boolean unlimited, @DefaultValue("false") Boolean blocked, @Nullable String until,
		@Nullable String reason) {

	/** The names of the properties, where lists end with brackets. */
	static final List<String> NAMES = List.of("rules[]", "user", "address", "key[]", "rate", "burst", "limit",
			"unlimited", "blocked", "until", "reason");

	private static final Set<String> FLAGS = Set.of("unlimited", "blocked");

	private static final Map<String, String> BY_CANONICAL_NAME = NAMES.stream()
		.map((name) -> name.replace("[]", ""))
		.collect(Collectors.toMap(PropertyText::canonical, (name) -> name));

	/**
	 * Returns properties in the form in which they are stored: stripped, without blank
	 * values, and with one property for each part of a key. Blanks at the ends of a
	 * user's name remain, so that they are reported.
	 */
	static Map<String, String> normalized(Map<String, String> values) {
		Map<String, String> normalized = new LinkedHashMap<>();
		values.forEach((written, value) -> {
			boolean part = written.endsWith("]");
			String name = part ? written : BY_CANONICAL_NAME.getOrDefault(PropertyText.canonical(written), written);
			if (part || !value.isBlank()) {
				normalized.put(name,
						FLAGS.contains(name) ? flag(value) : (part || name.equals("user")) ? value : value.strip());
			}
		});
		String key = normalized.remove("key");
		List<String> parts = (key != null) ? List.of(StringUtils.tokenizeToStringArray(key, ",")) : List.of();
		for (int i = 0; i < parts.size(); i++) {
			normalized.put("key[" + i + "]", parts.get(i));
		}
		return normalized;
	}

	/**
	 * Converts the spellings of true and false, such as {@code yes}, to the form in which
	 * tables have them.
	 */
	private static String flag(String value) {
		try {
			return String.valueOf(PropertyReader.convert(value, Boolean.class));
		}
		catch (IllegalArgumentException ex) {
			return value;
		}
	}

}
