package io.tierlimit.rule.reader;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A property of a rule, with its value as one or more strings.
 *
 * @param name the name as the source spells it, without the index of an element
 * @param form whether the value is one string or a list
 * @param texts the string, or the elements of the list
 * @param source where the property is written
 * @param quoted whether messages quote the string; false if code has created the string
 * from a value
 */
public record PropertyText(String name, Form form, List<String> texts, TextSource source, boolean quoted) {

	/**
	 * The name of a map, a key, and the name of a property. The key is in brackets, or
	 * contains neither dots nor brackets.
	 */
	private static final Pattern KEYED = Pattern.compile("(.*?)(?:\\.?\\[(.*)]|\\.([^.\\[\\]]+))\\.[^.\\[\\]]+");

	private static final String INDEX = "[]";

	private static final Pattern ELEMENT = Pattern.compile("(.+)\\[(\\d{1,9})]");

	/**
	 * Creates a property.
	 */
	public PropertyText {
		texts = List.copyOf(texts);
	}

	/**
	 * Creates a property with one string.
	 * @param name the name
	 * @param text the string; the elements of a list are separated by commas
	 * @param source where it is written
	 * @return the property
	 */
	public static PropertyText of(String name, String text, TextSource source) {
		return new PropertyText(name, Form.TEXT, List.of(text), source, true);
	}

	/**
	 * Creates a list.
	 * @param name the name
	 * @param elements the elements
	 * @param source where it is written
	 * @return the property
	 */
	public static PropertyText list(String name, List<String> elements, TextSource source) {
		return new PropertyText(name, Form.LIST, elements, source, true);
	}

	/**
	 * Creates properties from names and strings. A list is one string, or has elements:
	 * {@code scope[0]}, {@code scope[1]} and so on.
	 * @param properties the strings by their names
	 * @param source where they are written
	 * @param quoted whether messages quote the strings
	 * @return the properties
	 */
	public static List<PropertyText> of(Map<String, String> properties, TextSource source, boolean quoted) {
		List<PropertyText> single = new ArrayList<>();
		Map<String, Map<Integer, String>> lists = new LinkedHashMap<>();
		properties.forEach((name, text) -> {
			Matcher element = ELEMENT.matcher(name);
			if (element.matches() && !element.group(1).endsWith(".")) {
				lists.computeIfAbsent(element.group(1), (list) -> new TreeMap<>())
					.put(Integer.valueOf(element.group(2)), text);
			}
			else {
				single.add(new PropertyText(name, Form.TEXT, List.of(text), source, quoted));
			}
		});
		lists.forEach((name, elements) -> {
			boolean gap = !elements.containsKey(elements.size() - 1);
			single.add(new PropertyText(name, gap ? Form.LIST_WITH_GAP : Form.LIST, List.copyOf(elements.values()),
					source, quoted));
		});
		return single;
	}

	/**
	 * The form of a name that is equal for all spellings of a property: in lower case,
	 * without dashes, underscores, brackets and the index of an element.
	 * @param name the name
	 * @return the canonical name
	 */
	public static String canonical(String name) {
		String plain = plain(name);
		boolean brackets = plain.indexOf('[') >= 0 || plain.indexOf(']') >= 0;
		return brackets ? plain.replaceFirst("\\[\\d{1,9}]$", "").replace(".[", ".").replace('[', '.').replace("]", "")
				: plain;
	}

	/**
	 * Converts an id or a word to lower case, without dashes and underscores.
	 * @param word the word
	 * @return the plain form
	 */
	public static String plain(String word) {
		return word.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
	}

	/**
	 * The key of a map in the name of this property, such as the name of a plan.
	 * @param map the name of the map
	 * @return the key as the source spells it, or {@code null} if the property is not in
	 * the map
	 */
	@Nullable String keyOf(String map) {
		Matcher keyed = KEYED.matcher(this.name);
		if (!keyed.matches() || !canonical(keyed.group(1)).equals(canonical(map))) {
			return null;
		}
		return (keyed.group(2) != null) ? keyed.group(2) : keyed.group(3);
	}

	/**
	 * Whether a reader reads this property. Code may have set {@code unlimited} for a
	 * limit that is not the limit of a plan: this property is also read, and its reader
	 * reports it.
	 * @param properties the names that are read: {@code *} stands for any key of a map,
	 * and {@code []} at the end marks a list
	 * @return whether one of them is the name of this property
	 */
	public boolean isOneOf(Collection<String> properties) {
		boolean single = this.form == Form.TEXT;
		return (!this.quoted && List.of("unlimited", "candidate.unlimited").contains(canonical()))
				|| properties.stream()
					.filter((property) -> single || property.endsWith(INDEX))
					.anyMatch((property) -> isNamed(property.replace(INDEX, "")));
	}

	private boolean isNamed(String property) {
		int star = property.indexOf(".*.");
		String key = (star < 0) ? null : keyOf(property.substring(0, star));
		return canonical().equals(canonical((key == null) ? property
				: property.substring(0, star) + "[" + key + "]" + property.substring(star + 2)));
	}

	/** The same property with another spelling of its name. */
	PropertyText named(String spelling) {
		return new PropertyText(spelling, this.form, this.texts, this.source, this.quoted);
	}

	/** The canonical name. */
	String canonical() {
		return canonical(this.name);
	}

	/** Whether the string, or the first element of the list, is blank. */
	boolean isBlank() {
		return !this.texts.isEmpty() && this.texts.get(0).isBlank();
	}

	/**
	 * Whether the value in a source is blank. A blank value that code has set is not
	 * treated as unset.
	 */
	boolean isUnset() {
		return this.quoted && this.texts.stream().allMatch(String::isBlank);
	}

	/** Whether the value is true. */
	boolean isTrue() {
		try {
			return !this.texts.isEmpty()
					&& Boolean.TRUE.equals(PropertyReader.convert(this.texts.get(0), Boolean.class));
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	/** The form of a value. */
	public enum Form {

		/** One string. */
		TEXT,
		/** Elements. */
		LIST,
		/** Elements with gaps in their numbers. */
		LIST_WITH_GAP

	}

}
