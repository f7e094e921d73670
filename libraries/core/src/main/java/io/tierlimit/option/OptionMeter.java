package io.tierlimit.option;

import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A meter of an option of one rule.
 *
 * @param type counter, gauge or summary
 * @param name the name, for example {@code tierlimit.bans}
 * @param description the description of the value
 * @param outcome the value of the tag {@code outcome}; {@code null} for none
 * @param value the current value; of a summary, not used
 * @param values the values of a summary; {@code null} for other meters
 */
public record OptionMeter(Type type, String name, String description, @Nullable String outcome, DoubleSupplier value,
		@Nullable Supplier<RecordedValues> values) {

	/**
	 * Creates a counter.
	 * @param name the name
	 * @param description the description of the counted events
	 * @param outcome the value of the tag {@code outcome}; {@code null} for none
	 * @param value the current value
	 * @return the meter
	 */
	public static OptionMeter counter(String name, String description, @Nullable String outcome, DoubleSupplier value) {
		return new OptionMeter(Type.COUNTER, name, description, outcome, value, null);
	}

	/**
	 * Creates a gauge.
	 * @param name the name
	 * @param description the description of the value
	 * @param value the current value
	 * @return the meter
	 */
	public static OptionMeter gauge(String name, String description, DoubleSupplier value) {
		return new OptionMeter(Type.GAUGE, name, description, null, value, null);
	}

	/**
	 * Creates a summary.
	 * @param name the name
	 * @param description the description of the values
	 * @param values the values, which remain the same object if the rules are reloaded
	 * @return the meter
	 */
	public static OptionMeter summary(String name, String description, Supplier<RecordedValues> values) {
		return new OptionMeter(Type.SUMMARY, name, description, null, () -> 0, values);
	}

	/**
	 * The types of meters.
	 */
	public enum Type {

		/** A number that never falls. */
		COUNTER,

		/** A number that rises and falls. */
		GAUGE,

		/** The distribution of values. */
		SUMMARY

	}

}
