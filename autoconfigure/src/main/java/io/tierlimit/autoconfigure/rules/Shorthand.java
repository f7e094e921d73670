package io.tierlimit.autoconfigure.rules;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * A single value where a rule, a plan, or another part of the configuration has
 * properties of its own. The binder drops the value if such properties are set, too.
 *
 * @param property the property
 * @param value its value, which may be blank: then there is none
 * @param place the property with its place
 * @param variable the environment variable that sets it, if one does
 */
record Shorthand(ConfigurationPropertyName property, @Nullable String value, String place, @Nullable String variable) {

	private static final Pattern RATE = Pattern.compile("\\d+/\\d*(ms|s|m|h|d)");

	private static final List<String> NONE = List.of("false", "off", "no", "none", "disabled");

	static Shorthand of(ConfigurationPropertyName property, PropertyOrigins places) {
		return new Shorthand(property, places.text(property), places.find(property), places.variable(property));
	}

	/** Reports it, unless it is blank. */
	void report(Problems problems) {
		if (this.value == null || this.value.isBlank()) {
			return;
		}
		int elements = this.property.getNumberOfElements();
		boolean rules = elements > 1 && this.property.getElement(1, Form.UNIFORM).equals("rules");
		String id = this.property.getElement(elements - 1, Form.ORIGINAL);
		if (rules && elements == 3) {
			report("Rule '" + id + "'", "a rule", isNone(this.value) ? "enabled" : "rate", this.value, problems);
		}
		else if (rules && elements == 5) {
			report("Plan '" + id + "' of rule '" + this.property.getElement(2, Form.ORIGINAL) + "'", "a plan",
					this.value.equalsIgnoreCase("unlimited") ? "unlimited" : "rate", this.value, problems);
		}
		else if (rules) {
			boolean plans = elements == 4;
			report("a map of " + (plans ? "plans by their names, as in 'pro" : "rules by their ids, as in 'per-ip")
					+ ": { rate: 10/s }'", "Write it so, or remove", problems);
		}
		else {
			report("a set of properties: " + String.join(", ", UnknownProperties.known(this.property)),
					"Set one of them in place of", problems);
		}
	}

	private static boolean isNone(String value) {
		return NONE.contains(value.toLowerCase(Locale.ROOT));
	}

	/** Reports what was meant as a rate or as a switch. */
	private void report(String what, String kind, String option, String value, Problems problems) {
		String example = switch (option) {
			case "enabled" -> "false";
			case "unlimited" -> "true";
			default -> RATE.matcher(value).matches() ? value : "10/s";
		};
		String id = this.property.getElement(this.property.getNumberOfElements() - 1, Form.ORIGINAL);
		ConfigurationPropertyName meant = this.property.append(option);
		problems.add(
				what + " has the value '" + value + "', but " + kind + " is a set of properties, as in '" + id + ": { "
						+ option + ": " + example + " }'",
				option.equals("rate") ? "Set the rate as" : "Set " + option + " to " + example + " as",
				(this.variable != null) ? "the environment variable " + UnknownVariables.variableOf(meant)
						+ " in place of " + this.variable : meant + ", in place of " + this.place);
	}

	/** The value is not repeated: it may be a secret. */
	private void report(String kind, String cure, Problems problems) {
		String problem = (this.variable != null)
				? "The environment variable " + this.variable + " has a value, but " + this.property + " is " + kind
				: this.property + " has a value, but is " + kind;
		String where = (this.variable != null) ? this.variable : this.place;
		// The name of the project alone may belong to other software.
		if (this.variable != null && this.property.getNumberOfElements() == 1) {
			problems.warn(problem + ". " + cure + " " + where);
		}
		else {
			problems.add(problem, cure, where);
		}
	}

}
