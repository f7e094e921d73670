package io.tierlimit.autoconfigure.rules;

import java.util.Map;

import io.tierlimit.spi.OverrideStore;
import org.jspecify.annotations.Nullable;

/**
 * A rule source that stores overrides.
 */
final class TestOverrideStore extends TestRuleSource implements OverrideStore {

	@Nullable RuntimeException failureOfStore;

	Action afterRead = () -> {
	};

	Action beforeStore = () -> {
	};

	TestOverrideStore() {
		super("table");
	}

	@Override
	public Map<String, Map<String, String>> readOverrides() throws Exception {
		Map<String, Map<String, String>> read = super.readOverrides();
		this.afterRead.run();
		return read;
	}

	@Override
	public String placeOfOverride(String id) {
		return "table, override '" + id + "'";
	}

	@Override
	public void setOverride(String id, Map<String, String> properties) throws Exception {
		this.beforeStore.run();
		if (this.failureOfStore != null) {
			throw this.failureOfStore;
		}
		override(id, properties);
	}

	@Override
	public void removeOverride(String id) {
		this.overrides.remove(id);
	}

}
