package io.tierlimit.autoconfigure;

import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.KeyHash;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Notes what is wrong with settings that are no rules.
 */
final class SettingsCheck {

	private final PropertyPlaces places;

	private final Problems problems;

	SettingsCheck(PropertyPlaces places, Problems problems) {
		this.places = places;
		this.problems = problems;
	}

	void check(TierlimitProperties properties) {
		String secret = properties.keys().secret();
		if (secret != null && secret.length() < KeyHash.SHORTEST_SECRET) {
			add("The secret for keys needs " + KeyHash.SHORTEST_SECRET + " characters or more but has "
					+ secret.length(), "Correct or remove", "tierlimit.keys.secret");
		}
		String userKey = properties.user().key();
		if (userKey != null) {
			checkUserKey(userKey);
		}
		new ClientIpReader(this.places, this.problems).check(properties.clientIp());
	}

	private void checkUserKey(String key) {
		try {
			CallerExpression.parseOfPrincipal(key);
		}
		catch (IllegalArgumentException ex) {
			add(String.valueOf(ex.getMessage()), "Correct", "tierlimit.user.key");
		}
	}

	private void add(String problem, String cure, String property) {
		this.problems.add(problem, cure, this.places.find(ConfigurationPropertyName.of(property)));
	}

}
