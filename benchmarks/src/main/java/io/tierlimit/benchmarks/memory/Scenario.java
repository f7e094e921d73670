package io.tierlimit.benchmarks.memory;

/**
 * A benchmark with a number of threads.
 *
 * @param name the block of the page with its table
 * @param title the title of the table
 * @param benchmark the class
 * @param threads the number of threads that call the same buckets
 * @param virtual whether these are virtual threads, as in {@link VirtualThreads}
 */
record Scenario(String name, String title, Class<?> benchmark, int threads, boolean virtual) {

	static Scenario of(String name, String title, Class<?> benchmark, int threads) {
		return new Scenario(name, title, benchmark, threads, false);
	}

	/** Virtual threads need JDK 21. */
	boolean isSupported() {
		return !this.virtual || Runtime.version().feature() >= 21;
	}

}
