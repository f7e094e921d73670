package io.tierlimit.autoconfigure.environment;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyText;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * Reports rules that only environment variables define if that is probably a mistake. A
 * variable may define a rule, but then it sets the rate.
 */
public final class EnvironmentVariableRules {

	private static final ConfigurationPropertyName RULES = ConfigurationPropertyName.of("tierlimit.rules");

	private final PropertyTree tree;

	private final PropertyOrigins places;

	private final Problems problems;

	private final Set<String> written = new LinkedHashSet<>();

	/**
	 * Creates a check.
	 * @param tree the names of all properties
	 * @param places the places of all properties
	 * @param problems collects the problems
	 */
	public EnvironmentVariableRules(PropertyTree tree, PropertyOrigins places, Problems problems) {
		this.tree = tree;
		this.places = places;
		this.problems = problems;
		places.belowInFiles(RULES).forEach((name) -> this.written.add(name.getElement(2, Form.ORIGINAL)));
	}

	/**
	 * Whether the rule can be read: it has a rate, or is not only defined by environment
	 * variables. Reports a rule that cannot be read or is probably a mistake.
	 * @param id the id of the rule
	 * @param hasRate whether the rule has a rate
	 * @param enabled whether the rule is enabled
	 * @return whether it can be read
	 */
	public boolean check(String id, boolean hasRate, boolean enabled) {
		List<String> variables = variablesOf(id);
		if (variables.isEmpty()) {
			return true;
		}
		if (!hasRate && enabled) {
			reportWithoutRate(id, variables);
			return false;
		}
		String meant = meantBy(id);
		if (!hasRate || meant != null) {
			this.problems.warn(
					"Rule '" + id + "' is defined only by " + variables + ". The rules of files are " + this.written,
					(meant != null) ? "Rename the variable to {} if rule '" + meant + "' is intended"
							: "Correct or remove",
					(meant != null) ? renamed(variables.get(0), id, meant) : "the variable");
		}
		return hasRate;
	}

	/**
	 * Whether a rule without any valid property is defined by environment variables only.
	 * Reports such a rule, unless all of these variables are unknown properties, which
	 * are reported separately.
	 * @param id the id of the rule
	 * @return whether nothing else defines it
	 */
	public boolean definesEmptyRule(String id) {
		List<String> variables = variablesOf(id);
		if (!variables.isEmpty() && !namesOf(id).stream().allMatch(this::isUnknown)) {
			reportWithoutRate(id, variables);
		}
		return !variables.isEmpty();
	}

	private boolean isUnknown(ConfigurationPropertyName name) {
		PropertyTree.Unknown unknown = this.tree.find(name);
		return unknown != null && !unknown.isMissing(name);
	}

	private void reportWithoutRate(String id, List<String> variables) {
		String meant = meantBy(id);
		this.problems.add(
				"Rule '" + id + "' has no rate. It is defined only by " + variables + ". The rules of files are "
						+ this.written,
				(meant != null) ? "Rename the variable to" : "Correct or remove the variable, or set",
				(meant != null) ? renamed(variables.get(0), id, meant) : "TIERLIMIT_RULES_" + upper(id) + "_RATE");
	}

	private List<ConfigurationPropertyName> namesOf(String id) {
		String plain = PropertyText.plain(id);
		return this.places.below(RULES)
			.stream()
			.filter((name) -> PropertyText.plain(name.getElement(2, Form.ORIGINAL)).equals(plain))
			.toList();
	}

	/** The variables that define a rule; empty if other sources define it, too. */
	private List<String> variablesOf(String id) {
		List<String> variables = new ArrayList<>();
		String plain = PropertyText.plain(id);
		if (this.written.stream().map(PropertyText::plain).anyMatch(plain::equals)) {
			return variables;
		}
		for (ConfigurationPropertyName name : namesOf(id)) {
			String variable = this.places.variable(name);
			if (variable == null) {
				// A source that cannot list its properties overrides the variable.
				return List.of();
			}
			variables.add("environment variable " + variable);
		}
		return variables;
	}

	private @Nullable String meantBy(String id) {
		String meant = Spelling.nearest(PropertyText.plain(id),
				this.written.stream().map(PropertyText::plain).toList());
		return this.written.stream()
			.filter((known) -> PropertyText.plain(known).equals(meant))
			.findFirst()
			.orElse(null);
	}

	private static String renamed(String variable, String id, String meant) {
		String name = variable.substring(variable.lastIndexOf(' ') + 1);
		return name.replace("TIERLIMIT_RULES_" + upper(id) + "_", "TIERLIMIT_RULES_" + upper(meant) + "_");
	}

	private static String upper(String id) {
		return PropertyText.plain(id).toUpperCase(Locale.ROOT);
	}

}
