package io.tierlimit.evaluation;

import java.util.List;
import java.util.Map;

import io.tierlimit.key.DelegatingCaller;
import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * A caller of a method, with the arguments of the call.
 */
final class MethodCaller extends DelegatingCaller {

	private final Map<String, Integer> positions;

	private final List<@Nullable Object> values;

	/**
	 * Creates a caller.
	 * @param positions the positions of the arguments by their names
	 * @param values the arguments
	 */
	MethodCaller(Caller caller, Map<String, Integer> positions, List<@Nullable Object> values) {
		super(caller);
		this.positions = positions;
		this.values = values;
	}

	@Override
	public @Nullable Object argument(String name) {
		Integer position = this.positions.get(name);
		return (position != null) ? this.values.get(position) : null;
	}

}
