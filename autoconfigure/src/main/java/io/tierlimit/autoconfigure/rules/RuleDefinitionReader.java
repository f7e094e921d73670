package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.RuleDefinition;
import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rules that beans define.
 */
final class RuleDefinitionReader {

	private final BeanNames named;

	private final Amendments amendments;

	private final Problems problems;

	private final Map<String, String> beans = new HashMap<>();

	RuleDefinitionReader(BeanNames named, Amendments amendments, Problems problems) {
		this.named = named;
		this.amendments = amendments;
		this.problems = problems;
	}

	/**
	 * Reads the rules.
	 * @param definitions rules by the names of their beans
	 * @param configured the ids of the rules in the configuration
	 * @return the rules that are valid, and that no source disables
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
		RuleProblems.Source source = (property) -> (property.isEmpty() ? "" : property + " in ")
				+ "the RuleDefinition bean '" + bean + "'";
		RuleProblems own = new RuleProblems("Rule '" + id + "'", this.amendments.places(id, source), this.problems);
		String plain = RuleSetReader.plain(id);
		String other = this.beans.putIfAbsent(plain, bean);
		if (other != null || configured.stream().map(RuleSetReader::plain).anyMatch(plain::equals)) {
			own.add("the rule is also defined by " + ((other != null) ? "bean '" + other + "'" : "the configuration"),
					"Set another id in", "");
			return null;
		}
		RuleDefinition amended = this.amendments.amend(definition, own);
		checkPlans(amended.plans().keySet(), own);
		PerCallerIds.check(amended, own);
		Rule rule = new RuleReader(this.named, Map.of(), own).read(amended);
		return this.amendments.enable(id, true) ? rule : null;
	}

	/** Reports names of plans that are the same in the configuration. */
	private static void checkPlans(Set<String> plans, RuleProblems problems) {
		Map<String, String> known = new HashMap<>();
		for (String plan : plans) {
			String other = known.putIfAbsent(RuleSetReader.plain(plan), plan);
			if (other != null) {
				problems.add(
						"the plans '" + other + "' and '" + plan
								+ "' are the same, because only dashes, underscores and case differ",
						"Remove one of them from", "plans");
			}
		}
	}

	/** The name of the bean that defines a rule; {@code null} if there is none. */
	@Nullable String beanOf(String id) {
		return this.beans.get(RuleSetReader.plain(id));
	}

}
