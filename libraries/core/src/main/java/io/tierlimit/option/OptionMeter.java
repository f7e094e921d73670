package io.tierlimit.option;

import java.util.function.DoubleSupplier;

import org.jspecify.annotations.Nullable;

/**
 * A meter of an option of one rule.
 *
 * @param type whether it counts
 * @param name the name, for example {@code tierlimit.bans}
 * @param description what it shows
 * @param outcome the value of the tag {@code outcome}; {@code null} for none
 * @param value the present value
 */
public record OptionMeter(Type type, String name, String description, @Nullable String outcome, DoubleSupplier value) {

	/**
	 * Creates a counter.
	 * @param name the name
	 * @param description what it counts
	 * @param outcome the value of the tag {@code outcome}; {@code null} for none
	 * @param value the present value
	 * @return the meter
	 */
	public static OptionMeter counter(String name, String description, @Nullable String outcome, DoubleSupplier value) {
		return new OptionMeter(Type.COUNTER, name, description, outcome, value);
	}

	/**
	 * Creates a gauge.
	 * @param name the name
	 * @param description what it shows
	 * @param value the present value
	 * @return the meter
	 */
	public static OptionMeter gauge(String name, String description, DoubleSupplier value) {
		return new OptionMeter(Type.GAUGE, name, description, null, value);
	}

	/**
	 * The types of meters.
	 */
	public enum Type {

		/** A number that never falls. */
		COUNTER,

		/** A number that rises and falls. */
		GAUGE

	}

}
