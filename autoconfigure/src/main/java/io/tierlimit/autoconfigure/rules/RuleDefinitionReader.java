package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.tierlimit.RuleDefinition;
import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rules that beans define.
 */
final class RuleDefinitionReader {

	private final Collection<String> keyResolvers;

	private final Problems problems;

	private final Map<String, String> beans = new HashMap<>();

	RuleDefinitionReader(Collection<String> keyResolvers, Problems problems) {
		this.keyResolvers = keyResolvers;
		this.problems = problems;
	}

	/**
	 * The rules that are right.
	 * @param definitions rules by the names of their beans
	 * @param configured the ids of the configuration's rules
	 */
	List<Rule> read(Map<String, RuleDefinition> definitions, Set<String> configured) {
		List<Rule> rules = new ArrayList<>();
		definitions.forEach((bean, definition) -> {
			Rule rule = read(bean, definition, configured);
			if (rule != null) {
				rules.add(rule);
			}
		});
		return rules;
	}

	private @Nullable Rule read(String bean, RuleDefinition definition, Set<String> configured) {
		String id = definition.id();
		UnaryOperator<String> places = (property) -> (property.isEmpty() ? "it" : property)
				+ " in the RuleDefinition bean '" + bean + "'";
		RuleProblems own = new RuleProblems("Rule '" + id + "'", places, this.problems);
		String plain = RuleSetReader.plain(id);
		String other = this.beans.putIfAbsent(plain, bean);
		if (other != null || configured.stream().map(RuleSetReader::plain).anyMatch(plain::equals)) {
			own.add("is defined twice, the other time by "
					+ ((other != null) ? "bean '" + other + "'" : "the configuration"), "Give another id to", "");
			return null;
		}
		checkPlans(definition.plans().keySet(), own);
		PerCallerIds.check(definition, own);
		return new RuleReader(this.keyResolvers, Map.of(), own).read(definition);
	}

	/** In the configuration these would be spellings of one plan. */
	private static void checkPlans(Set<String> plans, RuleProblems problems) {
		Map<String, String> known = new HashMap<>();
		for (String plan : plans) {
			String other = known.putIfAbsent(RuleSetReader.plain(plan), plan);
			if (other != null) {
				problems.add(
						"has the plans '" + other + "' and '" + plan
								+ "', which differ only in dashes, underscores and case",
						"Leave one of them in", "plans");
			}
		}
	}

	/** The bean that defines a rule; {@code null} if none does. */
	@Nullable String beanOf(String id) {
		return this.beans.get(RuleSetReader.plain(id));
	}

}
