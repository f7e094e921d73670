package io.tierlimit.spi;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A source of rules that can change while the application runs, such as a table or a
 * configuration service. A bean of this type is read at startup, and again whenever the
 * rules are reloaded.
 * <p>
 * A source returns properties that have the names of the configuration below
 * {@code tierlimit.rules}. These properties add rules, or override single properties of
 * rules that the configuration, beans and annotations define. A source may also return
 * overrides for single callers. If there are several sources, the first in the order of
 * the beans has the highest precedence. If the rules of all sources are not valid
 * together, or a source cannot be read, the previous rules remain active.
 */
@FunctionalInterface
public interface RuleSource {

	/**
	 * The id that stands for all rules. Its only property is {@code mode}.
	 */
	String ALL = "*";

	/**
	 * Reads all properties. This method may block: the only request that waits for it is
	 * a reload through the management endpoint.
	 * @return the properties of each rule by its id. Names and values are written as in
	 * the configuration, such as {@code rate} and {@code plans.pro.rate}. The elements of
	 * a list are separated by commas. Values must not be {@code null}; a blank value is
	 * treated as in the configuration. Placeholders are not supported. The id
	 * {@link #ALL} sets the mode of all rules
	 * @throws Exception if the source cannot be read. The properties that it returned
	 * before remain active
	 */
	Map<String, Map<String, String>> read() throws Exception;

	/**
	 * Where a property is stored, for messages and the management endpoint.
	 * @param rule the id of the rule
	 * @param property the name of the property
	 * @return the place where an operator finds the property, such as a table and a row;
	 * if {@code null}, messages name the bean
	 */
	default @Nullable String placeOf(String rule, String property) {
		return null;
	}

	/**
	 * Reads all overrides of callers, after {@link #read()} has returned.
	 * @return the properties of each override by its id. Names and values are written as
	 * in the configuration below {@code tierlimit.overrides}, with the same rules as in
	 * {@link #read()}. The parts of a key are either one string with commas, or
	 * {@code key[0]}, {@code key[1]} and so on
	 * @throws Exception if the source cannot be read. The properties that both methods
	 * returned before remain active
	 */
	default Map<String, Map<String, String>> readOverrides() throws Exception {
		return Map.of();
	}

	/**
	 * Where an override is stored, for messages and the management endpoint.
	 * @param id the id of the override
	 * @return the place where an operator finds the override, such as a table and a row;
	 * if {@code null}, messages name the bean
	 */
	default @Nullable String placeOfOverride(String id) {
		return null;
	}

}
