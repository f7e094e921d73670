package io.tierlimit.option;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import org.jspecify.annotations.Nullable;

/**
 * A caller in one evaluation, with the values that options have looked up for all rules.
 * Used by one thread.
 */
public final class CallerFacts {

	private final Caller caller;

	private @Nullable Map<Object, Object> known;

	/**
	 * Creates the facts of a caller.
	 * @param caller the caller
	 */
	public CallerFacts(Caller caller) {
		this.caller = caller;
	}

	/**
	 * The caller.
	 * @return the caller
	 */
	public Caller caller() {
		return this.caller;
	}

	/**
	 * Returns a value that is looked up only once for all rules.
	 * @param <K> the type of the owner
	 * @param <V> the type of the value
	 * @param owner the object that the value belongs to, for example an index
	 * @param lookup finds the value; must be a method of the owner whose result depends
	 * only on the caller
	 * @return the value
	 * @throws InvalidRequestValueException if a fact of the caller is not valid
	 */
	public <K, V> V of(K owner, Function<Caller, V> lookup) {
		Map<Object, Object> values = this.known;
		if (values == null) {
			values = new HashMap<>();
			this.known = values;
		}
		Object value = values.get(owner);
		if (value == null) {
			value = lookup.apply(this.caller);
			values.put(owner, value);
		}
		@SuppressWarnings("unchecked") // the value of this owner
		V found = (V) value;
		return found;
	}

}
