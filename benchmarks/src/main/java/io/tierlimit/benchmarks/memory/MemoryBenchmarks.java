package io.tierlimit.benchmarks.memory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.tierlimit.benchmarks.report.BarChart;
import io.tierlimit.benchmarks.report.Machine;
import io.tierlimit.benchmarks.report.Page;
import io.tierlimit.benchmarks.report.Samples;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs the benchmarks of this package in several rounds, all libraries in turn in each
 * round, and writes tables and a chart into the page. A table has the median, the minimum
 * and the maximum over all iterations of all rounds, the bytes that one call allocates,
 * and the ratio of the median to the median of the reference.
 */
public final class MemoryBenchmarks {

	private static final int ROUNDS = Integer.getInteger("rounds", 3);

	/** A machine that also runs other programs needs more time to compile. */
	private static final int WARM_UP = Integer.getInteger("warm-up", 3);

	private static final List<Scenario> SCENARIOS = List
		.of(Scenario.of("one-bucket-1", "One bucket, 1 thread", OneBucketBenchmark.class, 1),
				Scenario.of("one-bucket-2", "One bucket, 2 threads", OneBucketBenchmark.class, 2),
				Scenario.of("one-bucket-8", "One bucket, 8 threads", OneBucketBenchmark.class, 8),
				new Scenario("one-bucket-virtual", "One bucket, 64 virtual threads", OneBucketBenchmark.class, 64,
						true),
				Scenario.of("hot-keys-1", "1,000 keys, 1 thread", HotKeysBenchmark.class, 1),
				Scenario.of("hot-keys-2", "1,000 keys, 2 threads", HotKeysBenchmark.class, 2),
				Scenario.of("hot-keys-8", "1,000 keys, 8 threads", HotKeysBenchmark.class, 8),
				Scenario.of("four-tiers", "Four tiers, 1 thread", FourTiersBenchmark.class, 1),
				Scenario.of("rule-options", "Options of a rule, 1 thread", RuleOptionsBenchmark.class, 1),
				Scenario.of("many-keys", "100,000 keys, 1 thread", ManyKeysBenchmark.class, 1));

	/** The tables that the chart shows. */
	private static final Set<String> CHART = Set.of("one-bucket-1", "four-tiers", "many-keys");

	/** The subjects by their methods, in the order of the table. */
	private static final Map<String, String> SUBJECTS = subjects();

	private MemoryBenchmarks() {
	}

	private static Map<String, String> subjects() {
		Map<String, String> subjects = new LinkedHashMap<>();
		subjects.put("reference", "reference");
		subjects.put("store", "Tierlimit, store");
		subjects.put("evaluation", "Tierlimit, evaluation");
		subjects.put("storeEvicting", "Tierlimit, store, evicting");
		subjects.put("evaluationEvicting", "Tierlimit, evaluation, evicting");
		subjects.put("override", "an override of the caller");
		subjects.put("overridesOfOthers", "10,000 overrides of other callers");
		subjects.put("ban", "`ban`");
		subjects.put("candidate", "`candidate`");
		subjects.put("adaptive", "`adaptive`");
		subjects.put("behindShards", "with the support of shards");
		subjects.put("bucket4j", "bucket4j");
		subjects.put("resilience4j", "Resilience4j");
		subjects.put("guava", "Guava");
		return subjects;
	}

	/**
	 * Runs benchmarks. The system properties {@code rounds} and {@code warm-up} set the
	 * number of rounds, and seconds before each measurement.
	 * @param names the scenarios; all if there are none
	 * @throws RunnerException if a benchmark fails
	 * @throws IOException if the page cannot be read or written
	 */
	public static void main(String[] names) throws RunnerException, IOException {
		List<String> all = SCENARIOS.stream().map(Scenario::name).toList();
		if (!all.containsAll(List.of(names))) {
			System.err.println("Scenarios: " + String.join(" ", all));
			System.exit(2);
		}
		Page.replace("memory", List.of(Machine.describe()));
		for (Scenario scenario : SCENARIOS) {
			if (scenario.isSupported() && (names.length == 0 || List.of(names).contains(scenario.name()))) {
				Page.replace(scenario.name(), scenario.virtual() ? VirtualThreads.table() : measure(scenario));
			}
		}
		Page.replace("memory-peers", peers());
		Page.summarize("memory-peers", ".*", 0, 1, 2, 3);
		Page.write("benchmarks-memory.svg", chart());
	}

	/** Measures all methods of a benchmark in several rounds. */
	static List<String> measure(Scenario scenario) throws RunnerException {
		return table(run(scenario));
	}

	private static Map<String, Measured> run(Scenario scenario) throws RunnerException {
		Map<String, Measured> measured = new LinkedHashMap<>();
		for (int round = 0; round < ROUNDS; round++) {
			for (RunResult result : new Runner(options(scenario)).run()) {
				String name = result.getParams().getBenchmark();
				measured.computeIfAbsent(name.substring(name.lastIndexOf('.') + 1), (method) -> new Measured())
					.add(result);
			}
		}
		return measured;
	}

	private static Options options(Scenario scenario) {
		ChainedOptionsBuilder options = new OptionsBuilder()
			.include("\\." + scenario.benchmark().getSimpleName() + "\\.")
			.threads(scenario.threads())
			.mode(Mode.AverageTime)
			.timeUnit(TimeUnit.NANOSECONDS)
			.forks(1)
			.warmupIterations(WARM_UP)
			.warmupTime(TimeValue.seconds(1))
			.measurementIterations(5)
			.measurementTime(TimeValue.milliseconds(200))
			.verbosity(VerboseMode.SILENT)
			.addProfiler(GCProfiler.class);
		return options.jvmArgsAppend("-Xms1g", "-Xmx1g").build();
	}

	private static List<String> table(Map<String, Measured> measured) {
		Measured reference = measured.getOrDefault("reference", new Measured());
		List<String> lines = new ArrayList<>(List
			.of("| | median, ns | least to greatest, ns | bytes | of the reference |", "|---|---|---|---|---|"));
		SUBJECTS.forEach((method, subject) -> {
			Measured figures = measured.get(method);
			if (figures != null) {
				lines.add(String.format(Locale.ROOT, "| %s | %s | %s | %s | %.2f |", subject, figures.nanos.median(0),
						figures.nanos.spread(0), figures.bytes.median(0),
						figures.nanos.median() / reference.nanos.median()));
			}
		});
		return lines;
	}

	/**
	 * The time of an evaluation divided by the time of each other library, for all
	 * scenarios for which the page has a table.
	 */
	private static List<String> peers() throws IOException {
		List<String> peers = List.of("bucket4j", "Resilience4j", "Guava");
		List<String> lines = new ArrayList<>(List.of("| | " + String.join(" | ", peers) + " |", "|---|---|---|---|"));
		for (Scenario scenario : SCENARIOS) {
			Map<String, Double> nanos = new HashMap<>();
			Page.rows(scenario.name()).forEach((row) -> nanos.put(row.get(0), nanos(row)));
			Double evaluation = nanos.get("Tierlimit, evaluation");
			if (evaluation != null) {
				lines.add(peers.stream()
					.map((peer) -> String.format(Locale.ROOT, " %.2f |",
							evaluation / nanos.getOrDefault(peer, Double.NaN)))
					.collect(Collectors.joining("", "| " + scenario.title() + " |", "")));
			}
		}
		return lines;
	}

	private static BarChart chart() throws IOException {
		BarChart chart = new BarChart();
		for (Scenario scenario : SCENARIOS) {
			List<List<String>> rows = CHART.contains(scenario.name()) ? Page.rows(scenario.name()) : List.of();
			if (!rows.isEmpty()) {
				double longest = rows.stream().mapToDouble(MemoryBenchmarks::nanos).max().orElse(1);
				chart.group(scenario.title() + ": nanoseconds per request");
				rows.forEach((row) -> chart.bar(row.get(0), nanos(row), row.get(1), longest, nanos(rows.get(0))));
			}
		}
		return chart;
	}

	private static double nanos(List<String> row) {
		return Double.parseDouble(row.get(1).replace(",", ""));
	}

	/**
	 * The iterations of all rounds.
	 */
	private static final class Measured {

		private final Samples nanos = new Samples();

		private final Samples bytes = new Samples();

		void add(RunResult run) {
			for (BenchmarkResult fork : run.getBenchmarkResults()) {
				for (IterationResult iteration : fork.getIterationResults()) {
					this.nanos.add(iteration.getPrimaryResult().getScore());
					this.bytes.add(Objects.requireNonNull(iteration.getSecondaryResults().get("gc.alloc.rate.norm"))
						.getScore());
				}
			}
		}

	}

}
