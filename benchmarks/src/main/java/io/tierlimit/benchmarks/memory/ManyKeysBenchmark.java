package io.tierlimit.benchmarks.memory;

/**
 * 100,000 callers whose frequency follows Zipf's law.
 */
public class ManyKeysBenchmark extends KeyedBenchmark {

	/** Creates the callers. */
	public ManyKeysBenchmark() {
		super(Callers.MANY);
	}

	@Override
	int next(Callers callers) {
		return callers.zipfian();
	}

}
