package io.tierlimit.autoconfigure.environment;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import io.tierlimit.autoconfigure.environment.PropertyNames.Unknown;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyText;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;

/**
 * Finds properties below {@code tierlimit} that are not read. An environment variable
 * whose first word is unknown may belong to other software, so it causes only a warning.
 *
 * @param names the names of all properties
 * @param places the places of all properties
 * @param problems collects the problems
 */
public record UnknownProperties(PropertyNames names, PropertyOrigins places, Problems problems) {

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("tierlimit");

	private static final ConfigurationPropertyName RULES = ROOT.append("rules");

	private static final ConfigurationPropertyName OVERRIDES = ROOT.append("overrides");

	/** Checks all properties outside of the rules and the overrides. */
	public void checkSettings() {
		List<ConfigurationPropertyName> written = new ArrayList<>(this.places.below(ROOT));
		written.removeIf(UnknownProperties::isOfRules);
		if (this.places.text(ROOT) != null) {
			written.add(ROOT);
		}
		check(written, this::isVariableOfSetting);
		checkSpellings((name) -> !isOfRules(name));
	}

	private static boolean isOfRules(ConfigurationPropertyName name) {
		return RULES.isAncestorOf(name) || OVERRIDES.isAncestorOf(name);
	}

	/**
	 * Whether a variable names a setting. Reports a problem if the binder does not read
	 * the setting from this variable.
	 */
	private boolean isVariableOfSetting(String variable) {
		ConfigurationPropertyName setting = this.names.settingOf(variable);
		if (setting != null && !this.places.isSetBy(setting, variable)) {
			this.problems.add(setting + " is not set by the environment variable " + variable,
					"Write the variable once, in capital letters, and number the entries of a list from 0, or remove",
					variable);
		}
		return setting != null;
	}

	/**
	 * Checks the properties of rules and overrides.
	 * @param variables the environment variables that were read
	 */
	public void checkRules(Set<String> variables) {
		for (ConfigurationPropertyName parent : List.of(RULES, OVERRIDES)) {
			check(this.places.below(parent), variables::contains);
		}
		checkSpellings(UnknownProperties::isOfRules);
	}

	/** Only one of two values for the same property would be read. */
	private void checkSpellings(Predicate<ConfigurationPropertyName> checked) {
		for (ConfigurationPropertySource source : this.places.sources()) {
			Set<ConfigurationPropertyName> written = new HashSet<>();
			for (ConfigurationPropertyName name : this.places.below(source, ROOT)) {
				if (checked.test(name) && !written.add(name)) {
					this.problems.add("One source sets " + name + " twice: " + Spelling.DIFFERENCE,
							"Remove or rename one of them in", this.places.find(name));
				}
			}
		}
	}

	private void check(List<ConfigurationPropertyName> names, Predicate<String> isRead) {
		Set<ConfigurationPropertyName> lists = new HashSet<>();
		for (ConfigurationPropertyName name : names) {
			Unknown unknown = this.names.find(name);
			if (unknown == null || (unknown.isIndex(name) && !lists.add(name.chop(unknown.element())))) {
				continue;
			}
			String variable = this.places.variable(name);
			boolean blank = unknown.isMissing(name) && isBlank(name);
			if (!blank && (variable == null || !isRead.test(variable))) {
				report(unknown, name, this.places.find(name), variable != null && unknown.element() == 1);
			}
		}
	}

	/** A blank value sets nothing, and does not hide the properties below it. */
	private boolean isBlank(ConfigurationPropertyName name) {
		String text = this.places.text(name);
		return text == null || text.isBlank();
	}

	/**
	 * Checks the properties of a rule or an override that are not written in the
	 * configuration.
	 * @param parent the property with all rules, or all overrides
	 * @param id the id
	 * @param texts its properties
	 */
	public void check(String parent, String id, List<PropertyText> texts) {
		String owner = (parent.equals(PropertyPlaces.RULES) ? "Rule '" : "Override '") + id + "': ";
		Set<String> written = new HashSet<>();
		for (PropertyText text : texts) {
			String place = text.source().location(text.name());
			if (!written.add(PropertyText.canonical(text.name()))) {
				this.problems.add(owner + text.name() + " is set twice: " + Spelling.DIFFERENCE,
						"Remove one of them from", place);
			}
			else if (!this.names.isKnown(parent, text)) {
				ConfigurationPropertyName name = PropertyPlaces.name(parent, id, text.name());
				name = (text.form() == PropertyText.Form.TEXT) ? name : name.append("[0]");
				Unknown unknown = this.names.find(name);
				if (unknown != null) {
					report(unknown, name, place, false);
				}
				else {
					this.problems.add(owner + "'" + text.name() + "' is not the name of a property", "Correct", place);
				}
			}
		}
	}

	private void report(Unknown unknown, ConfigurationPropertyName name, String place, boolean warn) {
		String problem = problem(unknown, name);
		String fix = (unknown.isMissing(name) && unknown.isGroup()) ? "Set one or more of them instead of"
				: "Correct or remove";
		if (warn) {
			this.problems.warn(problem, fix, place);
		}
		else {
			this.problems.add(problem, fix, place);
		}
	}

	private static String problem(Unknown unknown, ConfigurationPropertyName name) {
		ConfigurationPropertyName parent = name.chop(unknown.element());
		if (unknown.isMissing(name) || unknown.isIndex(name)) {
			return parent + " must be " + unknown.requirement() + ", not "
					+ (unknown.isMissing(name) ? "a single value" : "a list");
		}
		String element = name.getElement(unknown.element(), Form.ORIGINAL);
		return unknown.isGroup()
				? owner(parent) + ": '" + element + "' is not a known property. Known properties are "
						+ String.join(", ", unknown.known())
				: parent + " has no property '" + element + "', because it is " + unknown.requirement();
	}

	private static String owner(ConfigurationPropertyName parent) {
		boolean ofRule = RULES.isAncestorOf(parent);
		if (!ofRule && !OVERRIDES.isAncestorOf(parent)) {
			return parent.toString();
		}
		int last = parent.getNumberOfElements() - 1;
		boolean ofPlan = last > 3 && parent.getElement(last - 1, Form.UNIFORM).equals("plans");
		String plan = ofPlan ? ", plan '" + parent.getElement(last, Form.ORIGINAL) + "'" : "";
		return (ofRule ? "Rule '" : "Override '") + parent.getElement(2, Form.ORIGINAL) + "'" + plan;
	}

}
