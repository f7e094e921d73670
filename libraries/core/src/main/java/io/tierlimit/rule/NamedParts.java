package io.tierlimit.rule;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The notation in which operators write the key of a bucket: the name of each part, a
 * colon, and the value, such as {@code user:alice}.
 */
public final class NamedParts {

	private static final String SEPARATOR = ":";

	private NamedParts() {
	}

	/**
	 * Reads the parts of a key. A value may contain any characters.
	 * @param parts the parts in any order
	 * @param names the names of all parts of the key
	 * @return the values by the names of their parts; {@code null} unless there is
	 * exactly one part for each name
	 */
	public static @Nullable Map<String, String> read(Collection<String> parts, Collection<String> names) {
		Map<String, String> values = new HashMap<>();
		for (String part : parts) {
			// The name of a key resolver may contain a colon.
			String name = names.stream()
				.filter((known) -> part.startsWith(known + SEPARATOR))
				.max(Comparator.comparingInt(String::length))
				.orElse(null);
			if (name == null || values.put(name, part.substring(name.length() + SEPARATOR.length())) != null) {
				return null;
			}
		}
		return values.keySet().containsAll(names) ? values : null;
	}

	/**
	 * Writes a part of a key.
	 * @param name the name of the part
	 * @param value the value of the part
	 * @return the part as {@link #read} reads it
	 */
	public static String write(String name, String value) {
		return name + SEPARATOR + value;
	}

}
