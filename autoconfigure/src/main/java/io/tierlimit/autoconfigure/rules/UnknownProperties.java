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

import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.util.ReflectionUtils;

/**
 * Finds properties under {@code tierlimit} that nothing reads, single values in place of
 * several properties among them. They come from any source: a mistyped environment
 * variable has no effect either. Only the variables that Kubernetes sets for services
 * ({@link KubernetesServiceVariables}) are ignored.
 */
final class UnknownProperties {

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("tierlimit");

	private UnknownProperties() {
	}

	static void check(PropertyOrigins places, Problems problems) {
		UnknownVariables variables = new UnknownVariables(places, problems);
		Shorthand.of(ROOT, places).report(problems);
		Set<ConfigurationPropertyName> lists = new HashSet<>();
		for (ConfigurationPropertyName name : places.below(ROOT)) {
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

	/** Whether nothing reads a property. */
	static boolean contain(ConfigurationPropertyName name) {
		Unknown unknown = find(name, 1, TierlimitProperties.class);
		return unknown != null && !unknown.isMissing(name);
	}

	/** Whether a property has no value, but properties of its own. */
	static boolean isParent(ConfigurationPropertyName name) {
		Unknown unknown = find(name, 1, TierlimitProperties.class);
		return unknown != null && unknown.isMissing(name);
	}

	/** The properties that a property has of its own; none of a map. */
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
			for (RecordComponent component : components(properties)) {
				String property = name(component);
				if (!ends && uniform(property).equals(name.getElement(element, Form.UNIFORM))) {
					return find(name, element + 1, component.getGenericType());
				}
				known.add(property);
			}
		}
		return (ends && known.isEmpty()) ? null : new Unknown(element, known, type instanceof ParameterizedType);
	}

	/** The properties of a type; those of the rules stand beside the others. */
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

	/**
	 * The first element of a name that is unknown, or missing behind the last one.
	 *
	 * @param element its index
	 * @param known what may stand in its place; empty below a single value, and of a map
	 * @param ofList whether it stands below a list
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
			String unknown = "'" + name.getElement(this.element, Form.ORIGINAL) + "' is unknown, ";
			if (!this.known.isEmpty()) {
				problems.add(unknown + "but known are " + String.join(", ", this.known), "Correct or remove", place);
				return;
			}
			String above = name.getElement(this.element - 1, Form.ORIGINAL);
			problems.add(unknown + "for " + above + " is " + (this.ofList ? "a list of words" : "a single value"),
					this.ofList ? "Write the words alone, separated by commas, in place of"
							: "Write the value alone in place of",
					place);
		}

		private void reportList(ConfigurationPropertyName list, String place, Problems problems) {
			if (!isParent(list)) {
				problems.add(list + " is a list, but must be a single value", "Write the value alone in place of",
						place);
			}
			else if (!this.known.isEmpty()) {
				problems.add(list + " is a list, but must be a set of properties: " + String.join(", ", this.known),
						"Set these in place of", place);
			}
			else if (list.getNumberOfElements() == 2) {
				problems.add(list + " is a list, but rules stand in a map by their ids",
						"Write 'per-ip: { rate: 10/s }', and not '- id: per-ip', in place of", place);
			}
			else {
				problems.add(list + " is a list, but plans stand in a map by their names",
						"Write 'pro: { rate: 10/s }', and not '- id: pro', in place of", place);
			}
		}

	}

}
