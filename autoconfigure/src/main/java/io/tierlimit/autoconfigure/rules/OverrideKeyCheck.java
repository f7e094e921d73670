package io.tierlimit.autoconfigure.rules;

import java.util.List;
import java.util.Map;

import io.tierlimit.autoconfigure.properties.TierlimitProperties.ClientIp;
import io.tierlimit.key.RuleKey;
import io.tierlimit.rule.NamedParts;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.reader.RuleProblems;
import io.tierlimit.web.proxy.ClientAddresses;
import io.tierlimit.web.proxy.ForwardedHeader;
import org.jspecify.annotations.Nullable;

/**
 * Finds keys of overrides that no bucket has, so that the override would have no effect.
 */
final class OverrideKeyCheck {

	private final @Nullable ClientAddresses clients;

	/**
	 * Creates a check.
	 * @param settings which addresses are treated as one client
	 */
	OverrideKeyCheck(ClientIp settings) {
		this.clients = addresses(settings);
	}

	/**
	 * Returns {@code null} if the settings are not valid, which is reported elsewhere.
	 */
	private static @Nullable ClientAddresses addresses(ClientIp settings) {
		try {
			return new ClientAddresses(List.of(), ForwardedHeader.X_FORWARDED_FOR, settings.ipv6Prefix());
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/**
	 * Whether a key can be the key of a bucket of a rule. Reports a key that does not
	 * consist of the rule's parts, a part without the value of a caller, and an address
	 * that is not in the form of the rule's keys.
	 */
	boolean fits(List<String> key, Rule rule, RuleProblems own) {
		List<String> names = rule.scope().keyParts();
		if (names.isEmpty()) {
			own.add("rule '" + rule.id() + "' has no buckets of its own for keys, because its scope is " + rule.scope(),
					"Remove the rule from", "rules");
			return false;
		}
		if (rule.scope().names().contains(Scope.PLAN) && rule.limits().plans().isEmpty()) {
			own.add("key " + key + " cannot be a key of rule '" + rule.id() + "', which has buckets of plans",
					"Correct", "key");
			return false;
		}
		Map<String, String> parts = NamedParts.read(key, names);
		if (parts == null) {
			String replacement = key.stream().filter(RuleKey::isReplacement).findFirst().orElse(null);
			if (replacement != null) {
				addReplacement(replacement, own);
				return false;
			}
			own.add("key " + key + " cannot be a key of rule '" + rule.id() + "', whose parts are " + names,
					"Set {} to the name and the value of each part: " + example(key, names), "key");
			return false;
		}
		if (own.has("key") || !haveValues(parts, names, own)) {
			return false;
		}
		checkAddress(rule, parts.get(Scope.IP), own);
		return true;
	}

	/**
	 * Whether the parts have the values of a caller. Reports a part that has none, or
	 * that seems to be copied from a list of keys.
	 */
	private static boolean haveValues(Map<String, String> parts, List<String> names, RuleProblems own) {
		for (String name : names) {
			String value = parts.getOrDefault(name, "");
			String part = NamedParts.write(name, value);
			if (value.isBlank()) {
				own.add("key has the part '" + part + "', whose value is empty", "Write the value in", "key");
				return false;
			}
			if (RuleKey.isReplacement(value)) {
				addReplacement(part, own);
				return false;
			}
			if (Character.isWhitespace(value.charAt(0))) {
				own.warn("key has the part '" + part + "', whose value begins with a blank",
						"If the value of the caller does not, remove the blank in", "key");
			}
		}
		return true;
	}

	private static void addReplacement(String part, RuleProblems own) {
		own.add("key has the part '" + part + "', which replaces a value in lists of keys, so the override "
				+ "would match no request", "Write the value itself in", "key");
	}

	/**
	 * An example of the key to write, with the caller's value if only its name is
	 * missing.
	 */
	private static String example(List<String> key, List<String> names) {
		boolean unnamed = names.size() == 1 && key.size() == 1 && key.get(0).indexOf(':') < 0;
		List<String> parts = names.stream()
			.map((name) -> NamedParts.write(name, unnamed ? key.get(0) : "<value>"))
			.toList();
		return (parts.size() == 1) ? parts.get(0) : parts.toString();
	}

	private void checkAddress(Rule rule, @Nullable String address, RuleProblems own) {
		if (address == null || this.clients == null) {
			return;
		}
		boolean network = address.matches("[0-9A-Fa-f.:]+/\\d+");
		String client = this.clients.client(network ? address.substring(0, address.indexOf('/')) : address);
		if (!client.equals(address)) {
			own.add("key has the address '" + address + "', but a bucket of rule '" + rule.id()
					+ "' belongs to one client, so the override would match no request",
					"Use " + NamedParts.write(Scope.IP, client) + " in {}, or set address instead of key", "key");
		}
	}

}
