package io.tierlimit.benchmarks.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.tierlimit.benchmarks.report.Machine;
import io.tierlimit.benchmarks.report.Page;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisServer;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Checks requests against one bucket that all callers share, on one Redis and on a Redis
 * Cluster of three masters: without shards and with several numbers of shards, in turn
 * for several rounds. Writes a table for each number of threads and instances into the
 * page.
 */
public final class ShardBenchmarks {

	private static final String ONE_SERVER = "one server";

	private static final String CLUSTER = "Cluster";

	private static final int ROUNDS = Integer.getInteger("rounds", 7);

	private static final Duration SLICE = Duration.ofMillis(Integer.getInteger("slice", 700));

	private static final int[] SHARDS = { 1, 3, 4, 16 };

	private final RedisServer server = RedisServer.start();

	private final RedisCluster cluster = RedisCluster.start();

	private ShardBenchmarks() {
	}

	/**
	 * Runs the benchmarks. The system properties {@code rounds} and {@code slice} set the
	 * number of rounds, and the milliseconds of one measurement.
	 * @param arguments none
	 */
	public static void main(String[] arguments) {
		int status = 1;
		try {
			List<String> lines = new ArrayList<>(List.of(Machine.describe()));
			ShardBenchmarks benchmarks = new ShardBenchmarks();
			lines.addAll(benchmarks.run(1, 8));
			lines.addAll(benchmarks.run(1, 64));
			lines.addAll(benchmarks.run(8, 64));
			Page.replace("shards-redis", lines);
			status = 0;
		}
		catch (Throwable ex) {
			LogFactory.getLog(ShardBenchmarks.class).error("The benchmarks failed", ex);
		}
		finally {
			// Some clients have threads that are not daemons.
			System.exit(status);
		}
	}

	private List<String> run(int instances, int threads) throws Exception {
		Map<String, Scenario> scenarios = scenarios(instances);
		Map<String, ShardFigures> figures = new LinkedHashMap<>();
		scenarios.keySet().forEach((name) -> figures.put(name, new ShardFigures()));
		// The first round warms up.
		for (int round = 0; round <= ROUNDS; round++) {
			Map<String, Measurement> measured = new HashMap<>();
			for (Map.Entry<String, Scenario> scenario : scenarios.entrySet()) {
				measured.put(scenario.getKey(), scenario.getValue().run(instances, threads));
			}
			if (round > 0) {
				scenarios.forEach((name, scenario) -> Objects.requireNonNull(figures.get(name))
					.add(Objects.requireNonNull(measured.get(name)),
							Objects.requireNonNull(measured.get(scenario.reference()))));
			}
		}
		scenarios.values().forEach((scenario) -> scenario.subject().close());
		String title = (instances == 1) ? threads + " threads:"
				: threads + " threads in " + instances + " instances with a connection each:";
		List<String> lines = new ArrayList<>(List.of("", title, "", "| " + ShardFigures.HEADING, ShardFigures.RULE));
		figures.forEach((name, all) -> lines.add("| " + name + all.cells()));
		return lines;
	}

	private Map<String, Scenario> scenarios(int instances) {
		Map<String, Scenario> scenarios = new LinkedHashMap<>();
		List<RedisServer> nodes = this.cluster.nodes();
		for (int shards : SHARDS) {
			scenarios.put(name(ONE_SERVER, shards), new Scenario(List.of(this.server),
					new HotBucketSubject(this::oneServer, shards, instances), name(ONE_SERVER, 1)));
		}
		for (int shards : SHARDS) {
			scenarios.put(name(CLUSTER, shards),
					new Scenario(nodes, new HotBucketSubject(this::cluster, shards, instances), name(CLUSTER, 1)));
		}
		return scenarios;
	}

	private static String name(String servers, int shards) {
		return servers + ((shards == 1) ? ", one bucket" : ", " + shards + " shards");
	}

	private LettuceConnectionFactory oneServer() {
		return new LettuceConnectionFactory("localhost", this.server.port());
	}

	private LettuceConnectionFactory cluster() {
		RedisClusterConfiguration nodes = new RedisClusterConfiguration();
		this.cluster.ports().forEach((port) -> nodes.addClusterNode(new RedisNode("localhost", port)));
		return new LettuceConnectionFactory(nodes);
	}

	/**
	 * Requests, the servers that decide them, and the name of the scenario without
	 * shards.
	 */
	private record Scenario(List<RedisServer> servers, Subject subject, String reference) {

		Measurement run(int instances, int threads) throws Exception {
			return Measurement.of(this.subject, this.servers, instances, threads, SLICE);
		}

	}

}
