package io.tierlimit.option.outcome;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleContext;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.RuleProblems;
import org.jspecify.annotations.Nullable;

/**
 * Reads how the outcome of a request changes its charge and its bucket.
 *
 * @param authentication whether the application has Spring Security
 */
public record ChargePolicyReader(boolean authentication) implements OptionReader {

	private static final String CHARGE_ON = "charge-on";

	private static final String RESET_ON = "reset-on";

	@Override
	public List<String> properties() {
		return List.of(CHARGE_ON + "[]", RESET_ON + "[]");
	}

	@Override
	public @Nullable ChargePolicy read(PropertyReader properties, RuleContext rule) {
		RuleProblems problems = properties.problems();
		List<String> chargeOn = properties.list(CHARGE_ON);
		List<OutcomeCondition> charged = isAlways(chargeOn) ? List.of() : conditions(CHARGE_ON, chargeOn, problems);
		List<OutcomeCondition> resetting = conditions(RESET_ON, properties.list(RESET_ON), problems);
		ChargePolicy policy = (charged == null || resetting == null) ? null
				: problems.attempt(RESET_ON, () -> new ChargePolicy(charged, resetting));
		return ChargePolicy.STANDARD.equals(policy) ? null : policy;
	}

	private static boolean isAlways(List<String> chargeOn) {
		return chargeOn.size() == 1 && normalize(chargeOn.get(0)).equals(ChargePolicy.ALWAYS);
	}

	private @Nullable List<OutcomeCondition> conditions(String property, List<String> values, RuleProblems problems) {
		List<OutcomeCondition> conditions = new ArrayList<>();
		for (int i = 0; i < values.size(); i++) {
			OutcomeCondition condition = condition(property, normalize(values.get(i)), property + "[" + i + "]",
					problems);
			if (condition != null) {
				conditions.add(condition);
			}
		}
		return (conditions.size() == values.size()) ? conditions : null;
	}

	private @Nullable OutcomeCondition condition(String property, String value, String element, RuleProblems problems) {
		if (value.equals(ChargePolicy.ALWAYS) && property.equals(CHARGE_ON)) {
			problems.add("charge-on 'always' cannot be combined with other values",
					"Remove either it or the other values:", element);
			return null;
		}
		try {
			OutcomeCondition condition = OutcomeCondition.parse(value);
			// Before the check for Spring Security, which would not make the value valid.
			if (property.equals(RESET_ON)
					&& problems.attempt(element, () -> new ChargePolicy(List.of(), List.of(condition))) == null) {
				return null;
			}
			if (condition instanceof AuthenticationResult && !this.authentication) {
				problems.add(property + " '" + value + "' requires Spring Security",
						"Add spring-boot-starter-security, or set response statuses as", element);
				return null;
			}
			return condition;
		}
		catch (IllegalArgumentException ex) {
			problems.add(property + " must be " + known(property) + " (was '" + value + "')", "Correct", element);
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
