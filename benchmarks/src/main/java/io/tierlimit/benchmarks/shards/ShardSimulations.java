package io.tierlimit.benchmarks.shards;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

import io.tierlimit.benchmarks.report.Page;
import io.tierlimit.benchmarks.report.Samples;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;

/**
 * Simulates a limit that is spread over shards, next to the same limit on one bucket: the
 * part of the limit that remains unused although there are enough requests, and the share
 * of each instance. Every round has another seed, and all subjects have the same requests
 * in a round.
 */
public final class ShardSimulations {

	private static final int ROUNDS = Integer.getInteger("rounds", 5);

	private static final List<Double> LOADS = List.of(1.0, 1.05, 1.2, 1.5, 2.0);

	private static final List<Duration> BURSTS = List.of(Duration.ofMillis(50), Duration.ofMillis(200),
			Duration.ofSeconds(1));

	private static final List<Traffic> TRAFFIC = List.of(new Traffic(1, false), new Traffic(4, false),
			new Traffic(4, true));

	private static final List<Spreading> SPREADINGS = List.of(new Spreading(1, 2), new Spreading(4, 2),
			new Spreading(4, 1), new Spreading(16, 2), new Spreading(16, 1));

	private ShardSimulations() {
	}

	/**
	 * Runs the simulations. The system property {@code rounds} sets the number of seeds.
	 * @param arguments none
	 * @throws IOException if the page cannot be read or written
	 */
	public static void main(String[] arguments) throws IOException {
		Page.replace("shards-unused-token-bucket", unused(ShardSimulations::tokenBucket));
		Page.replace("shards-unused-fixed-window", unused(ShardSimulations::fixedWindow));
		Page.replace("shards-instances", instances());
	}

	static Limit tokenBucket(Duration burst) {
		return new TokenBucket(new Rate(Simulation.PER_SECOND, Duration.ofSeconds(1)), permits(burst));
	}

	/**
	 * The window is as long as the burst, because a window allows its permits at once.
	 */
	static Limit fixedWindow(Duration burst) {
		return new FixedWindow(new Rate(permits(burst), burst), permits(burst), Duration.ZERO);
	}

	private static long permits(Duration time) {
		return time.toMillis() * Simulation.PER_SECOND / 1000;
	}

	/** A table for each traffic, with a column for each load. */
	private static List<String> unused(Function<Duration, Limit> limits) {
		List<String> lines = new ArrayList<>();
		for (Traffic traffic : TRAFFIC) {
			lines.addAll(List.of(lines.isEmpty() ? traffic + ":" : "\n" + traffic + ":", ""));
			StringBuilder head = new StringBuilder("| |");
			LOADS.forEach((load) -> head.append(" ").append(load).append(" |"));
			lines.addAll(List.of(head.toString(), "|---|" + "---|".repeat(LOADS.size())));
			for (Duration burst : BURSTS) {
				for (Spreading spreading : SPREADINGS) {
					lines.add("| " + burst.toMillis() + " ms, " + spreading + " |"
							+ unused(limits.apply(burst), spreading, traffic));
				}
			}
		}
		return lines;
	}

	private static String unused(Limit limit, Spreading spreading, Traffic traffic) {
		StringBuilder cells = new StringBuilder();
		for (double load : LOADS) {
			Samples unused = new Samples();
			for (int round = 1; round <= ROUNDS; round++) {
				unused.add(rounded(new Simulation(limit, spreading, traffic, load).run(round).unused()));
			}
			cells.append(" ").append(unused.median(1)).append(" (").append(unused.spread(1)).append(") |");
		}
		return cells.toString();
	}

	/** Rounded to the decimal that the table has, without a negative zero. */
	private static double rounded(double percent) {
		return Math.round(10 * percent) / 10.0;
	}

	private static List<String> instances() {
		List<String> lines = new ArrayList<>(List.of(
				"| | load | admitted, least of greatest | least to greatest "
						+ "| admitted at the first instance, % | at the second instance, % |",
				"|---|---|---|---|---|---|"));
		Duration burst = Duration.ofMillis(200);
		for (Traffic traffic : List.of(new Traffic(4, false), new Traffic(4, true))) {
			for (Spreading spreading : List.of(new Spreading(1, 2), new Spreading(16, 2))) {
				for (double load : List.of(1.2, 2.0)) {
					lines.add(instances("token bucket", new Simulation(tokenBucket(burst), spreading, traffic, load)));
					lines.add(instances("fixed window", new Simulation(fixedWindow(burst), spreading, traffic, load)));
				}
			}
		}
		return lines;
	}

	private static String instances(String limit, Simulation simulation) {
		Samples evenness = new Samples();
		Samples first = new Samples();
		Samples second = new Samples();
		for (int round = 1; round <= ROUNDS; round++) {
			Outcome outcome = simulation.run(round);
			evenness.add(outcome.evenness());
			first.add(outcome.percentAdmitted(0));
			second.add(outcome.percentAdmitted(1));
		}
		return String.format(Locale.ROOT, "| %s%s, %s | %s | %s | %s | %s | %s |",
				simulation.traffic().skewed() ? "skewed, " : "", limit, simulation.spreading(), simulation.load(),
				evenness.median(3), evenness.spread(3), first.median(1), second.median(1));
	}

}
