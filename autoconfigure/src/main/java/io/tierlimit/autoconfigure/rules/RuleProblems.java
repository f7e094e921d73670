package io.tierlimit.autoconfigure.rules;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.tierlimit.key.CallerExpression;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/**
 * Collects the problems of one rule, wherever the rule is written.
 */
final class RuleProblems {

	private static final Pattern ACTUAL = Pattern.compile(" \\(was .*\\)$");

	private static final String PLANS = "plans.";

	private final String owner;

	private final Source source;

	private final Problems problems;

	/** The invalid properties of groups. */
	private final Map<String, Set<String>> groups = new HashMap<>();

	private final Set<String> invalid;

	/**
	 * Creates an empty collection.
	 * @param owner the rule, as a message begins
	 * @param source where the rule is written
	 * @param problems collects the problems of all rules
	 */
	RuleProblems(String owner, Source source, Problems problems) {
		this(owner, source, problems, new HashSet<>());
	}

	private RuleProblems(String owner, Source source, Problems problems, Set<String> invalid) {
		this.owner = owner;
		this.source = source;
		this.problems = problems;
		this.invalid = invalid;
	}

	/**
	 * The problems of a group of properties, whose names are relative to the group.
	 * @param group the name of the group
	 */
	RuleProblems below(String group) {
		return new RuleProblems(this.owner + ", " + group, new Group(group, this.source), this.problems,
				this.groups.computeIfAbsent(group, (name) -> new HashSet<>()));
	}

	/**
	 * Adds a problem.
	 * @param problem the problem, which continues the name of the rule, without a full
	 * stop
	 * @param fix the fix, such as {@code Correct}; see {@link Problems#add}
	 * @param property the property's name; empty for the rule as a whole
	 */
	void add(String problem, String fix, String property) {
		this.invalid.add(property);
		this.problems.add(owner(property) + problem, fix, this.source.location(property));
	}

	/** Adds that a rule or plan has no rate, with the place of its first property. */
	void addMissingRate(String property) {
		this.invalid.add(property);
		String parent = property.substring(0, Math.max(0, property.lastIndexOf('.')));
		String first = this.source.origin(parent);
		String subject = owner(property).replaceAll(":? $", "");
		this.problems.add(subject + ((first != null) ? " (" + first + ")" : "") + " has no rate",
				"Set {} to permits per period, such as 10/s", this.source.location(property));
	}

	/**
	 * Whether a problem with a property was added, so that its value is missing.
	 * @param property the property's name
	 */
	boolean has(String property) {
		return this.invalid.contains(property);
	}

	/** Whether a problem was added. */
	boolean hasAny() {
		return !this.invalid.isEmpty();
	}

	/**
	 * Whether the user has written a value.
	 * @param property the property's name
	 * @return whether it has a text; {@code false} for rules in code
	 */
	boolean isWritten(String property) {
		String text = this.source.text(property);
		return text != null && !text.isBlank();
	}

	/**
	 * Adds a property, or a list, that is written without a value.
	 * @param property the property's name
	 */
	void addEmpty(String property) {
		for (String name : List.of(property, property + "[0]")) {
			String text = this.source.text(name);
			if (text != null && text.isBlank()) {
				add(property + " is empty, so the rule would apply to other requests or callers than intended",
						"Set a value, or remove", name);
			}
		}
	}

	/**
	 * Adds a name that begins or ends with a blank. Without the blank, it may be the name
	 * of another caller.
	 * @param property the property's name
	 * @return whether it was added
	 */
	boolean addOuterBlank(String property) {
		String text = this.source.text(property);
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
	String written(String property, Object value) {
		String text = this.source.text(property);
		return (text != null && !text.isBlank()) ? "'" + text.strip() + "'" : String.valueOf(value);
	}

	/**
	 * Adds a warning, which does not stop startup.
	 * @param problem the possible problem, without a full stop
	 * @param fix the fix
	 * @param property the property's name; empty for the rule as a whole
	 */
	void warn(String problem, String fix, String property) {
		this.problems.warn(owner(property) + problem, fix, this.source.location(property));
	}

	/**
	 * Parses an expression and checks it against the types of a method's arguments.
	 * @param parsing parses it
	 * @param arguments the types by the names of the arguments
	 * @return the expression, or {@code null} if it is not valid, which is added
	 */
	@Nullable CallerExpression expression(String property, Supplier<CallerExpression> parsing,
			Map<String, ResolvableType> arguments) {
		return attempt(property, () -> {
			CallerExpression expression = parsing.get();
			expression.check(arguments)
				.forEach((doubt) -> warn(property + " fails unless the value is of a subclass: " + doubt, "Correct",
						property));
			return expression;
		});
	}

	/**
	 * Reads a value.
	 * @return the value, or {@code null} if it is not valid, which is added
	 */
	<T> @Nullable T attempt(String property, Supplier<T> reading) {
		try {
			return reading.get();
		}
		catch (IllegalArgumentException ex) {
			String message = String.valueOf(ex.getMessage());
			String text = this.source.text(property);
			add((text != null) ? withText(message, text) : message, "Correct", property);
			return null;
		}
	}

	/**
	 * Replaces the value at the end of a message by the text that the user wrote:
	 * {@code (was PT0S)} by {@code (was '10/0s')}.
	 */
	static String withText(String message, String text) {
		return ACTUAL.matcher(message).replaceFirst(Matcher.quoteReplacement(" (was '" + text.strip() + "')"));
	}

	private String owner(String property) {
		int end = property.lastIndexOf('.');
		boolean ofPlan = property.startsWith(PLANS) && end > PLANS.length();
		return this.owner + (ofPlan ? ", plan '" + property.substring(PLANS.length(), end) + "'" : "") + ": ";
	}

	/**
	 * Where a group of properties is written.
	 *
	 * @param name the name of the group
	 * @param source where the rule is written
	 */
	private record Group(String name, Source source) implements Source {

		private String of(String property) {
			return property.isEmpty() ? this.name : this.name + "." + property;
		}

		@Override
		public String location(String property) {
			return this.source.location(of(property));
		}

		@Override
		public @Nullable String origin(String property) {
			return this.source.origin(of(property));
		}

		@Override
		public @Nullable String text(String property) {
			return property.isEmpty() ? null : this.source.text(of(property));
		}

	}

	/**
	 * Where a rule is written.
	 */
	interface Source {

		/**
		 * A property and its place, as a fix names it.
		 * @param property the property's name, with an index for an element of a list;
		 * empty for the rule as a whole
		 */
		String location(String property);

		/**
		 * The place of the first property of a rule or plan.
		 * @param property empty for the rule; {@code plans.} and a name for a plan
		 */
		default @Nullable String origin(String property) {
			return null;
		}

		/** The text of a property; {@code null} if the rule is written in code. */
		default @Nullable String text(String property) {
			return null;
		}

	}

}
