package io.tierlimit.benchmarks.memory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import io.tierlimit.benchmarks.report.Samples;

import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * Calls one bucket by virtual threads that make the same number of calls each. JMH is not
 * used: its virtual threads yield while they wait for each other, and the threads that
 * are ready first may prevent the other threads from running.
 */
final class VirtualThreads {

	private static final int THREADS = 64;

	/** The calls of all threads. */
	private static final int CALLS = 64 * 20_000;

	private static final int WARM_UP = 3;

	private static final int ROUNDS = 9;

	private final Map<String, Supplier<Object>> subjects;

	private final int threads;

	private final SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor();

	/** Keeps the results of all calls reachable. */
	private volatile Object last = "";

	private VirtualThreads(Map<String, Supplier<Object>> subjects, int threads) {
		this.executor.setVirtualThreads(true);
		this.subjects = subjects;
		this.threads = threads;
	}

	/** Measures all subjects in turn. Requires JDK 21. */
	@SuppressWarnings("UnstableApiUsage")
	static List<String> table() {
		Map<String, Supplier<Object>> subjects = new LinkedHashMap<>();
		TierlimitBuckets tierlimit = TierlimitBuckets.warm(1, Callers.names(1));
		ReferenceBucket reference = Peers.reference();
		Bucket bucket4j = Peers.bucket4j();
		AtomicRateLimiter resilience4j = Peers.resilience4j();
		RateLimiter guava = Peers.guava();
		subjects.put("reference", reference::tryAcquire);
		subjects.put("Tierlimit, store", () -> tierlimit.acquire(0));
		subjects.put("Tierlimit, evaluation", () -> tierlimit.evaluate(0));
		subjects.put("bucket4j", () -> bucket4j.tryConsume(1));
		subjects.put("Resilience4j", () -> resilience4j.acquirePermission(1));
		subjects.put("Guava", guava::tryAcquire);
		return table(subjects, THREADS);
	}

	/**
	 * Measures subjects in turn. Requires JDK 21.
	 * @param subjects the calls by their names, the reference first
	 * @param threads the number of virtual threads
	 */
	static List<String> table(Map<String, Supplier<Object>> subjects, int threads) {
		return new VirtualThreads(subjects, threads).measure();
	}

	private List<String> measure() {
		Map<String, Samples> nanos = new LinkedHashMap<>();
		this.subjects.keySet().forEach((name) -> nanos.put(name, new Samples()));
		for (int round = -WARM_UP; round < ROUNDS; round++) {
			boolean counts = round >= 0;
			this.subjects.forEach((name, call) -> {
				double time = nanosPerCall(call);
				if (counts) {
					nanos.getOrDefault(name, new Samples()).add(time);
				}
			});
		}
		double reference = nanos.values().iterator().next().median();
		List<String> lines = new ArrayList<>(
				List.of("| | median, ns | least to greatest, ns | of the reference |", "|---|---|---|---|"));
		nanos.forEach((name, samples) -> lines.add(String.format(Locale.ROOT, "| %s | %s | %s | %.2f |", name,
				samples.median(0), samples.spread(0), samples.median() / reference)));
		return lines;
	}

	private double nanosPerCall(Supplier<Object> call) {
		CountDownLatch running = new CountDownLatch(this.threads);
		long begin = System.nanoTime();
		int calls = CALLS / this.threads;
		for (int i = 0; i < this.threads; i++) {
			this.executor.execute(() -> {
				Object result = "";
				for (int n = 0; n < calls; n++) {
					result = call.get();
				}
				this.last = result;
				running.countDown();
			});
		}
		try {
			running.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupted while " + this.last, ex);
		}
		return (double) (System.nanoTime() - begin) / CALLS;
	}

}
