package io.tierlimit.benchmarks.memory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.tierlimit.benchmarks.report.Machine;
import io.tierlimit.benchmarks.report.Page;
import org.openjdk.jmh.runner.RunnerException;

/**
 * Measures evaluations of a rule whose bucket is spread over shards in memory, and of a
 * rule without shards. Requires JDK 21.
 */
public final class ShardBenchmarks {

	private static final int[] THREADS = { 2, 8, 64 };

	private static final int[] SHARDS = { 4, 16 };

	private ShardBenchmarks() {
	}

	/**
	 * Runs the benchmarks, and writes the tables into the page.
	 * @param arguments none
	 * @throws RunnerException if a benchmark fails
	 * @throws IOException if the page cannot be read or written
	 */
	public static void main(String[] arguments) throws RunnerException, IOException {
		List<String> lines = new ArrayList<>(List.of(Machine.describe()));
		for (int threads : THREADS) {
			lines.addAll(List.of("", threads + " virtual threads:", ""));
			lines.addAll(VirtualThreads.table(subjects(), threads));
		}
		Page.replace("shards-memory", lines);
		Page.replace("shards-plain-rule",
				MemoryBenchmarks.measure(Scenario.of("shards-plain-rule", "", PlainRuleBenchmark.class, 1)));
	}

	private static Map<String, Supplier<Object>> subjects() {
		Map<String, Supplier<Object>> subjects = new LinkedHashMap<>();
		subjects.put("one bucket", SharedBucket.spread(1)::evaluate);
		for (int shards : SHARDS) {
			subjects.put(shards + " shards", SharedBucket.spread(shards)::evaluate);
		}
		return subjects;
	}

}
