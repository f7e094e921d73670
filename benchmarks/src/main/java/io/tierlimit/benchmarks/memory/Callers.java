package io.tierlimit.benchmarks.memory;

import java.util.Arrays;
import java.util.Random;

import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Selects the next caller that a thread serves. Each thread begins with a different
 * caller.
 */
@State(Scope.Thread)
public class Callers {

	static final int FEW = 1000;

	static final int MANY = 100_000;

	private static final int DRAWS = 1 << 16;

	private static final int[] ZIPF = zipf();

	private int next = Math.floorMod(Thread.currentThread().getId() * 7919, DRAWS);

	/** Returns one caller after the other. */
	int inTurn() {
		int caller = this.next;
		this.next = (caller + 1) & (DRAWS - 1);
		return caller % FEW;
	}

	/**
	 * Returns a random caller. The n-th caller is n times less frequent than the first.
	 */
	int zipfian() {
		this.next = (this.next + 1) & (DRAWS - 1);
		return ZIPF[this.next];
	}

	static String[] names(int count) {
		String[] names = new String[count];
		Arrays.setAll(names, (i) -> "user-" + i);
		return names;
	}

	private static int[] zipf() {
		double[] sums = new double[MANY];
		double sum = 0;
		for (int i = 0; i < MANY; i++) {
			sum += 1.0 / (i + 1);
			sums[i] = sum;
		}
		Random random = new Random(42);
		int[] draws = new int[DRAWS];
		for (int i = 0; i < DRAWS; i++) {
			int index = Arrays.binarySearch(sums, random.nextDouble() * sum);
			draws[i] = Math.min((index < 0) ? -index - 1 : index, MANY - 1);
		}
		return draws;
	}

}
