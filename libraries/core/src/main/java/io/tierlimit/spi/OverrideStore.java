package io.tierlimit.spi;

import java.util.Map;

/**
 * A rule source that can store overrides, such as a table. The first bean of this type,
 * in the order of the beans, stores what operators set through the management endpoint.
 * Without such a bean each instance has the endpoint's overrides in memory until it
 * stops. An edit waits while a reload reads the store, and a reload waits while an edit
 * is stored.
 */
public interface OverrideStore extends RuleSource {

	/**
	 * Stores an override. It replaces the one that this store has with the same id.
	 * @param id the id of the override
	 * @param properties its properties, which were validated, as in
	 * {@link #readOverrides()}: without blank values, and with {@code key[0]},
	 * {@code key[1]} and so on for the parts of a key
	 * @throws IllegalArgumentException if it is not valid in this store: operators read
	 * the message, which names the property
	 * @throws Exception if it cannot be stored: it does not take effect
	 */
	void setOverride(String id, Map<String, String> properties) throws Exception;

	/**
	 * Removes an override.
	 * @param id the id of the override, which {@link #readOverrides()} has returned
	 * @throws Exception if it cannot be removed: it remains in force
	 */
	void removeOverride(String id) throws Exception;

}
