package io.tierlimit.rule.reader;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Collects the problems of one rule, for every kind of source.
 *
 * @param rule the rule, as the beginning of messages
 * @param group the name of a group, followed by a dot; names of properties are relative
 * to it. Empty for the rule itself
 * @param texts the properties of the rule
 * @param problems collects the problems of all rules
 * @param invalid the full names of the properties that are not valid
 */
public record RuleProblems(String rule, String group, PropertyTexts texts, Problems problems, Set<String> invalid) {

	private static final Pattern ACTUAL = Pattern.compile(" \\(was .*\\)$");

	private static final String PLANS = "plans.";

	/**
	 * Creates an empty collection.
	 * @param rule the rule, as the beginning of messages
	 * @param texts the properties of the rule
	 * @param problems collects the problems of all rules
	 */
	public RuleProblems(String rule, PropertyTexts texts, Problems problems) {
		this(rule, "", texts, problems, new HashSet<>());
	}

	/**
	 * The problems of a group of properties. Names of properties are then relative to the
	 * group.
	 */
	RuleProblems below(String name) {
		return new RuleProblems(this.rule, this.group + name + ".", this.texts, this.problems, this.invalid);
	}

	/** The full name of a property. Empty for the rule as a whole. */
	String full(String property) {
		boolean ofGroup = property.isEmpty() && !this.group.isEmpty();
		return ofGroup ? this.group.substring(0, this.group.length() - 1) : this.group + property;
	}

	private String location(String property) {
		String full = full(property);
		return this.texts.sourceOf(full).location(full);
	}

	private @Nullable String quoted(String property) {
		return property.isEmpty() ? null : this.texts.quoted(full(property));
	}

	/**
	 * Adds a problem.
	 * @param problem the problem, as the end of a sentence that begins with the rule,
	 * without a full stop
	 * @param fix the fix, such as {@code Correct}; see {@link Problems#add}
	 * @param property the property's name; empty for the rule as a whole
	 */
	public void add(String problem, String fix, String property) {
		this.invalid.add(full(property));
		this.problems.add(owner(property) + problem, fix, location(property));
	}

	/** Adds a value that cannot be converted, with the full name of its property. */
	void addInvalid(String property, String requirement) {
		if (this.invalid.add(full(property))) {
			this.problems.add(this.rule + ": " + full(property) + " " + requirement, "Correct", location(property));
		}
	}

	/**
	 * Adds the problem that a rule or plan has no rate or limit, with the location of its
	 * first property.
	 * @param property the name of the rate or limit
	 * @param reason why the property is required, as the end of a sentence; may be empty
	 * @param value the value to set, as the end of a sentence, with other fixes
	 */
	void addMissingLimit(String property, String reason, String value) {
		this.invalid.add(full(property));
		String parent = full(property).substring(0, Math.max(0, full(property).lastIndexOf('.')));
		String first = this.texts.origin(parent);
		String subject = owner(property).replaceAll(":? $", "");
		this.problems.add(
				subject + ((first != null) ? " (" + first + ")" : "") + " has no "
						+ property.substring(property.lastIndexOf('.') + 1) + reason,
				"Set {} to " + value, location(property));
	}

	/**
	 * Whether a problem with a property was added, so that its value is missing.
	 * @param property the property's name
	 * @return whether such a problem was added
	 */
	public boolean has(String property) {
		return this.invalid.contains(full(property));
	}

	/**
	 * Whether a problem was added.
	 * @return whether the rule, or the group, has a problem
	 */
	public boolean hasAny() {
		return this.invalid.stream().anyMatch((property) -> (property + ".").startsWith(this.group));
	}

	/**
	 * Adds a problem if a property or a list is written without a value.
	 * @param property the property's name
	 */
	public void addEmpty(String property) {
		PropertyText text = this.texts.find(full(property));
		if (text != null && text.quoted() && text.isBlank()) {
			add(property + " is empty, so the rule would apply to other requests or callers than intended",
					"Set a value, or remove", (text.form() == PropertyText.Form.TEXT) ? property : property + "[0]");
		}
	}

	/**
	 * Adds a problem if a name begins or ends with a blank. The name without the blank
	 * may be the name of another caller.
	 * @param property the property's name
	 * @return whether a problem was added
	 */
	public boolean addOuterBlank(String property) {
		String text = quoted(property);
		if (text == null || text.isBlank() || text.equals(text.strip())) {
			return false;
		}
		add(property + " must not begin or end with a blank (was '" + text + "')", "Correct", property);
		return true;
	}

	/**
	 * The value of a property as the user wrote it.
	 * @param property the property's name
	 * @param value the value of the property, which is used for rules in code
	 * @return the written string in quotes, or the value
	 */
	public String written(String property, Object value) {
		String text = quoted(property);
		return (text != null && !text.isBlank()) ? "'" + text.strip() + "'" : String.valueOf(value);
	}

	/**
	 * Adds a warning, with which startup does not fail.
	 * @param problem the possible problem, without a full stop
	 * @param fix the fix
	 * @param property the property's name; empty for the rule as a whole
	 */
	public void warn(String problem, String fix, String property) {
		this.problems.warn(owner(property) + problem, fix, location(property));
	}

	/**
	 * Reads a value.
	 * @param <T> the type of the value
	 * @param property the property's name
	 * @param reading reads the value
	 * @return the value, or {@code null} if it is not valid: the problem was added
	 */
	public <T> @Nullable T attempt(String property, Supplier<T> reading) {
		try {
			return reading.get();
		}
		catch (IllegalArgumentException ex) {
			String message = String.valueOf(ex.getMessage());
			String text = quoted(property);
			add((text != null) ? withText(message, text) : message, "Correct", property);
			return null;
		}
	}

	/**
	 * Replaces the value at the end of a message by the string that the user wrote:
	 * {@code (was PT0S)} by {@code (was '10/0s')}.
	 * @param message the message
	 * @param text the string
	 * @return the message with the string
	 */
	public static String withText(String message, String text) {
		return ACTUAL.matcher(message).replaceFirst(Matcher.quoteReplacement(" (was '" + text.strip() + "')"));
	}

	private String owner(String property) {
		int end = property.lastIndexOf('.');
		boolean ofPlan = property.startsWith(PLANS) && end > PLANS.length();
		String owner = this.rule + (this.group.isEmpty() ? "" : ", " + full(""));
		return owner + (ofPlan ? ", plan '" + property.substring(PLANS.length(), end) + "'" : "") + ": ";
	}

}
