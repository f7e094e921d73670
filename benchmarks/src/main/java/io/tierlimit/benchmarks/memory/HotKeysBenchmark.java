package io.tierlimit.benchmarks.memory;

/**
 * 1,000 callers, one after the other.
 */
public class HotKeysBenchmark extends KeyedBenchmark {

	/** Creates the callers. */
	public HotKeysBenchmark() {
		super(Callers.FEW);
	}

	@Override
	int next(Callers callers) {
		return callers.inTurn();
	}

}
