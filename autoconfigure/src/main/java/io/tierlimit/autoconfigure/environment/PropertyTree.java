package io.tierlimit.autoconfigure.environment;

import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
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
 * The names of all properties below {@code tierlimit}.
 */
public final class PropertyTree {

	private static final String ANY = "*";

	/** All properties outside of the rules and the overrides. */
	public static final PropertyTree SETTINGS = new PropertyTree(List.of(), List.of());

	private final Group root;

	private final List<String> ofRule;

	/**
	 * Creates a tree.
	 * @param ofRule the properties of a rule, in the form of an option's reader
	 * @param ofOverride the properties of an override
	 */
	public PropertyTree(Collection<String> ofRule, Collection<String> ofOverride) {
		this.ofRule = List.copyOf(ofRule);
		Map<String, Node> settings = group(TierlimitProperties.class).nodes;
		String first = settings.keySet().iterator().next();
		Map<String, Node> all = new LinkedHashMap<>(Map.of(first, settings.get(first)));
		all.put("mode", new Value());
		all.put("rules", new Keys(group(ofRule)));
		all.put("overrides", new Keys(group(ofOverride)));
		settings.forEach(all::putIfAbsent);
		this.root = new Group(all);
	}

	private static Group group(Collection<String> properties) {
		Group group = new Group(new LinkedHashMap<>());
		properties.forEach((property) -> group.add(List.of(property.replace("[]", "").split("\\.")), property));
		return group;
	}

	private static Group group(Class<?> properties) {
		Map<String, Node> nodes = new LinkedHashMap<>();
		for (RecordComponent component : properties.getRecordComponents()) {
			nodes.put(name(component), node(component.getGenericType()));
		}
		return new Group(nodes);
	}

	private static Node node(Type type) {
		if (type instanceof ParameterizedType generic) {
			return (generic.getRawType() == Map.class) ? new Keys(node(generic.getActualTypeArguments()[1]))
					: new Values();
		}
		return (type instanceof Class<?> properties && properties.isRecord()) ? group(properties) : new Value();
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

	static String uniform(String property) {
		return property.replace("-", "").toLowerCase(Locale.ROOT);
	}

	Group root() {
		return this.root;
	}

	/**
	 * Whether a text is a property of a rule that its readers read. A limit of code may
	 * be unlimited by mistake, which its reader reports.
	 */
	boolean isKnownOfRule(PropertyText text) {
		boolean single = text.form() == PropertyText.Form.TEXT;
		return (!text.quoted()
				&& List.of("unlimited", "candidate.unlimited").contains(PropertyText.canonical(text.name())))
				|| this.ofRule.stream()
					.filter((property) -> single || property.endsWith("[]"))
					.anyMatch((property) -> isName(text, property.replace("[]", "")));
	}

	private static boolean isName(PropertyText text, String property) {
		int star = property.indexOf(".*.");
		String key = (star < 0) ? null : text.keyOf(property.substring(0, star));
		String name = (key == null) ? property
				: property.substring(0, star) + "[" + key + "]" + property.substring(star + 2);
		return PropertyText.canonical(text.name()).equals(PropertyText.canonical(name));
	}

	/** The first part of a name that is unknown; {@code null} for a known property. */
	@Nullable Unknown find(ConfigurationPropertyName name) {
		return find(name, 1, this.root);
	}

	/**
	 * Whether a property is a set of properties or a map.
	 * @param name the full name of the property
	 * @return whether it is
	 */
	public boolean isParent(ConfigurationPropertyName name) {
		Unknown unknown = find(name);
		return unknown != null && unknown.isMissing(name);
	}

	/** The names of the properties in a set; empty for a map. */
	List<String> known(ConfigurationPropertyName name) {
		Unknown unknown = find(name);
		return (unknown != null && unknown.isMissing(name)) ? unknown.known() : List.of();
	}

	private static @Nullable Unknown find(ConfigurationPropertyName name, int element, Node node) {
		boolean ends = element == name.getNumberOfElements();
		boolean index = !ends && name.isNumericIndex(element);
		if (node instanceof Keys keys) {
			return (ends || index) ? new Unknown(element, List.of(), false) : find(name, element + 1, keys.node);
		}
		if (node instanceof Values && index) {
			return find(name, element + 1, new Value());
		}
		if (node instanceof Group group) {
			for (Map.Entry<String, Node> child : group.nodes.entrySet()) {
				if (!ends && uniform(child.getKey()).equals(name.getElement(element, Form.UNIFORM))) {
					return find(name, element + 1, child.getValue());
				}
			}
			return new Unknown(element, List.copyOf(group.nodes.keySet()), false);
		}
		return ends ? null : new Unknown(element, List.of(), node instanceof Values);
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

	}

	/** A part of the tree. */
	sealed interface Node {

	}

	/** A single value. */
	record Value() implements Node {

	}

	/** A list of values. */
	record Values() implements Node {

	}

	/**
	 * A map.
	 *
	 * @param node what is below each key
	 */
	record Keys(Node node) implements Node {

	}

	/**
	 * A set of properties.
	 *
	 * @param nodes the properties by their names
	 */
	record Group(Map<String, Node> nodes) implements Node {

		private void add(List<String> names, String property) {
			String name = names.get(0);
			if (names.size() == 1) {
				this.nodes.put(name, property.endsWith("[]") ? new Values() : new Value());
				return;
			}
			List<String> below = new ArrayList<>(names.subList(1, names.size()));
			boolean map = below.get(0).equals(ANY);
			Node child = this.nodes.computeIfAbsent(name,
					(absent) -> map ? new Keys(new Group(new LinkedHashMap<>())) : new Group(new LinkedHashMap<>()));
			if (child instanceof Keys keys && keys.node instanceof Group group) {
				group.add(below.subList(1, below.size()), property);
			}
			else if (child instanceof Group group) {
				group.add(below, property);
			}
		}

	}

}
