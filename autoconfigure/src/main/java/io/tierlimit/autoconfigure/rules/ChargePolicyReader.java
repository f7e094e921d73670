package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.tierlimit.rule.AuthenticationResult;
import io.tierlimit.rule.ChargePolicy;
import io.tierlimit.rule.OutcomeCondition;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Reads what a rule makes of how requests end.
 */
final class ChargePolicyReader {

	private static final boolean AUTHENTICATION = ClassUtils.isPresent(
			"org.springframework.security.authentication.event.AbstractAuthenticationEvent",
			ChargePolicyReader.class.getClassLoader());

	private static final String CHARGE = "charge";

	private static final String RESET_ON = "reset-on";

	private final RuleProblems problems;

	private final boolean authentication;

	/**
	 * Creates a reader.
	 * @param problems where mistakes are noted
	 */
	ChargePolicyReader(RuleProblems problems) {
		this(problems, AUTHENTICATION);
	}

	ChargePolicyReader(RuleProblems problems, boolean authentication) {
		this.problems = problems;
		this.authentication = authentication;
	}

	/**
	 * Reads both lists.
	 * @return what they say, or {@code null} if something is wrong
	 */
	@Nullable ChargePolicy read(List<String> charge, List<String> resetOn) {
		List<OutcomeCondition> charged = isAlways(charge) ? List.of() : conditions(CHARGE, charge);
		List<OutcomeCondition> resetting = conditions(RESET_ON, resetOn);
		return (charged == null || resetting == null) ? null
				: this.problems.attempt(RESET_ON, () -> new ChargePolicy(charged, resetting));
	}

	private static boolean isAlways(List<String> charge) {
		return charge.size() == 1 && word(charge.get(0)).equals(ChargePolicy.ALWAYS);
	}

	private @Nullable List<OutcomeCondition> conditions(String property, List<String> words) {
		List<OutcomeCondition> conditions = new ArrayList<>();
		for (String word : words) {
			OutcomeCondition condition = condition(property, word(word));
			if (condition != null) {
				conditions.add(condition);
			}
		}
		return (conditions.size() == words.size()) ? conditions : null;
	}

	private @Nullable OutcomeCondition condition(String property, String word) {
		if (word.equals(ChargePolicy.ALWAYS) && property.equals(CHARGE)) {
			this.problems.add("has a charge of 'always' with others beside it", "Leave one or the others in", CHARGE);
			return null;
		}
		try {
			OutcomeCondition condition = OutcomeCondition.parse(word);
			// Alone first: Spring Security would not make it right.
			if (property.equals(RESET_ON)
					&& this.problems.attempt(property, () -> new ChargePolicy(List.of(), List.of(condition))) == null) {
				return null;
			}
			if (condition instanceof AuthenticationResult && !this.authentication) {
				this.problems.add("waits for '" + word + "', but there is no Spring Security to tell it",
						"Add spring-boot-starter-security, or write response statuses as", property);
				return null;
			}
			return condition;
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
				+ AuthenticationResult.FAILURE + ", " + AuthenticationResult.SUCCESS + " and " + ChargePolicy.ALWAYS;
	}

	private static String word(String text) {
		return text.strip().toLowerCase(Locale.ROOT);
	}

}
