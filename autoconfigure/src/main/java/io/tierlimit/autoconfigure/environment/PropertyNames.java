package io.tierlimit.autoconfigure.environment;

import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.rule.reader.PropertyText;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.util.ReflectionUtils;

/**
 * The names of all properties below {@code tierlimit}. A name is a list of elements, in
 * which {@code *} is any key of a map, and {@code []} at the end is any index of a list.
 */
public final class PropertyNames {

	private static final String KEY = "*";

	private static final String INDEX = "[]";

	private final List<List<String>> names = new ArrayList<>();

	private final Map<String, List<String>> ofEntries;

	/**
	 * Creates the names.
	 * @param ofRule the properties of a rule, in the form of an option's reader
	 * @param ofOverride the properties of an override
	 * @param others the names of other properties that are read with the rules
	 */
	public PropertyNames(Collection<String> ofRule, Collection<String> ofOverride, Collection<String> others) {
		this.ofEntries = Map.of(PropertyPlaces.RULES, List.copyOf(ofRule), PropertyPlaces.OVERRIDES,
				List.copyOf(ofOverride));
		add("enabled");
		add("mode");
		ofRule.forEach((property) -> add("rules.*." + property));
		ofOverride.forEach((property) -> add("overrides.*." + property));
		addAll("", TierlimitProperties.class);
		others.forEach(this::add);
	}

	private void add(String name) {
		this.names.add(List.of(name.replace(INDEX, "." + INDEX).split("\\.")));
	}

	private void addAll(String prefix, Class<?> properties) {
		for (RecordComponent component : properties.getRecordComponents()) {
			String name = prefix + name(component);
			Type type = component.getGenericType();
			if (type instanceof Class<?> group && group.isRecord()) {
				addAll(name + ".", group);
			}
			else {
				add((type instanceof ParameterizedType) ? name + INDEX : name);
			}
		}
	}

	/**
	 * The name of the property of a record's component.
	 * @param component a component of a record
	 * @return the name with dashes
	 */
	public static String name(RecordComponent component) {
		Field field = Objects
			.requireNonNull(ReflectionUtils.findField(component.getDeclaringRecord(), component.getName()));
		Name name = field.getAnnotation(Name.class);
		return (name != null) ? name.value() : DataObjectPropertyName.toDashedForm(component.getName());
	}

	/** Whether a property of a rule or an override is known. */
	boolean isKnown(String parent, PropertyText text) {
		return text.isOneOf(this.ofEntries.getOrDefault(parent, List.of()));
	}

	/**
	 * Finds the setting that an environment variable names with an underscore in place of
	 * each dash. Returns {@code null} if there is no such setting.
	 */
	@Nullable ConfigurationPropertyName settingOf(String variable) {
		String name = variable.toLowerCase(Locale.ROOT).replace('_', '.').replaceFirst("\\.(\\d{1,9})$", "[$1]");
		for (List<String> known : this.names) {
			boolean list = known.contains(INDEX);
			String property = "tierlimit." + String.join(".", list ? known.subList(0, known.size() - 1) : known);
			String words = property.replace('-', '.');
			if (name.equals(words) || (list && name.startsWith(words + "["))) {
				return ConfigurationPropertyName.adapt(property + name.substring(words.length()), '.');
			}
		}
		return null;
	}

	/** The first part of a name that is unknown; {@code null} for a known property. */
	@Nullable Unknown find(ConfigurationPropertyName name) {
		List<List<String>> known = this.names;
		int elements = name.getNumberOfElements();
		for (int i = 1; i < elements; i++) {
			int element = i;
			List<List<String>> matching = known.stream().filter((other) -> matches(other, name, element)).toList();
			if (matching.isEmpty()) {
				return Unknown.of(element, known);
			}
			known = matching;
		}
		boolean complete = known.stream()
			.anyMatch((other) -> other.size() < elements || other.get(elements - 1).equals(INDEX));
		return complete ? null : Unknown.of(elements, known);
	}

	private static boolean matches(List<String> known, ConfigurationPropertyName name, int element) {
		String expected = (element <= known.size()) ? known.get(element - 1) : "";
		if (name.isNumericIndex(element)) {
			return expected.equals(INDEX);
		}
		return expected.equals(KEY) || expected.replace("-", "").equals(name.getElement(element, Form.UNIFORM));
	}

	/**
	 * The first unknown element of a name, or the element that is missing at its end.
	 *
	 * @param element its index
	 * @param known the known elements at this index; empty below a single value
	 */
	record Unknown(int element, List<String> known) {

		private static Unknown of(int element, List<List<String>> names) {
			return new Unknown(element,
					names.stream()
						.filter((name) -> element <= name.size())
						.map((name) -> name.get(element - 1))
						.distinct()
						.toList());
		}

		boolean isMissing(ConfigurationPropertyName name) {
			return this.element == name.getNumberOfElements();
		}

		boolean isIndex(ConfigurationPropertyName name) {
			return !isMissing(name) && name.isNumericIndex(this.element);
		}

		boolean isGroup() {
			return !this.known.isEmpty() && !this.known.contains(KEY) && !this.known.contains(INDEX);
		}

		/** What the parent of the element must be. */
		String requirement() {
			if (isGroup()) {
				return "a set of properties (" + String.join(", ", this.known) + ")";
			}
			return this.known.contains(KEY) ? "a map, such as '<id>: { rate: 10/s }'"
					: this.known.isEmpty() ? "a single value" : "a list of values";
		}

	}

}
