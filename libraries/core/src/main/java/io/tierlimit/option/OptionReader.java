package io.tierlimit.option;

import java.util.Collection;
import java.util.List;

import io.tierlimit.rule.OptionValue;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads one option of rules, from every kind of source. The properties of the option are
 * read only here.
 */
public interface OptionReader {

	/**
	 * The properties of the option, relative to the rule.
	 * @return names such as {@code ban.after}; the name of a list ends with {@code []},
	 * and {@code *} stands for any key of a map
	 */
	List<String> properties();

	/**
	 * Reads the option of a rule, and reports its problems.
	 * @param properties the properties of the rule
	 * @param rule the rule without its options
	 * @return the value; {@code null} if the rule does not have the option, or has
	 * problems
	 */
	@Nullable OptionValue read(PropertyReader properties, RuleContext rule);

	/**
	 * Reports values of several rules that contradict each other.
	 * @param rules all rules
	 * @param problems collects the problems
	 */
	default void check(Collection<Rule> rules, Problems problems) {
	}

}
