package io.tierlimit.key;

import java.util.Collection;
import java.util.function.BiFunction;

import io.tierlimit.logging.OnceLogger;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.PlanResolver;
import org.jspecify.annotations.Nullable;

/**
 * Reads the plan from a claim or an attribute of the caller: a text, or a list of texts,
 * of which the first in alphabetical order is used. A value of another type is not a
 * plan, which is logged once.
 */
public final class AttributePlanResolver implements PlanResolver {

	private final String property;

	private final @Nullable String name;

	private final BiFunction<Caller, String, @Nullable Object> values;

	private final OnceLogger warnings = new OnceLogger(AttributePlanResolver.class);

	/**
	 * Creates a resolver.
	 * @param property the property that sets the name
	 * @param name the name of the claim or attribute; {@code null} if no caller has it
	 * @param values reads the value of that name
	 */
	public AttributePlanResolver(String property, @Nullable String name,
			BiFunction<Caller, String, @Nullable Object> values) {
		this.property = property;
		this.name = name;
		this.values = values;
	}

	@Override
	public @Nullable String resolve(Caller caller) {
		if (this.name == null) {
			return null;
		}
		Object value = this.values.apply(caller, this.name);
		if (value instanceof Collection<?> several) {
			return several.stream().map(this::text).filter((text) -> !text.isBlank()).sorted().findFirst().orElse(null);
		}
		return (value != null) ? text(value) : null;
	}

	/** Returns an empty text for a value that is not a text. */
	private String text(@Nullable Object value) {
		if (value instanceof String text) {
			return text;
		}
		if (value != null) {
			this.warnings.warn(value.getClass(), "A caller has no plan by " + this.property + " '" + this.name
					+ "' because the value is not a text (" + value.getClass().getName() + ")", null);
		}
		return "";
	}

}
