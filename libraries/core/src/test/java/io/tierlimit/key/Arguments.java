package io.tierlimit.key;

import java.util.Map;

import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * A caller with given arguments, claims and parameters.
 */
record Arguments(Map<String, Object> values) implements Caller {

	static Arguments of(String name, Object value) {
		return new Arguments(Map.of(name, value));
	}

	@Override
	public @Nullable Object argument(String name) {
		return this.values.get(name);
	}

	@Override
	public @Nullable Object claim(String name) {
		return this.values.get(name);
	}

	@Override
	public @Nullable String param(String name) {
		return (this.values.get(name) instanceof String text) ? text : null;
	}

}
