package io.tierlimit.option;

import java.util.function.DoubleSupplier;

import org.jspecify.annotations.Nullable;

/**
 * A meter of an option of one rule.
 *
 * @param type counter or gauge
 * @param name the name, for example {@code tierlimit.bans}
 * @param description the description of the value
 * @param outcome the value of the tag {@code outcome}; {@code null} for none
 * @param value the current value
 */
public record OptionMeter(Type type, String name, String description, @Nullable String outcome, DoubleSupplier value) {

	/**
	 * Creates a counter.
	 * @param name the name
	 * @param description the description of the counted events
	 * @param outcome the value of the tag {@code outcome}; {@code null} for none
	 * @param value the current value
	 * @return the meter
	 */
	public static OptionMeter counter(String name, String description, @Nullable String outcome, DoubleSupplier value) {
		return new OptionMeter(Type.COUNTER, name, description, outcome, value);
	}

	/**
	 * Creates a gauge.
	 * @param name the name
	 * @param description the description of the value
	 * @param value the current value
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
