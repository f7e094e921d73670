package io.tierlimit.autoconfigure;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * A single value where a rule, or a plan of one, has properties.
 *
 * @param what the rule or plan, as a sentence begins
 * @param id its id
 * @param property the property itself
 * @param value its value
 */
record Shorthand(String what, String id, ConfigurationPropertyName property, String value) {

	static Shorthand of(ConfigurationPropertyName name, @Nullable Object value) {
		String id = name.getElement(name.getNumberOfElements() - 1, Form.ORIGINAL);
		String what = isRule(name) ? "Rule '" + id + "'"
				: "Plan '" + id + "' of rule '" + name.getElement(2, Form.ORIGINAL) + "'";
		return new Shorthand(what, id, name, String.valueOf(value));
	}

	/**
	 * Reports it.
	 * @param place the property with its place
	 * @param variable the environment variable that sets it, if one does
	 */
	void report(String place, @Nullable String variable, Problems problems) {
		boolean unlimited = this.value.equalsIgnoreCase("unlimited");
		String option = unlimited ? "unlimited" : "rate";
		String example = unlimited ? "true" : this.value.matches("\\d+/\\d*(ms|s|m|h|d)") ? this.value : "10/s";
		problems
			.add(this.what + " has the value '" + this.value + "', but " + kind() + " is a set of properties, as in '"
					+ this.id + ": { " + option + ": " + example + " }'",
					unlimited ? "Set unlimited to true as" : "Set the rate as",
					(variable != null)
							? "the environment variable " + variable + "_" + option.toUpperCase(Locale.ROOT)
									+ " in place of " + variable
							: this.property + "." + option + ", in place of " + place);
	}

	private String kind() {
		return isRule(this.property) ? "a rule" : "a plan";
	}

	private static boolean isRule(ConfigurationPropertyName name) {
		return name.getNumberOfElements() == 3;
	}

}
