package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.StringUtils;

/**
 * What applies to one caller instead of the limits of rules. An empty value counts as
 * none. The values are checked together later.
 *
 * @param rules Ids of the rules. By default all rules; another limit needs their ids.
 * @param user The user that the override is for.
 * @param address The address or the network that the override is for, such as
 * 203.0.113.0/24.
 * @param key The key that the override is for: the value of each part of the key of its
 * rules.
 * @param rate Permits per period, instead of the rate of the rules.
 * @param burst Maximum number of permits in a token bucket: a number, or a time in which
 * the rate earns them. By default the permits of the rate.
 * @param capacity Maximum number of permits in a fixed window, with those left over from
 * earlier windows. By default the permits of the rate, so none are kept.
 * @param exempt Whether the rules do not limit the caller.
 * @param blocked Whether the rules reject every request of the caller.
 * @param until End of the override, such as 2030-01-31T18:00:00Z. None by default.
 * @param reason Why there is an override, for operators.
 */
record OverrideProperties(@DefaultValue List<String> rules, @Nullable String user, @Nullable String address,
		@DefaultValue List<String> key, @Nullable String rate, @Nullable String burst, @Nullable String capacity,
		@DefaultValue("false") Boolean exempt, @DefaultValue("false") Boolean blocked, @Nullable String until,
		@Nullable String reason) {

	private static final List<String> NAMES = List.of("rules", "user", "address", "key", "rate", "burst", "capacity",
			"exempt", "blocked", "until", "reason");

	/**
	 * Creates an override.
	 */
	OverrideProperties {
		rules = rules.stream().filter((rule) -> !rule.isBlank()).toList();
		key = key.stream().filter((part) -> !part.isBlank()).toList();
		user = RuleTexts.text(user);
		address = RuleTexts.text(address);
		until = RuleTexts.text(until);
		reason = RuleTexts.text(reason);
	}

	/**
	 * Reads the properties that a rule source has returned.
	 * @param values the values by the names of the properties, a list as one text with
	 * commas, or as elements with an index
	 * @param problems collects names and values that are not valid
	 */
	static OverrideProperties of(Map<String, String> values, RuleProblems problems) {
		Map<String, String> known = new LinkedHashMap<>();
		List<String> parts = new ArrayList<>();
		for (String part = values.get("key[0]"); part != null; part = values.get("key[" + parts.size() + "]")) {
			parts.add(part);
		}
		values.forEach((name, value) -> {
			if (NAMES.contains(name)) {
				known.put(name, value);
			}
			else if (!isPart(name, parts.size())) {
				problems.add("'" + name + "' is not a known property. Known properties are " + String.join(", ", NAMES),
						"Correct or remove", name);
			}
		});
		return new OverrideProperties(list(known.get("rules")), known.get("user"), known.get("address"),
				parts.isEmpty() ? list(known.get("key")) : parts, known.get("rate"), known.get("burst"),
				known.get("capacity"), flag("exempt", known, problems), flag("blocked", known, problems),
				known.get("until"), known.get("reason"));
	}

	/**
	 * Returns properties in the form in which they are stored: stripped, without blank
	 * values, and with one property for each part of a key. Blanks at the ends of a
	 * user's name remain, so that they are reported.
	 */
	static Map<String, String> normalized(Map<String, String> values) {
		Map<String, String> normalized = new LinkedHashMap<>();
		values.forEach((name, value) -> {
			String text = name.startsWith("key[") ? value : RuleTexts.text(value);
			if (text != null) {
				normalized.put(name, name.equals("user") ? value : text);
			}
		});
		List<String> parts = list(normalized.remove("key"));
		for (int i = 0; i < parts.size(); i++) {
			normalized.put("key[" + i + "]", parts.get(i));
		}
		return normalized;
	}

	private static boolean isPart(String name, int parts) {
		return IntStream.range(0, parts).anyMatch((i) -> name.equals("key[" + i + "]"));
	}

	private static List<String> list(@Nullable String text) {
		return (text != null) ? List.of(StringUtils.tokenizeToStringArray(text, ",")) : List.of();
	}

	private static boolean flag(String name, Map<String, String> values, RuleProblems problems) {
		String text = RuleTexts.text(values.get(name));
		if (text == null || text.equals("false") || text.equals("true")) {
			return "true".equals(text);
		}
		problems.add(name + " must be true or false (was '" + text + "')", "Correct", name);
		return false;
	}

	/** Whether a number of a limit is set. */
	boolean hasLimit() {
		return RuleTexts.text(this.rate) != null || RuleTexts.text(this.burst) != null
				|| RuleTexts.text(this.capacity) != null;
	}

}
