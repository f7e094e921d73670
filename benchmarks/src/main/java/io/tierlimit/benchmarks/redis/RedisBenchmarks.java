package io.tierlimit.benchmarks.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.tierlimit.benchmarks.report.Machine;
import io.tierlimit.benchmarks.report.Page;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisServer;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Checks requests against buckets in a real Redis, by this project and by other
 * libraries, in turn for several rounds. Writes a table for each number of threads into
 * the page. A ratio compares the throughput with another throughput of the same round.
 */
public final class RedisBenchmarks {

	/** The number of callers, each with its own buckets. */
	static final int CALLERS = 1000;

	private static final int MANY_CALLERS = 10_000;

	private static final String GET = "GET";

	private static final int ROUNDS = Integer.getInteger("rounds", 7);

	private static final Duration SLICE = Duration.ofMillis(Integer.getInteger("slice", 1000));

	private static final Limit WIDE = new TokenBucket(Rate.parse("1000000000/s"));

	/** A limit that allows nearly no request. */
	private static final Limit NARROW = new TokenBucket(Rate.parse("1/h"));

	/** A limit that allows a part of the requests. */
	private static final Limit TIGHT = new TokenBucket(Rate.parse("100/s"));

	private final RedisServer server = RedisServer.start();

	private final Map<String, Scenario> scenarios = new LinkedHashMap<>();

	private RedisBenchmarks() {
	}

	/**
	 * Runs the benchmarks. The system properties {@code threads}, {@code rounds} and
	 * {@code slice} set the numbers of threads, separated by commas; the number of
	 * rounds; and the milliseconds of one measurement.
	 * @param arguments a regular expression; the subjects whose names match are measured
	 * in addition to the GET and the references, and the results are only printed
	 */
	public static void main(String[] arguments) {
		int status = 1;
		try {
			measure(arguments);
			status = 0;
		}
		catch (Throwable ex) {
			LogFactory.getLog(RedisBenchmarks.class).error("The benchmarks failed", ex);
		}
		finally {
			// Some clients have threads that are not daemons.
			System.exit(status);
		}
	}

	private static void measure(String[] arguments) throws Exception {
		List<String> lines = new ArrayList<>(List.of(Machine.describe()));
		RedisBenchmarks benchmarks = new RedisBenchmarks();
		benchmarks.addScenarios((arguments.length > 0) ? arguments[0] : ".*");
		for (String threads : System.getProperty("threads", "8,32").split(",", -1)) {
			lines.addAll(benchmarks.run(Integer.parseInt(threads)));
		}
		if (arguments.length > 0) {
			System.out.println(String.join("\n", lines));
		}
		else {
			Page.replace("redis", lines);
			Page.summarize("redis", ".*, (1 tier|4 tiers)", 0, 1, 4, 7, 8);
		}
	}

	private void addScenarios(String names) {
		int port = this.server.port();
		add(GET, LuaSubject.get(port));
		add(reference(1), LuaSubject.reference(port, 1));
		add(reference(4), LuaSubject.reference(port, 4));
		Map<String, Supplied> all = new LinkedHashMap<>();
		for (int tiers : new int[] { 1, 4 }) {
			String suffix = (tiers == 1) ? ", 1 tier" : ", " + tiers + " tiers";
			all.put("Tierlimit" + suffix, () -> tierlimit(WIDE, tiers));
			all.put("bucket4j" + suffix, () -> new Bucket4jSubject(port, tiers, 1_000_000_000, Duration.ofSeconds(1)));
			all.put("Redisson" + suffix, () -> new RedissonSubject(port, tiers));
		}
		all.put("script of Spring Cloud Gateway, 1 tier", () -> LuaSubject.gateway(port));
		all.forEach((name, subject) -> {
			if (name.matches(names)) {
				add(name, subject.get());
			}
		});
		addRejections(names);
		addClusters(names);
	}

	private void addRejections(String names) {
		int port = this.server.port();
		if ("rejections".matches(names)) {
			add("Tierlimit, rejections of one key", tierlimit(NARROW, 1), 1);
			add("Tierlimit, rejections of 10,000 keys", tierlimit(NARROW, 1), MANY_CALLERS);
			add("bucket4j, rejections of one key", new Bucket4jSubject(port, 1, 1, Duration.ofHours(1)), 1);
			add("bucket4j, rejections of 10,000 keys", new Bucket4jSubject(port, 1, 1, Duration.ofHours(1)),
					MANY_CALLERS);
		}
	}

	/** Four tiers in different slots, on a Redis Cluster and on one server. */
	private void addClusters(String names) {
		if ("cluster".matches(names)) {
			RedisCluster cluster = RedisCluster.start();
			List<RedisServer> masters = cluster.nodes();
			add("Tierlimit, 4 tiers in 4 slots, Cluster", masters, tierlimit(cluster, WIDE), CALLERS);
			add("Tierlimit, 4 tiers, overload", List.of(this.server),
					new TierlimitSubject(new LettuceConnectionFactory("localhost", this.server.port()), false,
							List.of(WIDE, WIDE, TIGHT, WIDE)),
					1);
			add("Tierlimit, 4 tiers in 4 slots, overload, Cluster", masters, tierlimit(cluster, TIGHT), 1);
		}
	}

	private TierlimitSubject tierlimit(Limit limit, int tiers) {
		return new TierlimitSubject(new LettuceConnectionFactory("localhost", this.server.port()), true,
				Stream.generate(() -> limit).limit(tiers).toList());
	}

	private static TierlimitSubject tierlimit(RedisCluster cluster, Limit third) {
		RedisClusterConfiguration nodes = new RedisClusterConfiguration();
		cluster.ports().forEach((port) -> nodes.addClusterNode(new RedisNode("localhost", port)));
		return new TierlimitSubject(new LettuceConnectionFactory(nodes), false, List.of(WIDE, WIDE, third, WIDE));
	}

	private void add(String name, Subject subject) {
		add(name, subject, CALLERS);
	}

	private void add(String name, Subject subject, int callers) {
		add(name, List.of(this.server), subject, callers);
	}

	private void add(String name, List<RedisServer> servers, Subject subject, int callers) {
		this.scenarios.put(name, new Scenario(servers, subject, callers));
	}

	private List<String> run(int threads) throws Exception {
		Map<String, Figures> figures = new LinkedHashMap<>();
		this.scenarios.keySet().forEach((name) -> figures.put(name, new Figures()));
		// The first round warms up.
		for (int round = 0; round <= ROUNDS; round++) {
			Map<String, Measurement> measured = new HashMap<>();
			for (Map.Entry<String, Scenario> scenario : this.scenarios.entrySet()) {
				measured.put(scenario.getKey(), scenario.getValue().run(threads));
			}
			if (round > 0) {
				figures.forEach((name, all) -> all.add(of(measured, name), of(measured, GET),
						of(measured, reference(name.contains("4 tiers") ? 4 : 1))));
			}
		}
		List<String> lines = new ArrayList<>(
				List.of("", threads + " threads:", "", "| " + Figures.HEADING, Figures.RULE));
		figures.forEach((name, all) -> lines.add("| " + name + all.cells()));
		return lines;
	}

	private static Measurement of(Map<String, Measurement> measured, String name) {
		return Objects.requireNonNull(measured.get(name));
	}

	private static String reference(int tiers) {
		return (tiers == 1) ? "reference, 1 tier" : "reference, " + tiers + " tiers";
	}

	/**
	 * Creates a scenario.
	 */
	@FunctionalInterface
	private interface Supplied {

		Subject get();

	}

	/**
	 * Requests, and the servers that decide them.
	 */
	private record Scenario(List<RedisServer> servers, Subject subject, int callers) {

		Measurement run(int threads) throws Exception {
			return Measurement.of(this.subject, this.servers, this.callers, threads, SLICE);
		}

	}

}
