package io.tierlimit.autoconfigure.environment;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.autoconfigure.environment.PropertyTree.Unknown;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyText;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * Finds properties below {@code tierlimit} that are not read, and single values in place
 * of a set of properties. All sources are searched, also environment variables, except
 * for those that Kubernetes sets for services ({@link KubernetesServiceVariables}).
 */
public final class UnknownProperties {

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("tierlimit");

	private static final ConfigurationPropertyName RULES = ROOT.append("rules");

	private static final ConfigurationPropertyName OVERRIDES = ROOT.append("overrides");

	private final PropertyTree tree;

	private final PropertyOrigins places;

	private final Problems problems;

	/**
	 * Creates a check.
	 * @param tree the names of all properties
	 * @param places the places of all properties
	 * @param problems collects the problems
	 */
	public UnknownProperties(PropertyTree tree, PropertyOrigins places, Problems problems) {
		this.tree = tree;
		this.places = places;
		this.problems = problems;
	}

	/** Checks all properties outside of the rules and the overrides. */
	public void checkSettings() {
		Shorthand.of(ROOT, this.places).report(this.tree, this.problems);
		check(this.places.below(ROOT)
			.stream()
			.filter((name) -> !RULES.isAncestorOf(name) && !OVERRIDES.isAncestorOf(name))
			.toList());
	}

	/** Checks the properties of rules and overrides. */
	public void checkRules() {
		check(this.places.below(RULES));
		check(this.places.below(OVERRIDES));
	}

	private void check(List<ConfigurationPropertyName> names) {
		UnknownVariables variables = new UnknownVariables(this.tree, this.places, this.problems);
		Set<ConfigurationPropertyName> lists = new HashSet<>();
		for (ConfigurationPropertyName name : names) {
			Unknown unknown = this.tree.find(name);
			if (unknown == null || (unknown.isIndex(name) && !lists.add(name.chop(unknown.element())))) {
				continue;
			}
			String variable = this.places.variable(name);
			if (unknown.isMissing(name)) {
				Shorthand.of(name, this.places).report(this.tree, this.problems);
			}
			else if (variable != null) {
				variables.check(variable, name, unknown, () -> report(unknown, name, this.places.find(name)));
			}
			else {
				report(unknown, name, this.places.find(name));
			}
		}
	}

	/**
	 * Checks the properties of a rule that are not written in the configuration.
	 * @param rule the id of the rule
	 * @param texts its properties
	 */
	public void check(String rule, List<PropertyText> texts) {
		Map<String, String> known = new HashMap<>();
		for (PropertyText text : texts) {
			String place = text.source().location(text.name());
			String same = sameAs(text.name(), known);
			// Two sources may spell a plan differently, but a rule in code has one
			// spelling.
			int end = text.quoted() ? -1 : text.name().lastIndexOf("].");
			String plan = (end < 0) ? null : sameAs(text.name().substring(0, end + 1), known);
			if (same != null || plan != null) {
				this.problems.add(
						"Rule '" + rule + "': " + ((same != null) ? same : plan)
								+ " are the same, because only dashes, underscores and case differ",
						"Remove one of them from", place);
			}
			else if (!this.tree.isKnownOfRule(text)) {
				reportUnknown(rule, text, place);
			}
		}
	}

	/** The names of which one is known in another spelling, or twice; otherwise null. */
	private static @Nullable String sameAs(String name, Map<String, String> known) {
		String other = known.putIfAbsent(PropertyText.canonical(name), name);
		return (other == null || (other.equals(name) && name.endsWith("]"))) ? null : other + " and " + name;
	}

	private void reportUnknown(String rule, PropertyText text, String place) {
		ConfigurationPropertyName name = PropertyPlaces.name(PropertyPlaces.RULES, rule, text.name());
		ConfigurationPropertyName full = (text.form() == PropertyText.Form.TEXT) ? name : name.append("[0]");
		Unknown unknown = this.tree.find(full);
		if (unknown == null) {
			this.problems.add("Rule '" + rule + "': '" + text.name() + "' is not the name of a property", "Correct",
					place);
		}
		else if (unknown.isMissing(name)) {
			new Shorthand(name, text.texts().get(0), place, null).report(this.tree, this.problems);
		}
		else {
			report(unknown, full, place);
		}
	}

	private void report(Unknown unknown, ConfigurationPropertyName name, String place) {
		if (unknown.isIndex(name)) {
			reportList(name.chop(unknown.element()), unknown.known(), place);
			return;
		}
		String element = name.getElement(unknown.element(), Form.ORIGINAL);
		if (!unknown.known().isEmpty()) {
			this.problems.add(owner(name, unknown.element()) + "'" + element
					+ "' is not a known property. Known properties are " + String.join(", ", unknown.known()),
					"Correct or remove", place);
			return;
		}
		this.problems.add(
				name.chop(unknown.element()) + " has no property '" + element + "', because it is "
						+ (unknown.ofList() ? "a list of values" : "a single value"),
				unknown.ofList() ? "Set the values, separated by commas, instead of" : "Set the value instead of",
				place);
	}

	private static String owner(ConfigurationPropertyName name, int element) {
		boolean ofRule = element > 2 && name.getElement(1, Form.UNIFORM).equals("rules");
		boolean ofOverride = element > 2 && name.getElement(1, Form.UNIFORM).equals("overrides");
		String rule = ofRule || ofOverride
				? (ofRule ? "Rule '" : "Override '") + name.getElement(2, Form.ORIGINAL) + "'" : "";
		boolean ofPlan = ofRule && element > 4;
		return (ofRule || ofOverride ? rule + (ofPlan ? ", plan '" + name.getElement(4, Form.ORIGINAL) + "'" : "")
				: name.chop(element).toString()) + ": ";
	}

	private void reportList(ConfigurationPropertyName list, List<String> known, String place) {
		if (!this.tree.isParent(list)) {
			this.problems.add(list + " must be a single value, not a list", "Set a single value instead of", place);
		}
		else if (!known.isEmpty()) {
			this.problems.add(
					list + " must be a set of properties, not a list. The properties are " + String.join(", ", known),
					"Set these instead of", place);
		}
		else if (list.equals(OVERRIDES)) {
			this.problems.add(list + " must be a map of overrides by their ids, not a list",
					"Write 'acme: { user: acme, exempt: true }' instead of '- id: acme', and remove", place);
		}
		else if (list.getNumberOfElements() == 2) {
			this.problems.add(list + " must be a map of rules by their ids, not a list",
					"Write 'per-ip: { rate: 10/s }' instead of '- id: per-ip', and remove", place);
		}
		else {
			this.problems.add(list + " must be a map of plans by their names, not a list",
					"Write 'pro: { rate: 10/s }' instead of '- id: pro', and remove", place);
		}
	}

}
