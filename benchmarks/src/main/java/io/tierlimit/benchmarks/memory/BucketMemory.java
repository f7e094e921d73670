package io.tierlimit.benchmarks.memory;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import com.google.common.util.concurrent.RateLimiter;
import io.tierlimit.benchmarks.report.Page;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.memory.InMemoryBucketStore;

/**
 * Measures the memory of 1,000,000 live buckets: the size of the heap after a garbage
 * collection, with and without the buckets. The strings of the keys exist before the
 * measurement and are not counted. The key of an evaluation is also the string of its
 * caller, because it needs no escaping.
 */
public final class BucketMemory {

	private static final int BUCKETS = Integer.getInteger("buckets", 1_000_000);

	/**
	 * A limit with which buckets are not full again within a run, because a full bucket
	 * may be evicted.
	 */
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
		Page.summarize("bucket-memory", ".*", 0, 1);
	}

	@SuppressWarnings("UnstableApiUsage")
	private List<String> measure() {
		measure("reference in a map", () -> map(Peers::reference, ReferenceBucket::tryAcquire));
		measure("Tierlimit, store", () -> tierlimit(TierlimitBuckets::acquire));
		measure("Tierlimit, evaluation", () -> tierlimit(TierlimitBuckets::evaluate));
		measure("bucket4j in a map", () -> map(Peers::bucket4j, (bucket) -> bucket.tryConsume(1)));
		measure("Resilience4j in a map", () -> map(Peers::resilience4j, (bucket) -> bucket.acquirePermission(1)));
		measure("Guava in a map", () -> map(Peers::guava, RateLimiter::tryAcquire));
		return this.lines;
	}

	/**
	 * Measures three times, and uses the last result, because the first collections also
	 * remove garbage of the startup.
	 */
	private void measure(String subject, Supplier<Object> buckets) {
		double bytes = 0;
		for (int i = 0; i < 3; i++) {
			bytes = bytesPerBucket(buckets);
		}
		this.lines.add(String.format(Locale.ROOT, "| %s | %.0f |", subject, bytes));
	}

	private static double bytesPerBucket(Supplier<Object> buckets) {
		long before = usedHeap();
		Object filled = buckets.get();
		try {
			return (double) (usedHeap() - before) / BUCKETS;
		}
		finally {
			Reference.reachabilityFence(filled);
		}
	}

	private <B> Object map(Supplier<B> factory, Predicate<B> call) {
		Map<String, B> buckets = new ConcurrentHashMap<>();
		for (String user : this.users) {
			B bucket = factory.get();
			if (!call.test(bucket)) {
				throw new IllegalStateException("A new bucket must allow a call.");
			}
			buckets.put(user, bucket);
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

	/**
	 * Bytes in use, with a collector that leaves no garbage: -XX:+UseSerialGC with
	 * -XX:MarkSweepAlwaysCompactCount=1.
	 */
	private static long usedHeap() {
		System.gc();
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
	}

}
