package io.tierlimit.autoconfigure;

import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.util.ReflectionUtils;

/**
 * Finds properties under {@code tierlimit} that nothing reads. They come from any source:
 * a mistyped environment variable has no effect either. Only the variables that
 * Kubernetes sets for services ({@link ServiceLinks}) are ignored.
 */
final class UnknownProperties {

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("tierlimit");

	private UnknownProperties() {
	}

	static void check(PropertyPlaces places, Problems problems) {
		UnknownVariables variables = new UnknownVariables(places, problems);
		boolean listIsKnown = false;
		for (ConfigurationPropertyName name : places.below(ROOT)) {
			Unknown unknown = find(name, 1, TierlimitProperties.class);
			String variable = (unknown != null) ? places.variable(name) : null;
			boolean inList = unknown != null && name.isNumericIndex(unknown.element());
			if (inList && listIsKnown) {
				continue;
			}
			listIsKnown |= inList;
			if (variable != null && unknown != null) {
				variables.check(variable, name, unknown);
			}
			else if (unknown != null) {
				unknown.report(name, places.find(name), problems);
			}
		}
	}

	/** Whether nothing reads a property. */
	static boolean contain(ConfigurationPropertyName name) {
		return find(name, 1, TierlimitProperties.class) != null;
	}

	private static @Nullable Unknown find(ConfigurationPropertyName name, int element, Type type) {
		if (element == name.getNumberOfElements()) {
			return null;
		}
		if (type instanceof ParameterizedType generic && generic.getRawType() == Map.class) {
			if (name.isNumericIndex(element)) {
				return new Unknown(element, List.of(), false);
			}
			return find(name, element + 1, generic.getActualTypeArguments()[1]);
		}
		if (type instanceof ParameterizedType && name.isNumericIndex(element)) {
			return null;
		}
		List<String> known = new ArrayList<>();
		if (type instanceof Class<?> properties && properties.isRecord()) {
			for (RecordComponent component : properties.getRecordComponents()) {
				String property = name(properties, component);
				if (uniform(property).equals(name.getElement(element, Form.UNIFORM))) {
					return find(name, element + 1, component.getGenericType());
				}
				known.add(property);
			}
		}
		return new Unknown(element, known, type instanceof ParameterizedType);
	}

	static String name(Class<?> properties, RecordComponent component) {
		Field field = Objects.requireNonNull(ReflectionUtils.findField(properties, component.getName()));
		Name name = field.getAnnotation(Name.class);
		return (name != null) ? name.value() : DataObjectPropertyName.toDashedForm(component.getName());
	}

	static String uniform(String property) {
		return property.replace("-", "").toLowerCase(Locale.ROOT);
	}

	/**
	 * The first element of a name that is unknown.
	 *
	 * @param element its index
	 * @param known what may stand in its place; empty below a single value
	 * @param ofList whether it stands below a list
	 */
	record Unknown(int element, List<String> known, boolean ofList) {

		void report(ConfigurationPropertyName name, String place, Problems problems) {
			if (name.isNumericIndex(this.element)) {
				problems.add(name.chop(this.element) + " is a list, but rules stand in a map by their ids",
						"Write 'per-ip: { rate: 10/s }', and not '- id: per-ip', in place of", place);
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

	}

}
