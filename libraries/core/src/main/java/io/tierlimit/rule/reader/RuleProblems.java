package io.tierlimit.rule.reader;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Collects the problems of one rule, wherever the rule is written.
 */
public final class RuleProblems {

	private static final Pattern ACTUAL = Pattern.compile(" \\(was .*\\)$");

	private static final String PLANS = "plans.";

	private final String rule;

	/** The rule, and the group if there is one. */
	private final String owner;

	/**
	 * The name of a group with a dot, to which names are relative; empty for the rule.
	 */
	private final String group;

	private final PropertyTexts texts;

	private final Problems problems;

	/** The invalid properties, by their names without the group. */
	private final Set<String> invalid;

	/**
	 * Creates an empty collection.
	 * @param owner the rule, as a message begins
	 * @param texts the rule
	 * @param problems collects the problems of all rules
	 */
	public RuleProblems(String owner, PropertyTexts texts, Problems problems) {
		this(owner, owner, "", texts, problems, new HashSet<>());
	}

	private RuleProblems(String rule, String owner, String group, PropertyTexts texts, Problems problems,
			Set<String> invalid) {
		this.rule = rule;
		this.owner = owner;
		this.group = group;
		this.texts = texts;
		this.problems = problems;
		this.invalid = invalid;
	}

	/** The problems of a group of properties, whose names are relative to the group. */
	RuleProblems below(String name) {
		return new RuleProblems(this.rule, this.owner + ", " + name, name + ".", this.texts, this.problems,
				this.invalid);
	}

	private String full(String property) {
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
	 * @param problem the problem, which continues the name of the rule, without a full
	 * stop
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
	 * Adds that a rule or plan has no rate, with the place of its first property.
	 * @param property the name of the rate
	 * @param reason why the rate is required, as the end of a sentence; may be empty
	 * @param alternative what else can be done, as the end of a sentence; may be empty
	 */
	void addMissingRate(String property, String reason, String alternative) {
		this.invalid.add(full(property));
		String parent = full(property).substring(0, Math.max(0, full(property).lastIndexOf('.')));
		String first = this.texts.origin(parent);
		String subject = owner(property).replaceAll(":? $", "");
		this.problems.add(subject + ((first != null) ? " (" + first + ")" : "") + " has no rate" + reason,
				"Set {} to permits per period, such as 10/s" + alternative, location(property));
	}

	/**
	 * Whether a problem with a property was added, so that its value is missing.
	 * @param property the property's name
	 * @return whether it was
	 */
	public boolean has(String property) {
		return this.invalid.contains(full(property));
	}

	/**
	 * Whether a problem was added.
	 * @return whether there is any, in the group if there is one
	 */
	public boolean hasAny() {
		return this.invalid.stream().anyMatch((property) -> (property + ".").startsWith(this.group));
	}

	/**
	 * Adds a property, or a list, that is written without a value.
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
	 * Adds a name that begins or ends with a blank. Without the blank, it may be the name
	 * of another caller.
	 * @param property the property's name
	 * @return whether it was added
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
	 * @param value its value, for rules in code
	 * @return the text in quotes, or the value
	 */
	public String written(String property, Object value) {
		String text = quoted(property);
		return (text != null && !text.isBlank()) ? "'" + text.strip() + "'" : String.valueOf(value);
	}

	/**
	 * Adds a warning, which does not stop startup.
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
	 * @param reading reads it
	 * @return the value, or {@code null} if it is not valid, which is added
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
	 * Replaces the value at the end of a message by the text that the user wrote:
	 * {@code (was PT0S)} by {@code (was '10/0s')}.
	 * @param message the message
	 * @param text the text
	 * @return the message with the text
	 */
	public static String withText(String message, String text) {
		return ACTUAL.matcher(message).replaceFirst(Matcher.quoteReplacement(" (was '" + text.strip() + "')"));
	}

	private String owner(String property) {
		int end = property.lastIndexOf('.');
		boolean ofPlan = property.startsWith(PLANS) && end > PLANS.length();
		return this.owner + (ofPlan ? ", plan '" + property.substring(PLANS.length(), end) + "'" : "") + ": ";
	}

}
