package io.tierlimit.spi;

import java.util.Map;

/**
 * A rule source that can store overrides, such as a table. The first bean of this type,
 * in the order of the beans, stores the overrides that operators set through the
 * management endpoint. Without such a bean, each instance keeps these overrides in memory
 * until it stops. An edit waits while a reload reads the store, and a reload waits while
 * an edit is stored.
 */
public interface OverrideStore extends RuleSource {

	/**
	 * Stores an override, which replaces the override with the same id in this store.
	 * @param id the id of the override
	 * @param properties the validated properties of the override, as in
	 * {@link #readOverrides()}: without blank values, and with {@code key[0]},
	 * {@code key[1]} and so on for the parts of a key
	 * @throws IllegalArgumentException if the override is not valid in this store. The
	 * message must name the property, because operators read it
	 * @throws Exception if the override cannot be stored, in which case it does not take
	 * effect
	 */
	void setOverride(String id, Map<String, String> properties) throws Exception;

	/**
	 * Removes an override.
	 * @param id the id of the override, which {@link #readOverrides()} has returned
	 * @throws Exception if the override cannot be removed, in which case it remains
	 * active
	 */
	void removeOverride(String id) throws Exception;

}
