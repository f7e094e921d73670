package io.tierlimit.autoconfigure.rules;

import java.util.LinkedHashMap;
import java.util.Map;

import io.tierlimit.spi.OverrideStore;

/**
 * Stores overrides of the management endpoint in memory.
 */
final class EndpointOverrides implements OverrideStore {

	static final String NAME = "management endpoint";

	private final Map<String, Map<String, String>> overrides = new LinkedHashMap<>();

	@Override
	public Map<String, Map<String, String>> read() {
		return Map.of();
	}

	@Override
	public synchronized Map<String, Map<String, String>> readOverrides() {
		return new LinkedHashMap<>(this.overrides);
	}

	@Override
	public synchronized void setOverride(String id, Map<String, String> properties) {
		this.overrides.put(id, properties);
	}

	@Override
	public synchronized void removeOverride(String id) {
		this.overrides.remove(id);
	}

	@Override
	public String placeOfOverride(String id) {
		return NAME;
	}

}
