package io.tierlimit.benchmarks.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisServer;
import org.HdrHistogram.Histogram;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Checks requests against buckets in a real Redis, by this project and by other
 * libraries, in turn for several rounds. Prints a table for each number of threads.
 */
public final class RedisBenchmarks {

	/** The number of callers, each with its own buckets. */
	static final int CALLERS = 1000;

	private static final int MANY_CALLERS = 10_000;

	private static final String BASELINE = "GET";

	private static final Limit WIDE = new TokenBucket(Rate.parse("1000000000/s"));

	/** Hardly ever allows a request. */
	private static final Limit NARROW = new TokenBucket(Rate.parse("1/h"));

	/** Allows a part of the requests. */
	private static final Limit TIGHT = new TokenBucket(Rate.parse("100/s"));

	private final RedisServer server = RedisServer.start();

	private final Map<String, Scenario> scenarios = new LinkedHashMap<>();

	private RedisBenchmarks() {
	}

	/**
	 * Runs the benchmarks.
	 * @param arguments the numbers of threads, separated by commas; the seconds of a
	 * measurement; the number of rounds; a regular expression of the names of what is
	 * measured in addition to the GET
	 */
	public static void main(String[] arguments) {
		int status = 1;
		try {
			measure(arguments);
			status = 0;
		}
		catch (Exception ex) {
			LogFactory.getLog(RedisBenchmarks.class).error("The benchmarks failed", ex);
		}
		finally {
			// Some clients have threads that are not daemons.
			System.exit(status);
		}
	}

	private static void measure(String[] arguments) throws Exception {
		String threads = (arguments.length > 0) ? arguments[0] : "1,8,32";
		Duration duration = Duration.ofSeconds((arguments.length > 1) ? Long.parseLong(arguments[1]) : 2);
		int rounds = (arguments.length > 2) ? Integer.parseInt(arguments[2]) : 5;
		String names = (arguments.length > 3) ? arguments[3] : ".*";
		System.out.println("JDK " + Runtime.version() + ", " + Runtime.getRuntime().availableProcessors()
				+ " processors for client and server, " + rounds + " rounds of " + duration.toSeconds() + " s, "
				+ CALLERS + " callers");
		RedisBenchmarks benchmarks = new RedisBenchmarks();
		benchmarks.addScenarios(names);
		for (String count : threads.split(",", -1)) {
			benchmarks.run(Integer.parseInt(count), duration, rounds);
		}
	}

	private void addScenarios(String names) {
		int port = this.server.port();
		add(BASELINE, LuaSubject.get(port));
		Map<String, Supplied> all = new LinkedHashMap<>();
		for (int tiers : new int[] { 1, 4 }) {
			String suffix = (tiers == 1) ? ", 1 tier" : ", " + tiers + " tiers";
			all.put("reference" + suffix, () -> LuaSubject.reference(port, tiers));
			all.put("Tierlimit" + suffix, () -> tierlimit(WIDE, tiers));
			all.put("Bucket4j" + suffix, () -> new Bucket4jSubject(port, tiers, 1_000_000_000, Duration.ofSeconds(1)));
			all.put("Redisson" + suffix, () -> new RedissonSubject(port, tiers));
		}
		all.put("Gateway script, 1 tier", () -> LuaSubject.gateway(port));
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
			add("Bucket4j, rejections of one key", new Bucket4jSubject(port, 1, 1, Duration.ofHours(1)), 1);
			add("Bucket4j, rejections of 10,000 keys", new Bucket4jSubject(port, 1, 1, Duration.ofHours(1)),
					MANY_CALLERS);
		}
	}

	/** Four tiers in different slots, on a Redis Cluster and on one server. */
	private void addClusters(String names) {
		if ("cluster".matches(names)) {
			RedisCluster cluster = RedisCluster.start();
			List<RedisServer> masters = cluster.nodes();
			add("Tierlimit, 4 tiers in 4 slots, Cluster", masters, tierlimit(cluster, WIDE), CALLERS);
			add("Tierlimit, 4 tiers, three are wide", List.of(this.server),
					new TierlimitSubject(new LettuceConnectionFactory("localhost", this.server.port()), false,
							List.of(WIDE, WIDE, TIGHT, WIDE)),
					1);
			add("Tierlimit, 4 tiers in 4 slots, three are wide, Cluster", masters, tierlimit(cluster, TIGHT), 1);
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

	private void run(int threads, Duration duration, int rounds) throws Exception {
		Map<String, List<Measurement>> measured = this.scenarios.keySet()
			.stream()
			.collect(Collectors.toMap((name) -> name, (name) -> new ArrayList<>(), (a, b) -> a, LinkedHashMap::new));
		// The first round warms up.
		for (int round = 0; round <= rounds; round++) {
			for (Map.Entry<String, Scenario> scenario : this.scenarios.entrySet()) {
				Measurement measurement = scenario.getValue().run(threads, duration);
				if (round > 0) {
					Objects.requireNonNull(measured.get(scenario.getKey())).add(measurement);
				}
			}
		}
		System.out.println("\n" + Measurement.heading(threads));
		double baseline = Measurement.median(Objects.requireNonNull(measured.get(BASELINE)), Measurement::perSecond);
		measured.forEach((name, all) -> System.out.println(Measurement.row(name, all, baseline)));
	}

	/**
	 * Creates what is measured.
	 */
	@FunctionalInterface
	private interface Supplied {

		Subject get();

	}

	/**
	 * Requests, and the servers that decide them.
	 */
	private record Scenario(List<RedisServer> servers, Subject subject, int callers) {

		Measurement run(int threads, Duration duration) throws Exception {
			ServerStatistics before = ServerStatistics.of(this.servers);
			long start = System.nanoTime();
			Histogram times = ClosedLoop.run(this.subject, threads, this.callers, duration);
			long nanos = System.nanoTime() - start;
			return new Measurement(times, nanos, ServerStatistics.of(this.servers).minus(before));
		}

	}

}
