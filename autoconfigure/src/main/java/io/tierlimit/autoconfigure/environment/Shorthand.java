package io.tierlimit.autoconfigure.environment;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import io.tierlimit.rule.reader.Problems;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * A single value in place of the properties of a rule, of a plan, or of another part of
 * the configuration. The value is ignored if such properties are also set.
 *
 * @param property the property
 * @param value its value; blank counts as none
 * @param place the property with its place
 * @param variable the environment variable that sets it, or {@code null}
 */
public record Shorthand(ConfigurationPropertyName property, @Nullable String value, String place,
		@Nullable String variable) {

	private static final Pattern RATE = Pattern.compile("\\d+/\\d*(ms|s|m|h|d)");

	private static final List<String> NONE = List.of("false", "off", "no", "none", "disabled");

	static Shorthand of(ConfigurationPropertyName property, PropertyOrigins places) {
		return new Shorthand(property, places.text(property), places.find(property), places.variable(property));
	}

	/** Reports the value, unless it is blank. */
	void report(PropertyTree tree, Problems problems) {
		if (this.value == null || this.value.isBlank()) {
			return;
		}
		int elements = this.property.getNumberOfElements();
		boolean rules = elements > 1 && this.property.getElement(1, Form.UNIFORM).equals("rules");
		String id = this.property.getElement(elements - 1, Form.ORIGINAL);
		if (rules && elements == 3) {
			report("Rule '" + id + "'", isNone(this.value) ? "enabled" : "rate", this.value, problems);
		}
		else if (rules && elements == 5) {
			report("Rule '" + this.property.getElement(2, Form.ORIGINAL) + "': plan '" + id + "'",
					this.value.equalsIgnoreCase("unlimited") ? "unlimited" : "rate", this.value, problems);
		}
		else if (rules && tree.known(this.property).isEmpty()) {
			boolean plans = elements == 4;
			report("a map of " + (plans ? "plans by their names, such as 'pro" : "rules by their ids, such as 'per-ip")
					+ ": { rate: 10/s }'", "Write such a map, or remove", problems);
		}
		else {
			report("a set of properties (" + String.join(", ", tree.known(this.property)) + ")",
					"Set one or more of them instead of", problems);
		}
	}

	private static boolean isNone(String value) {
		return NONE.contains(value.toLowerCase(Locale.ROOT));
	}

	/** Reports a value that was probably intended as a rate or as a switch. */
	private void report(String what, String option, String value, Problems problems) {
		String example = switch (option) {
			case "enabled" -> "false";
			case "unlimited" -> "true";
			default -> RATE.matcher(value).matches() ? value : "10/s";
		};
		String id = this.property.getElement(this.property.getNumberOfElements() - 1, Form.ORIGINAL);
		ConfigurationPropertyName meant = this.property.append(option);
		String name = (this.variable != null) ? "the environment variable " + PropertyOrigins.variableOf(meant)
				: meant.toString();
		problems.add(
				what + " must be a set of properties, such as '" + id + ": { " + option + ": " + example + " }' (was '"
						+ value + "')",
				"Set " + name + (option.equals("rate") ? "" : " to " + example) + " instead of",
				(this.variable != null) ? this.variable : this.place);
	}

	/** Reports a value without repeating it, because it may be a secret. */
	private void report(String kind, String fix, Problems problems) {
		String problem = (this.variable != null) ? "The environment variable " + this.variable
				+ " sets a single value, but " + this.property + " must be " + kind
				: this.property + " must be " + kind + ", not a single value";
		String where = (this.variable != null) ? this.variable : this.place;
		// A variable with the name of the project may belong to other software.
		if (this.variable != null && this.property.getNumberOfElements() == 1) {
			problems.warn(problem, fix, where);
		}
		else {
			problems.add(problem, fix, where);
		}
	}

}
