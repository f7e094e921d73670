package io.tierlimit.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Reads all rules and reports all mistakes together.
 */
final class RuleSetReader {

	private final Collection<String> keyResolvers;

	private final Problems problems;

	RuleSetReader(Collection<String> keyResolvers, Problems problems) {
		this.keyResolvers = keyResolvers;
		this.problems = problems;
	}

	RuleSet read(Map<String, RuleProperties> properties) {
		List<Rule> rules = new ArrayList<>();
		for (String name : this.keyResolvers) {
			if (Scope.BUILT_IN.contains(name)) {
				this.problems.add("The KeyResolver bean '" + name + "' would never be asked: that scope is built in",
						"Rename the bean, and name it in the scopes of",
						ConfigurationPropertyName.of("tierlimit.rules"));
			}
		}
		spelledOnce(properties).forEach((id, rule) -> {
			Rule read = new RuleReader(id, rule, this.keyResolvers, this.problems).read();
			if (read != null) {
				rules.add(read);
			}
		});
		this.problems.report();
		return new RuleSet(rules);
	}

	/**
	 * Names that are equal but for dashes and case are one. An environment variable can't
	 * spell either, so the other spelling is the operator's; the values under each are
	 * the same, because the binder finds them in every spelling.
	 */
	static <T> Map<String, T> spelledOnce(Map<String, T> properties) {
		Map<String, String> spellings = new LinkedHashMap<>();
		for (String name : properties.keySet()) {
			String plain = name.replace("-", "").toLowerCase(Locale.ROOT);
			spellings.merge(plain, name, (first, second) -> first.equals(plain) ? second : first);
		}
		Map<String, T> once = new LinkedHashMap<>();
		properties.forEach((name, value) -> {
			if (spellings.containsValue(name)) {
				once.put(name, value);
			}
		});
		return once;
	}

}
