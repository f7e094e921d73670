package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.tierlimit.rule.AuthenticationResult;
import io.tierlimit.rule.Charging;
import io.tierlimit.rule.Occasion;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Reads what a rule makes of how requests end.
 */
final class ChargingReader {

	private static final boolean AUTHENTICATION = ClassUtils.isPresent(
			"org.springframework.security.authentication.event.AbstractAuthenticationEvent",
			ChargingReader.class.getClassLoader());

	private static final String CHARGE = "charge";

	private static final String RESET_ON = "reset-on";

	private final RuleProblems problems;

	private final boolean authentication;

	/**
	 * Creates a reader.
	 * @param problems where mistakes are noted
	 */
	ChargingReader(RuleProblems problems) {
		this(problems, AUTHENTICATION);
	}

	ChargingReader(RuleProblems problems, boolean authentication) {
		this.problems = problems;
		this.authentication = authentication;
	}

	/**
	 * Reads both lists.
	 * @return what they say, or {@code null} if something is wrong
	 */
	@Nullable Charging read(List<String> charge, List<String> resetOn) {
		List<Occasion> charged = isAlways(charge) ? List.of() : occasions(CHARGE, charge);
		List<Occasion> resetting = occasions(RESET_ON, resetOn);
		return (charged == null || resetting == null) ? null
				: this.problems.attempt(RESET_ON, () -> new Charging(charged, resetting));
	}

	private static boolean isAlways(List<String> charge) {
		return charge.size() == 1 && word(charge.get(0)).equals(Charging.ALWAYS);
	}

	private @Nullable List<Occasion> occasions(String property, List<String> words) {
		List<Occasion> occasions = new ArrayList<>();
		for (String word : words) {
			Occasion occasion = occasion(property, word(word));
			if (occasion != null) {
				occasions.add(occasion);
			}
		}
		return (occasions.size() == words.size()) ? occasions : null;
	}

	private @Nullable Occasion occasion(String property, String word) {
		if (word.equals(Charging.ALWAYS) && property.equals(CHARGE)) {
			this.problems.add("has a charge of 'always' with others beside it", "Leave one or the others in", CHARGE);
			return null;
		}
		try {
			Occasion occasion = Occasion.parse(word);
			// Alone first: Spring Security would not make it right.
			if (property.equals(RESET_ON)
					&& this.problems.attempt(property, () -> new Charging(List.of(), List.of(occasion))) == null) {
				return null;
			}
			if (occasion instanceof AuthenticationResult && !this.authentication) {
				this.problems.add("waits for '" + word + "', but there is no Spring Security to tell it",
						"Add spring-boot-starter-security, or write response statuses as", property);
				return null;
			}
			return occasion;
		}
		catch (IllegalArgumentException ex) {
			this.problems.add("has '" + word + "' as its " + property + ", but known are " + known(property), "Correct",
					property);
			return null;
		}
	}

	private static String known(String property) {
		String statuses = "response statuses from 100 to 599, families of them such as 4xx, ";
		return property.equals(RESET_ON) ? statuses + "and " + AuthenticationResult.SUCCESS : statuses
				+ AuthenticationResult.FAILURE + ", " + AuthenticationResult.SUCCESS + " and " + Charging.ALWAYS;
	}

	private static String word(String text) {
		return text.strip().toLowerCase(Locale.ROOT);
	}

}
