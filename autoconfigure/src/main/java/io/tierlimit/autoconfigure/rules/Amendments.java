package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.RuleDefinition;
import io.tierlimit.evaluation.ModeInForce;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.RuleSource;
import org.jspecify.annotations.Nullable;

import org.springframework.core.env.Environment;

/**
 * The properties of rule sources. They add rules, and change rules that the
 * configuration, beans and annotations define. Ids, plans and properties are the same if
 * only dashes, underscores and case differ, as in the configuration.
 */
final class Amendments {

	private static final Pattern NAME = Pattern
		.compile("[\\w-]{1,100}+(\\.?\\[[^\\[\\]]{1,100}+\\]|\\.[\\w-]{1,100}+){0,5}+");

	/** The amendments without any source. */
	static final Amendments NONE = new Amendments(Map.of(), null);

	private final Map<String, Amendment> amendments;

	private final @Nullable ModeInForce mode;

	private Amendments(Map<String, Amendment> amendments, @Nullable ModeInForce mode) {
		this.amendments = amendments;
		this.mode = mode;
	}

	/**
	 * Merges the properties of all sources. A rule whose properties have not changed is
	 * not bound again: with many rules, binding takes most of the time of a reload.
	 * @param sources what the sources have returned, the first of which overrides all
	 * others
	 * @param before the amendments of the last reading
	 * @param environment converts values
	 * @param problems collects names and values that are not valid
	 */
	static Amendments of(List<SourceProperties> sources, Amendments before, Environment environment,
			Problems problems) {
		Map<String, Amendment.Builder> merged = new LinkedHashMap<>();
		List<SourceProperties.Property> ofAll = new ArrayList<>();
		for (SourceProperties source : sources) {
			Map<String, Amendment.Builder> own = new LinkedHashMap<>();
			for (SourceProperties.Property property : source.properties()) {
				if (!isValid(property, problems)) {
					continue;
				}
				if (property.rule().equals(RuleSource.ALL)) {
					ofAll.add(property);
				}
				else {
					own.computeIfAbsent(RuleSetReader.plain(property.rule()),
							(plain) -> new Amendment.Builder(property.rule()))
						.add(property, problems);
				}
			}
			own.forEach((plain, rule) -> merged.merge(plain, rule, Amendment.Builder::overriding));
		}
		Map<String, Amendment> amendments = new LinkedHashMap<>();
		merged.forEach((plain, rule) -> amendments.put(plain,
				rule.build(before.amendments.get(plain), environment, problems)));
		ModeInForce mode = ofAll.isEmpty() ? null
				: Amendment.bind(ofAll.subList(0, 1), "tierlimit.", environment, problems).modeInForce();
		return new Amendments(amendments, mode);
	}

	private static boolean isValid(SourceProperties.Property property, Problems problems) {
		String rule = "Rule '" + property.rule() + "': ";
		boolean ofAll = property.rule().equals(RuleSource.ALL);
		if (ofAll && !property.name().equals("mode")) {
			problems.add(
					"'*' of " + property.place() + " sets " + property.name()
							+ ", but only mode can be set for all rules",
					"Set it for single rules, and remove it in", property.place());
			return false;
		}
		if (!ofAll && !Rule.isId(property.rule())) {
			problems.add(rule + Rule.ID_REQUIREMENT, "Correct", property.place());
			return false;
		}
		if (!NAME.matcher(property.name()).matches()) {
			problems.add(rule + "'" + property.name() + "' is not the name of a property", "Correct", property.place());
			return false;
		}
		if (property.value().contains("${")) {
			problems.add(rule + property.name() + " must not have a placeholder (was '" + property.value() + "')",
					"Write the value in", property.place());
			return false;
		}
		return true;
	}

	/** The mode of all rules; {@code null} if no source sets it. */
	@Nullable ModeInForce mode() {
		return this.mode;
	}

	/** The properties of each rule. */
	Collection<Amendment> all() {
		return this.amendments.values();
	}

	/** The properties of rules that are not defined elsewhere. */
	List<Amendment> except(Stream<String> defined) {
		Set<String> known = defined.map(RuleSetReader::plain).collect(Collectors.toSet());
		return this.amendments.entrySet()
			.stream()
			.filter((amendment) -> !known.contains(amendment.getKey()))
			.map(Map.Entry::getValue)
			.toList();
	}

	/** What the sources set for a rule; {@code null} if they set nothing. */
	@Nullable Amendment of(String id) {
		return this.amendments.get(RuleSetReader.plain(id));
	}

	/** Whether a source sets a property of a rule. */
	boolean set(String id, String property) {
		Amendment amendment = of(id);
		return amendment != null && amendment.sets(property);
	}

	/**
	 * Whether a rule is enabled.
	 * @param enabled whether its definition enables it
	 */
	boolean enable(String id, boolean enabled) {
		Amendment amendment = of(id);
		return (amendment != null) ? amendment.enable(enabled) : enabled;
	}

	/** Sets the properties of the sources in a definition. */
	RuleDefinition amend(RuleDefinition definition, RuleProblems problems) {
		Amendment amendment = of(definition.id());
		return (amendment != null) ? amendment.amend(definition, new RuleTexts(problems)) : definition;
	}

	/**
	 * The places of a rule: that of a source for a property that the source sets,
	 * otherwise the given one.
	 */
	RuleProblems.Source places(String id, RuleProblems.Source defined) {
		Amendment amendment = of(id);
		return (amendment != null) ? amendment.places(defined) : defined;
	}

}
