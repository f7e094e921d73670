package io.tierlimit.autoconfigure.environment;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.tierlimit.autoconfigure.environment.PropertyTree.Group;
import io.tierlimit.autoconfigure.environment.PropertyTree.Keys;
import io.tierlimit.autoconfigure.environment.PropertyTree.Node;
import io.tierlimit.autoconfigure.environment.PropertyTree.Unknown;
import io.tierlimit.autoconfigure.environment.PropertyTree.Values;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyText;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * Reports environment variables that begin with {@code TIERLIMIT_}, but have no effect. A
 * variable whose name is similar to that of a property stops startup. Any other may
 * belong to other software, and is a warning.
 */
public final class UnknownVariables {

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("tierlimit");

	private final PropertyTree tree;

	private final PropertyOrigins places;

	private final Problems problems;

	UnknownVariables(PropertyTree tree, PropertyOrigins places, Problems problems) {
		this.tree = tree;
		this.places = places;
		this.problems = problems;
	}

	/**
	 * Reports a variable unless the binder reads it.
	 * @param name the name in which each underscore separates elements, which is unknown
	 * @param unknown what is unknown of it
	 * @param report reports it as any other unknown property
	 */
	void check(String variable, ConfigurationPropertyName name, Unknown unknown, Runnable report) {
		ConfigurationPropertyName split = find(name, 1, this.tree.root(), ROOT);
		if (split != null && this.tree.isParent(split)) {
			new Shorthand(split, this.places.text(name), variable, variable).report(this.tree, this.problems);
			return;
		}
		if (split != null) {
			// The binder also reads this spelling, except for keys of maps.
			if (isBelowMap(split) || !this.places.isSetBy(split, variable)) {
				this.problems.add(
						"The environment variable " + variable + " has no effect: dashes of a property's name must be "
								+ "left out, not replaced by underscores",
						"Rename it to", PropertyOrigins.variableOf(split));
			}
			return;
		}
		String element = name.getElement(unknown.element(), Form.UNIFORM);
		String meant = Spelling.nearest(element, unknown.known().stream().map(PropertyTree::uniform).toList());
		if (meant != null) {
			ConfigurationPropertyName renamed = renamed(name, unknown.element(), meant);
			boolean known = isKnown(renamed);
			this.problems.add(
					"The environment variable " + variable + " has no effect: '" + element
							+ "' is not a known property",
					known ? "Rename it to"
							: "Known properties are " + String.join(", ", unknown.known())
									+ ", without their dashes. Correct or remove",
					known ? PropertyOrigins.variableOf(renamed) : variable);
		}
		else if (unknown.element() == 1) {
			this.problems.warn(
					"The environment variable " + variable + " has no effect: '" + element
							+ "' is not a known property. Known properties are " + String.join(", ", unknown.known()),
					"Correct or remove", variable);
		}
		else {
			report.run();
		}
	}

	private boolean isKnown(ConfigurationPropertyName name) {
		Unknown unknown = this.tree.find(name);
		return unknown == null || unknown.isMissing(name);
	}

	private static boolean isBelowMap(ConfigurationPropertyName name) {
		return name.getElement(1, Form.UNIFORM).equals("rules");
	}

	private static ConfigurationPropertyName renamed(ConfigurationPropertyName name, int element, String meant) {
		ConfigurationPropertyName renamed = name.chop(element).append(meant);
		boolean last = element == name.getNumberOfElements() - 1;
		return last ? renamed : renamed.append(name.subName(element + 1));
	}

	/** The property whose dashes are written as underscores. */
	private @Nullable ConfigurationPropertyName find(ConfigurationPropertyName name, int element, Node node,
			ConfigurationPropertyName found) {
		if (element == name.getNumberOfElements()) {
			return found;
		}
		if (node instanceof Values) {
			boolean entry = element == name.getNumberOfElements() - 1 && name.isNumericIndex(element);
			return entry ? found.append("[" + name.getElement(element, Form.UNIFORM) + "]") : null;
		}
		if (node instanceof Keys map) {
			for (String key : keys(found)) {
				ConfigurationPropertyName property = find(name, element, key, map.node(),
						found.append(ConfigurationPropertyName.adapt(key, '.')));
				if (property != null) {
					return property;
				}
			}
		}
		else if (node instanceof Group group) {
			for (Map.Entry<String, Node> child : group.nodes().entrySet()) {
				String key = child.getKey();
				ConfigurationPropertyName property = find(name, element, key, child.getValue(), found.append(key));
				if (property != null) {
					return property;
				}
			}
		}
		return null;
	}

	/** Joins elements to one name, and continues after them. */
	private @Nullable ConfigurationPropertyName find(ConfigurationPropertyName name, int element, String word,
			Node node, ConfigurationPropertyName found) {
		StringBuilder joined = new StringBuilder();
		String normalized = PropertyText.plain(word);
		for (int i = element; i < name.getNumberOfElements(); i++) {
			joined.append(name.getElement(i, Form.UNIFORM));
			if (joined.toString().equals(normalized)) {
				return find(name, i + 1, node, found);
			}
		}
		return null;
	}

	/** The keys of a map in sources other than environment variables. */
	private Set<String> keys(ConfigurationPropertyName map) {
		Set<String> keys = new LinkedHashSet<>();
		for (ConfigurationPropertyName name : this.places.belowInFiles(map)) {
			String key = name.getElement(map.getNumberOfElements(), Form.ORIGINAL);
			if (key.matches("[A-Za-z0-9_-]+")) {
				keys.add(key);
			}
		}
		return keys;
	}

}
