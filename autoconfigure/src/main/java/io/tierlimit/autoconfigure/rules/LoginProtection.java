package io.tierlimit.autoconfigure.rules;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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

	private static final List<String> FAILURES = List.of("401", "authentication-failure");

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
		Map<String, List<PropertyText>> rules = new LinkedHashMap<>();
		// A login without the account, such as one in JSON, is limited by its address.
		RuleSource account = new RuleSource(PER_ACCOUNT,
				Map.of("paths", "path", "rate", "per-account", "key", "account"));
		rules.put(account.id,
				List.of(account.text("paths"), account.constant("methods", "POST"), account.text("rate"),
						account.text("key"), account.constant("on-missing-key", "skip"), account.failures(),
						account.constant("reset-on", "authentication-success")));
		RuleSource address = new RuleSource(PER_ADDRESS, Map.of("paths", "path", "rate", "per-address"));
		rules.put(address.id, List.of(address.text("paths"), address.constant("methods", "POST"), address.text("rate"),
				address.constant("scope", "ip"), address.failures()));
		RuleSource multipart = new RuleSource(MULTIPART, Map.of("paths", "path", "rate", "per-account"));
		rules.put(multipart.id, List.of(multipart.text("paths"), multipart.constant("methods", "POST"),
				multipart.text("rate"), multipart.constant("condition", IS_MULTIPART), multipart.failures()));
		return rules;
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
	 */
	private final class RuleSource implements TextSource {

		private final String id;

		/** The properties of the preset, by the properties of the rule that they set. */
		private final Map<String, String> properties;

		RuleSource(String id, Map<String, String> properties) {
			this.id = id;
			this.properties = properties;
		}

		PropertyText text(String property) {
			String name = this.properties.get(property);
			String text = value(Objects.requireNonNull(name));
			return PropertyText.of(property, text.isEmpty() ? ACCOUNT : text, this);
		}

		PropertyText constant(String property, String text) {
			return PropertyText.of(property, text, this);
		}

		PropertyText failures() {
			return PropertyText.list("charge-on", FAILURES, this);
		}

		@Override
		public String location(String property) {
			String name = this.properties.get(property.replaceFirst("\\[\\d+]$", ""));
			return LoginProtection.this.places
				.find((name != null) ? name(name) : PropertyPlaces.name(PropertyPlaces.RULES, this.id, property));
		}

		@Override
		public @Nullable String origin(String property) {
			return property.isEmpty() ? LoginProtection.this.places.origin(ConfigurationPropertyName.of(PREFIX)) : null;
		}

	}

}
