package io.tierlimit.option;

import java.util.function.DoubleConsumer;

/**
 * Passes values to a meter, if there is one.
 */
public final class RecordedValues {

	private volatile DoubleConsumer meter = (value) -> {
	};

	/**
	 * Records a value.
	 * @param value the value
	 */
	public void record(double value) {
		this.meter.accept(value);
	}

	/**
	 * Sets the meter of all later values.
	 * @param consumer the meter
	 */
	public void recordTo(DoubleConsumer consumer) {
		this.meter = consumer;
	}

}
