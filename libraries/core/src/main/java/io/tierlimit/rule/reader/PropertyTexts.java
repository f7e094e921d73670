package io.tierlimit.rule.reader;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The properties of one rule as strings, by their canonical names. Immutable.
 */
public final class PropertyTexts {

	/** The properties of a limit that is not unlimited. */
	private static final List<String> NUMBERS = List.of("rate", "burst", "limit");

	private static final String UNLIMITED = "unlimited";

	private static final String PLANS = "plans.";

	private final TextSource definer;

	private final Map<String, PropertyText> texts;

	private final List<PropertyText> written;

	/**
	 * Creates the properties of a rule.
	 * @param definer where the rule is defined, and where a missing property can be added
	 * @param properties the properties; a property replaces earlier ones with the same
	 * name
	 */
	public PropertyTexts(TextSource definer, Collection<PropertyText> properties) {
		this(definer, new LinkedHashMap<>(), List.copyOf(properties));
		properties.forEach((property) -> this.texts.put(property.canonical(), property));
	}

	private PropertyTexts(TextSource definer, Map<String, PropertyText> texts, List<PropertyText> written) {
		this.definer = definer;
		this.texts = texts;
		this.written = written;
	}

	/**
	 * Overrides properties. If a plan becomes unlimited, its limit is removed; if it gets
	 * a limit, it is no longer unlimited.
	 * @param others the properties of a source with higher precedence
	 * @return the merged properties
	 */
	public PropertyTexts with(Collection<PropertyText> others) {
		Map<String, PropertyText> merged = new LinkedHashMap<>(this.texts);
		// Removed before the merge, so that a source that sets both is reported.
		others.forEach((other) -> removeOther(other, merged));
		for (PropertyText other : others) {
			merged.put(other.canonical(), other.named(spelled(other)));
		}
		return new PropertyTexts(this.definer, merged, this.written);
	}

	private static void removeOther(PropertyText other, Map<String, PropertyText> merged) {
		String name = other.canonical();
		String parent = name.substring(0, name.lastIndexOf('.') + 1);
		String last = name.substring(parent.length());
		if (!parent.contains(PLANS)) {
			return;
		}
		if (last.equals(UNLIMITED) && other.isTrue()) {
			NUMBERS.forEach((number) -> merged.remove(parent + number));
		}
		else if (NUMBERS.contains(last)) {
			merged.remove(parent + UNLIMITED);
		}
	}

	/** The name of a property, with the key of a map as these properties spell it. */
	private String spelled(PropertyText other) {
		String name = other.canonical();
		String parent = name.substring(0, name.lastIndexOf('.') + 1);
		return !parent.contains(PLANS) ? other.name()
				: this.texts.entrySet()
					.stream()
					.filter((known) -> known.getKey().startsWith(parent))
					.findFirst()
					.map((known) -> known.getValue().name().replaceFirst("\\.[^.]*$", "") + "."
							+ name.substring(parent.length()))
					.orElse(other.name());
	}

	/**
	 * The properties as they are written where the rule is defined, including all
	 * spellings of a name.
	 * @return the properties
	 */
	public List<PropertyText> written() {
		return this.written;
	}

	/**
	 * The properties in their order.
	 * @return the properties
	 */
	public List<PropertyText> all() {
		return List.copyOf(this.texts.values());
	}

	/**
	 * Finds a property.
	 * @param property the name, which may have the index of an element
	 * @return the property, or {@code null} if it is not set
	 */
	public @Nullable PropertyText find(String property) {
		return this.texts.get(PropertyText.canonical(property));
	}

	/**
	 * Whether a group has a property with a value, or a property that code has set.
	 * @param group the name of the group
	 * @return whether it has such a property
	 */
	boolean hasAny(String group) {
		String prefix = PropertyText.canonical(group) + ".";
		return this.texts.entrySet()
			.stream()
			.anyMatch((text) -> text.getKey().startsWith(prefix) && !text.getValue().isUnset());
	}

	/**
	 * The keys of a map, such as the names of plans. If a key has several spellings, the
	 * first one is returned.
	 * @param map the name of the map
	 * @return the keys in their order
	 */
	public Set<String> keys(String map) {
		Map<String, String> spellings = new LinkedHashMap<>();
		for (PropertyText text : this.texts.values()) {
			String key = text.keyOf(map);
			if (key != null) {
				spellings.putIfAbsent(PropertyText.plain(key), key);
			}
		}
		return new LinkedHashSet<>(spellings.values());
	}

	/** Where a property is written, or can be added. */
	TextSource sourceOf(String property) {
		PropertyText text = find(property);
		return (text != null) ? text.source() : this.definer;
	}

	/**
	 * The location of the first property of a rule or plan; {@code null} if it is not
	 * known.
	 */
	@Nullable String origin(String parent) {
		String prefix = parent.isEmpty() ? "" : PropertyText.canonical(parent) + ".";
		for (Map.Entry<String, PropertyText> text : this.texts.entrySet()) {
			String origin = text.getKey().startsWith(prefix) ? text.getValue().source().origin(parent) : null;
			if (origin != null) {
				return origin;
			}
		}
		return this.definer.origin(parent);
	}

	/** The string that messages quote; {@code null} if there is none. */
	@Nullable String quoted(String property) {
		PropertyText text = find(property);
		int index = property.endsWith("]") ? property.lastIndexOf('[') : -1;
		if (text == null || !text.quoted() || (index >= 0) != (text.form() != PropertyText.Form.TEXT)) {
			return null;
		}
		int element = (index < 0) ? 0 : Integer.parseInt(property.substring(index + 1, property.length() - 1));
		return (element < text.texts().size()) ? text.texts().get(element) : null;
	}

}
