package io.tierlimit.benchmarks.memory;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;

import io.tierlimit.benchmarks.report.Machine;
import io.tierlimit.benchmarks.report.Page;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.InMemoryBucketStore;

/**
 * Measures the memory of 1,000,000 live buckets: what the heap contains after a garbage
 * collection, with and without them. The strings of the keys exist before and are not
 * counted; the buckets of an evaluation have strings of their own, which are.
 */
public final class BucketMemory {

	private static final int BUCKETS = Integer.getInteger("buckets", 1_000_000);

	/** Not full again within a run: a full bucket may be evicted. */
	private static final Limit LIMIT = new TokenBucket(Rate.parse("100/d"), 100);

	private final String[] users = Callers.names(BUCKETS);

	private final List<String> lines = new ArrayList<>(List.of("| | bytes per bucket |", "|---|---|"));

	private BucketMemory() {
	}

	/**
	 * Measures all libraries, and writes the table into the page.
	 * @param arguments none
	 * @throws IOException if the page cannot be read or written
	 */
	public static void main(String[] arguments) throws IOException {
		Page.replace("bucket-memory", new BucketMemory().measure());
		Page.replace("memory", List.of(Machine.describe()));
	}

	private List<String> measure() {
		measure("reference in a map", () -> map(BucketMemory::reference));
		measure("Tierlimit, store", () -> tierlimit(TierlimitBuckets::acquire));
		measure("Tierlimit, evaluation, with its own keys", () -> tierlimit(TierlimitBuckets::evaluate));
		measure("bucket4j in a map", () -> map((user) -> Peers.bucket4j()));
		measure("Resilience4j in a map", () -> map((user) -> Peers.resilience4j()));
		measure("Guava in a map", () -> map((user) -> Peers.guava()));
		return this.lines;
	}

	private void measure(String subject, Supplier<Object> buckets) {
		long before = usedHeap();
		Object filled = buckets.get();
		try {
			double bytes = (double) (usedHeap() - before) / BUCKETS;
			this.lines.add(String.format(Locale.ROOT, "| %s | %.0f |", subject, bytes));
		}
		finally {
			Reference.reachabilityFence(filled);
		}
	}

	private static ReferenceBucket reference(String user) {
		ReferenceBucket bucket = Peers.reference();
		bucket.tryAcquire();
		return bucket;
	}

	private Object map(Function<String, Object> bucket) {
		Map<String, Object> buckets = new ConcurrentHashMap<>();
		for (String user : this.users) {
			buckets.put(user, bucket.apply(user));
		}
		return buckets;
	}

	private Object tierlimit(ObjIntConsumer<TierlimitBuckets> call) {
		TierlimitBuckets buckets = new TierlimitBuckets(1, this.users, LIMIT, 2 * BUCKETS);
		for (int caller = 0; caller < BUCKETS; caller++) {
			call.accept(buckets, caller);
		}
		InMemoryBucketStore store = buckets.store();
		if (store.size() != BUCKETS) {
			throw new IllegalStateException(
					"The store must contain " + BUCKETS + " buckets (has " + store.size() + ").");
		}
		return store;
	}

	/** Bytes in use, with a collector that leaves no garbage (-XX:+UseSerialGC). */
	private static long usedHeap() {
		System.gc();
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
	}

}
