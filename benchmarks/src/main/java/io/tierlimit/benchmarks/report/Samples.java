package io.tierlimit.benchmarks.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Repeated measurements of one figure, in any unit.
 */
public final class Samples {

	private final List<Double> sorted = new ArrayList<>();

	/**
	 * Adds a measurement.
	 * @param value the measured value
	 */
	public void add(double value) {
		int index = Collections.binarySearch(this.sorted, value);
		this.sorted.add((index < 0) ? -index - 1 : index, value);
	}

	/**
	 * Returns the median. If the number of values is even, this is the greater of the two
	 * values in the middle.
	 * @return the median
	 * @throws IndexOutOfBoundsException if nothing was added
	 */
	public double median() {
		return this.sorted.get(this.sorted.size() / 2);
	}

	/**
	 * Formats the median.
	 * @param decimals the number of decimals
	 * @return the formatted median
	 */
	public String median(int decimals) {
		return format(median(), decimals);
	}

	/**
	 * Formats the least and the greatest value.
	 * @param decimals the number of decimals
	 * @return the formatted values
	 */
	public String spread(int decimals) {
		return format(this.sorted.get(0), decimals) + " to "
				+ format(this.sorted.get(this.sorted.size() - 1), decimals);
	}

	private static String format(double value, int decimals) {
		return String.format(Locale.ROOT, "%,." + decimals + "f", value);
	}

}
