package io.tierlimit.autoconfigure.rules;

import java.util.List;

import io.tierlimit.autoconfigure.properties.TierlimitProperties.ClientIp;
import io.tierlimit.key.RuleKey;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.reader.RuleProblems;
import io.tierlimit.web.proxy.ClientAddresses;
import io.tierlimit.web.proxy.ForwardedHeader;
import org.jspecify.annotations.Nullable;

/**
 * Finds parts of an override's key that no bucket has, so that the override would have no
 * effect.
 */
final class OverrideKeyCheck {

	private final @Nullable ClientAddresses clients;

	/**
	 * Creates a check.
	 * @param settings which addresses count as one client
	 */
	OverrideKeyCheck(ClientIp settings) {
		this.clients = addresses(settings);
	}

	/** Settings that are not valid have a problem of their own. */
	private static @Nullable ClientAddresses addresses(ClientIp settings) {
		try {
			return new ClientAddresses(List.of(), ForwardedHeader.X_FORWARDED_FOR, settings.ipv6Prefix());
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/** Reports parts that are copied from a list of keys, but are not values. */
	void checkValues(List<String> key, RuleProblems own) {
		for (String part : key) {
			if (RuleKey.isReplacement(part)) {
				own.add("key has the part '" + part + "', which replaces a value in lists of keys, so the override "
						+ "would match no request", "Write the value itself in", "key");
				return;
			}
		}
	}

	/** Reports an address that is not in the form of the keys of the rule's buckets. */
	void checkAddress(Rule rule, List<String> key, RuleProblems own) {
		int index = rule.scope().keyParts().indexOf(Scope.IP);
		if (index < 0 || this.clients == null) {
			return;
		}
		String part = key.get(index);
		boolean network = part.matches("[0-9A-Fa-f.:]+/\\d+");
		String client = this.clients.client(network ? part.substring(0, part.indexOf('/')) : part);
		if (!client.equals(part)) {
			own.add("key has the address '" + part + "', but a bucket of rule '" + rule.id()
					+ "' belongs to one client, so the override would match no request",
					"Use " + client + " in {}, or set address instead of key", "key");
		}
	}

}
