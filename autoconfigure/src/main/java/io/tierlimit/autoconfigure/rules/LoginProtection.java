package io.tierlimit.autoconfigure.rules;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.autoconfigure.environment.PropertyOrigins;
import io.tierlimit.autoconfigure.environment.PropertyPlaces;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyText;
import io.tierlimit.rule.reader.TextSource;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * The preset {@code tierlimit.login-protection}: rules that limit failed logins by
 * account and by client address, and failed logins with multipart bodies. Each property
 * of these rules can be set below {@code tierlimit.rules}, which has a higher precedence.
 *
 * @param places has all properties
 */
record LoginProtection(PropertyOrigins places) {

	/** The names of the properties. */
	static final List<String> NAMES = List.of("path", "per-account", "per-address", "account");

	/**
	 * The default account: the field of a form login, without outer blanks and in lower
	 * case, so that all spellings of an account share a bucket.
	 */
	static final String ACCOUNT = "param('username')?.trim()?.toLowerCase()";

	/**
	 * The containers also read the fields of a form from multipart bodies, but rules do
	 * not. Failed logins with such a body share one bucket, so that no account can be
	 * attacked without a limit.
	 */
	private static final String IS_MULTIPART = "header('Content-Type')?.toLowerCase()?.startsWith('multipart/') == true";

	/** The parent of the properties. */
	static final String PREFIX = "tierlimit.login-protection";

	private static final String PER_ACCOUNT = "login-failures-per-account";

	private static final String PER_ADDRESS = "login-failures-per-address";

	private static final String MULTIPART = "login-failures-multipart";

	/** The ids of the rules. */
	static final List<String> IDS = List.of(PER_ACCOUNT, PER_ADDRESS, MULTIPART);

	private static final Map<String, String> REQUIRED = Map.of("path",
			"the path to which logins are sent, such as /login", "per-account",
			"the failed logins that an account may have per period, such as 5/h", "per-address",
			"the failed logins that a client address may have per period, such as 20/h");

	/** The properties that all rules have. */
	private static final Map<String, String> FAILURES = Map.of("methods", "POST", "charge-on[0]", "401", "charge-on[1]",
			"authentication-failure");

	/**
	 * Reads the preset.
	 * @param places has all properties
	 * @param problems collects missing properties
	 * @return the properties of the rules by their ids; empty if the preset is not used
	 */
	static Map<String, List<PropertyText>> read(PropertyOrigins places, Problems problems) {
		return new LoginProtection(places).read(problems);
	}

	/** The place of the preset; {@code null} if it is not used. */
	static @Nullable String origin(PropertyOrigins places) {
		String place = places.origin(ConfigurationPropertyName.of(PREFIX));
		return (place != null) ? PREFIX + " (" + place + ")" : null;
	}

	private Map<String, List<PropertyText>> read(Problems problems) {
		// The reference sets the default account, which does not use the preset by
		// itself.
		List<String> written = NAMES.stream()
			.filter((name) -> !value(name).isEmpty() && !value(name).equals(ACCOUNT))
			.toList();
		List<String> missing = NAMES.stream()
			.filter((name) -> REQUIRED.containsKey(name) && !written.contains(name))
			.toList();
		if (written.isEmpty()) {
			return Map.of();
		}
		missing.forEach((name) -> problems.add(origin(this.places) + ": " + name + " is not set",
				"Set {} to " + REQUIRED.get(name), this.places.find(name(name))));
		return missing.isEmpty() ? rules() : Map.of();
	}

	private Map<String, List<PropertyText>> rules() {
		String account = value("account").isEmpty() ? ACCOUNT : value("account");
		Map<String, List<PropertyText>> rules = new LinkedHashMap<>();
		// A login without the account, such as one in JSON, is limited by its address.
		rules.put(PER_ACCOUNT, rule(PER_ACCOUNT, "per-account",
				Map.of("key", account, "on-missing-key", "skip", "reset-on", "authentication-success")));
		rules.put(PER_ADDRESS, rule(PER_ADDRESS, "per-address", Map.of("scope", "ip")));
		rules.put(MULTIPART, rule(MULTIPART, "per-account", Map.of("condition", IS_MULTIPART)));
		return rules;
	}

	/**
	 * The properties of a rule.
	 * @param rate the property of the preset that sets the rate
	 * @param others the properties that differ between the rules
	 */
	private List<PropertyText> rule(String id, String rate, Map<String, String> others) {
		Map<String, String> texts = new LinkedHashMap<>(FAILURES);
		texts.put("paths", value("path"));
		texts.put("rate", value(rate));
		texts.putAll(others);
		return PropertyText.of(texts, new RuleSource(this.places, id, rate), true);
	}

	/** The value of a property of the preset; empty if it is not set. */
	private String value(String name) {
		String text = this.places.text(name(name));
		return (text != null) ? text.strip() : "";
	}

	private static ConfigurationPropertyName name(String name) {
		return ConfigurationPropertyName.of(PREFIX + "." + name);
	}

	/**
	 * The places of the properties of a rule of the preset. For a property that the
	 * preset sets to a constant value, this is the property below {@code tierlimit.rules}
	 * that can replace it.
	 *
	 * @param places has all properties
	 * @param id the id of the rule
	 * @param rate the property of the preset that sets the rate
	 */
	private record RuleSource(PropertyOrigins places, String id, String rate) implements TextSource {

		@Override
		public String location(String property) {
			return this.places.find(switch (property.replaceFirst("\\[\\d+]$", "")) {
				case "paths" -> name("path");
				case "rate" -> name(this.rate);
				case "key" -> name("account");
				default -> PropertyPlaces.name(PropertyPlaces.RULES, this.id, property);
			});
		}

		@Override
		public @Nullable String origin(String property) {
			return property.isEmpty() ? this.places.origin(ConfigurationPropertyName.of(PREFIX)) : null;
		}

	}

}
