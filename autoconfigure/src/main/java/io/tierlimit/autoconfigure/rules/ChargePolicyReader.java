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
 * Reads how the outcome of a request changes its charge and its bucket.
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
	 * @param problems collects the problems
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
	 * @return the policy, or {@code null} if a list is not valid
	 */
	@Nullable ChargePolicy read(List<String> charge, List<String> resetOn) {
		List<OutcomeCondition> charged = isAlways(charge) ? List.of() : conditions(CHARGE, charge);
		List<OutcomeCondition> resetting = conditions(RESET_ON, resetOn);
		return (charged == null || resetting == null) ? null
				: this.problems.attempt(RESET_ON, () -> new ChargePolicy(charged, resetting));
	}

	private static boolean isAlways(List<String> charge) {
		return charge.size() == 1 && normalize(charge.get(0)).equals(ChargePolicy.ALWAYS);
	}

	private @Nullable List<OutcomeCondition> conditions(String property, List<String> values) {
		List<OutcomeCondition> conditions = new ArrayList<>();
		for (int i = 0; i < values.size(); i++) {
			OutcomeCondition condition = condition(property, normalize(values.get(i)), property + "[" + i + "]");
			if (condition != null) {
				conditions.add(condition);
			}
		}
		return (conditions.size() == values.size()) ? conditions : null;
	}

	private @Nullable OutcomeCondition condition(String property, String value, String element) {
		if (value.equals(ChargePolicy.ALWAYS) && property.equals(CHARGE)) {
			this.problems.add("charge 'always' cannot be combined with other values",
					"Remove either it or the other values:", element);
			return null;
		}
		try {
			OutcomeCondition condition = OutcomeCondition.parse(value);
			// Before the check for Spring Security, which would not make the value valid.
			if (property.equals(RESET_ON)
					&& this.problems.attempt(element, () -> new ChargePolicy(List.of(), List.of(condition))) == null) {
				return null;
			}
			if (condition instanceof AuthenticationResult && !this.authentication) {
				this.problems.add(property + " '" + value + "' requires Spring Security",
						"Add spring-boot-starter-security, or set response statuses as", element);
				return null;
			}
			return condition;
		}
		catch (IllegalArgumentException ex) {
			this.problems.add(property + " must be " + known(property) + " (was '" + value + "')", "Correct", element);
			return null;
		}
	}

	private static String known(String property) {
		String statuses = "a response status from 100 to 599, a status class such as 4xx, ";
		return property.equals(RESET_ON) ? statuses + "or " + AuthenticationResult.SUCCESS : statuses
				+ AuthenticationResult.FAILURE + ", " + AuthenticationResult.SUCCESS + " or " + ChargePolicy.ALWAYS;
	}

	private static String normalize(String text) {
		return text.strip().toLowerCase(Locale.ROOT);
	}

}
