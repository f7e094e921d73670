package io.tierlimit.autoconfigure.environment;

import java.util.HashMap;
import java.util.Map;

import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyText;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.env.EnumerablePropertySource;

/**
 * Finds ids of rules, and names of plans, that one source has in two spellings. Both are
 * the same name, so one value would be dropped without a message. Another source may use
 * another spelling to override a value.
 */
public final class DuplicateSpellings {

	private static final ConfigurationPropertyName RULES = ConfigurationPropertyName.of("tierlimit.rules");

	private final PropertyOrigins places;

	private final Problems problems;

	/**
	 * Creates a check.
	 * @param places the places of all properties
	 * @param problems collects the problems
	 */
	public DuplicateSpellings(PropertyOrigins places, Problems problems) {
		this.places = places;
		this.problems = problems;
	}

	/**
	 * Reports the spellings.
	 */
	public void check() {
		this.places.files().forEach(this::check);
	}

	private void check(EnumerablePropertySource<?> source) {
		Map<String, Spelling> known = new HashMap<>();
		for (String property : source.getPropertyNames()) {
			ConfigurationPropertyName name = ConfigurationPropertyName.adapt(property, '.');
			Spelling rule = RULES.isAncestorOf(name) ? spelling("Rules", "rule", name, 2, property) : null;
			if (rule != null && check(source, known, rule) && name.getNumberOfElements() > 4
					&& name.getElement(3, Form.UNIFORM).equals("plans")) {
				check(source, known, spelling("Rule '" + rule.text() + "': plans", "plan", name, 4, property));
			}
		}
	}

	private static Spelling spelling(String subject, String kind, ConfigurationPropertyName name, int element,
			String property) {
		String text = name.getElement(element, Form.ORIGINAL);
		String parent = name.chop(element).toString();
		return new Spelling(subject, kind, PropertyText.plain(parent) + "/" + PropertyText.plain(text), text, property);
	}

	/** Whether the source has the name in no other spelling; reports it otherwise. */
	private boolean check(EnumerablePropertySource<?> source, Map<String, Spelling> known, Spelling spelling) {
		@Nullable Spelling other = known.putIfAbsent(spelling.plain(), spelling);
		if (other == null || other.text().equals(spelling.text())) {
			return true;
		}
		if (known.put(spelling.plain() + spelling.text(), spelling) == null) {
			this.problems.add(
					spelling.subject() + " '" + other.text() + "' and '" + spelling.text() + "' are the same "
							+ spelling.kind() + ", because only dashes, underscores and case differ",
					"Merge them, or rename one:", other.property() + this.places.describe(source, other.property())
							+ " and " + spelling.property() + this.places.describe(source, spelling.property()));
		}
		return false;
	}

	private record Spelling(String subject, String kind, String plain, String text, String property) {

	}

}
