package io.tierlimit.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntUnaryOperator;

/**
 * Threads that start at the same time.
 */
public final class Crowd {

	private Crowd() {
	}

	/**
	 * Runs the same task on every thread.
	 * @param member receives the number of its thread
	 * @return the count of each thread
	 */
	public static List<Integer> run(int threads, IntUnaryOperator member) throws Exception {
		CyclicBarrier start = new CyclicBarrier(threads);
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Callable<Integer>> tasks = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				int thread = i;
				tasks.add(() -> {
					start.await();
					return member.applyAsInt(thread);
				});
			}
			List<Integer> counts = new ArrayList<>();
			for (Future<Integer> future : executor.invokeAll(tasks)) {
				counts.add(future.get());
			}
			return counts;
		}
		finally {
			executor.shutdownNow();
		}
	}

}
