package io.tierlimit.autoconfigure.rules;

import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.util.ReflectionUtils;

/**
 * Finds properties below {@code tierlimit} that are not read, and single values in place
 * of a set of properties. All sources are searched, also environment variables, except
 * for those that Kubernetes sets for services ({@link KubernetesServiceVariables}).
 */
final class UnknownProperties {

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("tierlimit");

	private static final ConfigurationPropertyName RULES = ROOT.append("rules");

	private static final ConfigurationPropertyName OVERRIDES = ROOT.append("overrides");

	private static final Map<Class<?>, List<Property>> PROPERTIES = new ConcurrentHashMap<>();

	private UnknownProperties() {
	}

	/** Checks all properties except for those of rules and overrides. */
	static void checkSettings(PropertyOrigins places, Problems problems) {
		Shorthand.of(ROOT, places).report(problems);
		check(places.below(ROOT)
			.stream()
			.filter((name) -> !RULES.isAncestorOf(name) && !OVERRIDES.isAncestorOf(name))
			.toList(), places, problems);
	}

	/** Checks the properties of rules and overrides. */
	static void checkRules(PropertyOrigins places, Problems problems) {
		check(places.below(RULES), places, problems);
		check(places.below(OVERRIDES), places, problems);
	}

	private static void check(List<ConfigurationPropertyName> names, PropertyOrigins places, Problems problems) {
		UnknownVariables variables = new UnknownVariables(places, problems);
		Set<ConfigurationPropertyName> lists = new HashSet<>();
		for (ConfigurationPropertyName name : names) {
			Unknown unknown = find(name, 1, TierlimitProperties.class);
			if (unknown == null || (unknown.isIndex(name) && !lists.add(name.chop(unknown.element())))) {
				continue;
			}
			String variable = places.variable(name);
			if (unknown.isMissing(name)) {
				Shorthand.of(name, places).report(problems);
			}
			else if (variable != null) {
				variables.check(variable, name, unknown);
			}
			else {
				unknown.report(name, places.find(name), problems);
			}
		}
	}

	/** Whether a property is unknown. */
	static boolean contain(ConfigurationPropertyName name) {
		Unknown unknown = find(name, 1, TierlimitProperties.class);
		return unknown != null && !unknown.isMissing(name);
	}

	/** Whether a property is a set of properties or a map. */
	static boolean isParent(ConfigurationPropertyName name) {
		Unknown unknown = find(name, 1, TierlimitProperties.class);
		return unknown != null && unknown.isMissing(name);
	}

	/** The names of the properties in a set; empty for a map. */
	static List<String> known(ConfigurationPropertyName name) {
		Unknown unknown = find(name, 1, TierlimitProperties.class);
		return (unknown != null && unknown.isMissing(name)) ? unknown.known() : List.of();
	}

	private static @Nullable Unknown find(ConfigurationPropertyName name, int element, Type type) {
		boolean ends = element == name.getNumberOfElements();
		if (type instanceof ParameterizedType generic && generic.getRawType() == Map.class) {
			if (ends || name.isNumericIndex(element)) {
				return new Unknown(element, List.of(), false);
			}
			return find(name, element + 1, generic.getActualTypeArguments()[1]);
		}
		if (type instanceof ParameterizedType && !ends && name.isNumericIndex(element)) {
			return find(name, element + 1, String.class);
		}
		List<String> known = new ArrayList<>();
		if (type instanceof Class<?> properties && properties.isRecord()) {
			for (Property property : PROPERTIES.computeIfAbsent(properties, Property::of)) {
				if (!ends && property.uniform.equals(name.getElement(element, Form.UNIFORM))) {
					return find(name, element + 1, property.type);
				}
				known.add(property.name);
			}
		}
		return (ends && known.isEmpty()) ? null : new Unknown(element, known, type instanceof ParameterizedType);
	}

	/** The properties of a type. The rules are in a type of their own. */
	static List<RecordComponent> components(Class<?> properties) {
		List<RecordComponent> components = new ArrayList<>(List.of(properties.getRecordComponents()));
		if (properties == TierlimitProperties.class) {
			components.addAll(1, List.of(RuleSetProperties.class.getRecordComponents()));
		}
		return components;
	}

	static String name(RecordComponent component) {
		Field field = Objects
			.requireNonNull(ReflectionUtils.findField(component.getDeclaringRecord(), component.getName()));
		Name name = field.getAnnotation(Name.class);
		return (name != null) ? name.value() : DataObjectPropertyName.toDashedForm(component.getName());
	}

	static String uniform(String property) {
		return property.replace("-", "").toLowerCase(Locale.ROOT);
	}

	private record Property(String name, String uniform, Type type) {

		static List<Property> of(Class<?> properties) {
			return components(properties).stream().map((component) -> {
				String name = UnknownProperties.name(component);
				return new Property(name, UnknownProperties.uniform(name), component.getGenericType());
			}).toList();
		}

	}

	/**
	 * The first element of a name that is unknown, or that is missing after the last one.
	 *
	 * @param element its index
	 * @param known the known names; empty below a single value, and in a map
	 * @param ofList whether it is below a list
	 */
	record Unknown(int element, List<String> known, boolean ofList) {

		boolean isMissing(ConfigurationPropertyName name) {
			return this.element == name.getNumberOfElements();
		}

		boolean isIndex(ConfigurationPropertyName name) {
			return !isMissing(name) && name.isNumericIndex(this.element);
		}

		void report(ConfigurationPropertyName name, String place, Problems problems) {
			if (isIndex(name)) {
				reportList(name.chop(this.element), place, problems);
				return;
			}
			String unknown = name.getElement(this.element, Form.ORIGINAL);
			if (!this.known.isEmpty()) {
				problems.add(owner(name) + "'" + unknown + "' is not a known property. Known properties are "
						+ String.join(", ", this.known), "Correct or remove", place);
				return;
			}
			problems.add(
					name.chop(this.element) + " has no property '" + unknown + "', because it is "
							+ (this.ofList ? "a list of values" : "a single value"),
					this.ofList ? "Set the values, separated by commas, instead of" : "Set the value instead of",
					place);
		}

		private String owner(ConfigurationPropertyName name) {
			boolean ofRule = this.element > 2 && name.getElement(1, Form.UNIFORM).equals("rules");
			boolean ofOverride = this.element > 2 && name.getElement(1, Form.UNIFORM).equals("overrides");
			String rule = ofRule || ofOverride
					? (ofRule ? "Rule '" : "Override '") + name.getElement(2, Form.ORIGINAL) + "'" : "";
			boolean ofPlan = ofRule && this.element > 4;
			return (ofRule || ofOverride ? rule + (ofPlan ? ", plan '" + name.getElement(4, Form.ORIGINAL) + "'" : "")
					: name.chop(this.element).toString()) + ": ";
		}

		private void reportList(ConfigurationPropertyName list, String place, Problems problems) {
			if (!isParent(list)) {
				problems.add(list + " must be a single value, not a list", "Set a single value instead of", place);
			}
			else if (!this.known.isEmpty()) {
				problems.add(list + " must be a set of properties, not a list. The properties are "
						+ String.join(", ", this.known), "Set these instead of", place);
			}
			else if (list.equals(OVERRIDES)) {
				problems.add(list + " must be a map of overrides by their ids, not a list",
						"Write 'acme: { user: acme, exempt: true }' instead of '- id: acme', and remove", place);
			}
			else if (list.getNumberOfElements() == 2) {
				problems.add(list + " must be a map of rules by their ids, not a list",
						"Write 'per-ip: { rate: 10/s }' instead of '- id: per-ip', and remove", place);
			}
			else {
				problems.add(list + " must be a map of plans by their names, not a list",
						"Write 'pro: { rate: 10/s }' instead of '- id: pro', and remove", place);
			}
		}

	}

}
