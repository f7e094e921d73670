package io.tierlimit;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Properties as strings, in the order in which they were set. Immutable.
 */
final class DefinitionTexts {

	static final DefinitionTexts EMPTY = new DefinitionTexts(Map.of());

	private final Map<String, String> texts;

	private DefinitionTexts(Map<String, String> texts) {
		this.texts = Collections.unmodifiableMap(texts);
	}

	/**
	 * Sets a property. The value replaces an earlier value of the property, even if the
	 * name was spelled differently. An element of a list replaces the same element, or a
	 * list that was set as one string.
	 */
	DefinitionTexts set(String name, String text) {
		boolean element = name.endsWith("]");
		Map<String, String> changed = new LinkedHashMap<>(this.texts);
		changed.keySet()
			.removeIf((other) -> canonical(other).equals(canonical(name))
					&& (!element || !other.endsWith("]") || plain(other).equals(plain(name))));
		changed.put(name, text);
		return new DefinitionTexts(changed);
	}

	DefinitionTexts set(String name, Enum<?> constant) {
		return set(name, constant.name().toLowerCase(Locale.ROOT).replace('_', '-'));
	}

	/** Sets a list, which replaces an earlier one. */
	DefinitionTexts list(String name, Iterable<String> elements) {
		Map<String, String> changed = new LinkedHashMap<>(this.texts);
		changed.keySet().removeIf((other) -> canonical(other).equals(canonical(name)));
		int index = 0;
		for (String element : elements) {
			changed.put(name + "[" + index + "]", element);
			index++;
		}
		return new DefinitionTexts(changed);
	}

	/** Sets the properties of a group. Their names are relative to the prefix. */
	DefinitionTexts group(String prefix, DefinitionTexts group) {
		DefinitionTexts changed = this;
		for (Map.Entry<String, String> text : group.texts.entrySet()) {
			changed = changed.set(prefix + text.getKey(), text.getValue());
		}
		return changed;
	}

	/** Sets the limit of a plan, which replaces an earlier one. */
	DefinitionTexts plan(String name, DefinitionTexts limit) {
		String prefix = "plans[" + name + "].";
		Map<String, String> others = new LinkedHashMap<>(this.texts);
		others.keySet().removeIf((other) -> other.startsWith(prefix));
		return new DefinitionTexts(others).group(prefix, limit.orBlank("rate"));
	}

	/**
	 * Returns these properties, or one blank property if there are none, so that startup
	 * reports the empty group.
	 */
	DefinitionTexts orBlank(String name) {
		return this.texts.isEmpty() ? set(name, "") : this;
	}

	Map<String, String> asMap() {
		return this.texts;
	}

	/**
	 * Writes a share as a percentage, even if the share is not valid.
	 * @param share the share, where 1 is 100%
	 */
	static String percentage(double share) {
		return (Double.isFinite(share) ? BigDecimal.valueOf(share).movePointRight(2).toPlainString() : share) + "%";
	}

	/**
	 * A form of the name that is equal for all spellings of a property, and for all
	 * elements of a list.
	 */
	private static String canonical(String name) {
		return plain(name.replaceFirst("\\[\\d+]$", ""));
	}

	private static String plain(String name) {
		return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
	}

}
