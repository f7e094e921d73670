package io.tierlimit.spi;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A source of rules that can change while the application runs, such as a table or a
 * configuration service. A bean of this type is read at startup, and again whenever the
 * rules are reloaded.
 * <p>
 * A source has the properties of the configuration below {@code tierlimit.rules}. It adds
 * rules, and it overrides single properties of rules that the configuration, beans and
 * annotations define. It may also have overrides of single callers. Of several sources,
 * the first in the order of the beans has the highest precedence. If the rules of all
 * sources are not valid together, or a source cannot be read, the previous rules remain
 * in force.
 */
@FunctionalInterface
public interface RuleSource {

	/**
	 * The id that means all rules. Its only property is {@code mode}.
	 */
	String ALL = "*";

	/**
	 * Reads all properties. Of all threads that serve requests, only that of a reload by
	 * the management endpoint calls this method, so it may block.
	 * @return the properties of each rule by its id. The names and values are those of
	 * the configuration, such as {@code rate} and {@code plans.pro.rate}; a list is one
	 * text with commas. Without {@code null}; a blank value is treated as in the
	 * configuration. Placeholders are not supported. The id {@link #ALL} has the mode of
	 * all rules
	 * @throws Exception if the source cannot be read: what it returned before remains in
	 * force
	 */
	Map<String, Map<String, String>> read() throws Exception;

	/**
	 * The place of a property, for messages and the management endpoint.
	 * @param rule the id of the rule
	 * @param property the name of the property
	 * @return where an operator finds the property, such as a table and a row;
	 * {@code null} for the name of the bean
	 */
	default @Nullable String placeOf(String rule, String property) {
		return null;
	}

	/**
	 * Reads all overrides of callers, after {@link #read()} has returned.
	 * @return the properties of each override by its id. The names and values are those
	 * of the configuration below {@code tierlimit.overrides}, as for rules; the parts of
	 * a key are either one text with commas, or {@code key[0]}, {@code key[1]} and so on
	 * @throws Exception if the source cannot be read: what both methods returned before
	 * remains in force
	 */
	default Map<String, Map<String, String>> readOverrides() throws Exception {
		return Map.of();
	}

	/**
	 * The place of an override, for messages and the management endpoint.
	 * @param id the id of the override
	 * @return where an operator finds it, such as a table and a row; {@code null} for the
	 * name of the bean
	 */
	default @Nullable String placeOfOverride(String id) {
		return null;
	}

}
