package io.tierlimit.benchmarks.http;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;

import io.tierlimit.benchmarks.report.BarChart;
import io.tierlimit.benchmarks.report.Machine;
import io.tierlimit.benchmarks.report.Page;
import io.tierlimit.benchmarks.report.Samples;
import org.HdrHistogram.Histogram;

/**
 * Starts all applications, warms up each application, and measures them in several
 * rounds, one after the other, in alternating order. Writes a table and a chart into the
 * page. A ratio compares an application with the application without a limiter in the
 * same round. The processor time of a server depends less on other processes on the
 * machine than its throughput.
 */
public final class HttpBenchmarks {

	private static final int ROUNDS = Integer.getInteger("rounds", 15);

	private static final Duration WARM_UP = Duration.ofMillis(Integer.getInteger("warm-up", 8000));

	private static final Duration SLICE = Duration.ofMillis(Integer.getInteger("slice", 1000));

	private final Map<Application, Server> servers = new EnumMap<>(Application.class);

	private final Map<Application, Figures> figures = new EnumMap<>(Application.class);

	private final UserLoad load = new UserLoad();

	private HttpBenchmarks() {
	}

	/**
	 * Runs the benchmarks. The system properties {@code rounds}, {@code warm-up} and
	 * {@code slice} set the number of rounds, and milliseconds.
	 * @param arguments none
	 * @throws Exception if an application does not start, or responds with an unexpected
	 * status
	 */
	public static void main(String[] arguments) throws Exception {
		List<String> lines = new ArrayList<>(List.of(Machine.describe(), ""));
		HttpBenchmarks benchmarks = new HttpBenchmarks();
		Runtime.getRuntime().addShutdownHook(new Thread(benchmarks::stop));
		benchmarks.start();
		for (int round = 0; round < ROUNDS; round++) {
			benchmarks.measure(round % 2 == 1);
		}
		lines.addAll(benchmarks.table());
		Page.replace("http", lines);
		Page.summarize("http", ".*", 0, 1, 2, 4, 5);
		Page.write("benchmarks-http.svg", chart());
	}

	private void start() throws IOException, InterruptedException, ExecutionException {
		for (Application application : Application.values()) {
			Server server = Server.start(application);
			synchronized (this.servers) {
				this.servers.put(application, server);
			}
			// The rule that rejects requests has one permit.
			this.load.sendOne(server.port());
			this.load.run(server.port(), application.status(), WARM_UP);
			this.figures.put(application, new Figures());
		}
	}

	private void stop() {
		synchronized (this.servers) {
			this.servers.values().forEach(Server::close);
		}
	}

	/**
	 * Runs one round. The application that is measured first in a round is measured last
	 * in the next round.
	 */
	private void measure(boolean reversed) throws IOException, InterruptedException, ExecutionException {
		List<Application> order = new ArrayList<>(List.of(Application.values()));
		if (reversed) {
			Collections.reverse(order);
		}
		Map<Application, Slice> round = new EnumMap<>(Application.class);
		for (Application application : order) {
			round.put(application, measure(application));
		}
		round.forEach((application, slice) -> Objects.requireNonNull(this.figures.get(application))
			.add(slice, Objects.requireNonNull(round.get(application.reference()))));
	}

	private Slice measure(Application application) throws IOException, InterruptedException, ExecutionException {
		Server server = Objects.requireNonNull(this.servers.get(application));
		Duration before = server.processorTime();
		Histogram times = this.load.run(server.port(), application.status(), SLICE);
		return new Slice(times, server.processorTime().minus(before));
	}

	private List<String> table() {
		List<String> lines = new ArrayList<>(List.of(
				"| | requests per second | of no limiter | least to greatest | server, µs of processor time per request | of no limiter | median, µs | 99th percentile, µs |",
				"|---|---|---|---|---|---|---|---|"));
		this.figures.forEach((application, measured) -> lines.add("| " + application.title() + measured.cells()));
		return lines;
	}

	private static BarChart chart() throws IOException {
		BarChart chart = new BarChart();
		chart.group("Requests per second, relative to the application without a limiter");
		for (List<String> row : Page.rows("http")) {
			chart.bar(row.get(0), Double.parseDouble(row.get(2)), row.get(2), 1.2, 1);
		}
		chart.group("Processor time of the server per request, relative to the application without a limiter");
		for (List<String> row : Page.rows("http")) {
			chart.bar(row.get(0), Double.parseDouble(row.get(5)), row.get(5), 3, 1);
		}
		return chart;
	}

	/**
	 * One application in one round.
	 *
	 * @param times the times of its requests, in nanoseconds
	 * @param processorTime the processor time that the server used
	 */
	private record Slice(Histogram times, Duration processorTime) {

		double perSecond() {
			return this.times.getTotalCount() * 1e9 / SLICE.toNanos();
		}

		double processorMicros() {
			return this.processorTime.toNanos() / 1e3 / this.times.getTotalCount();
		}

	}

	/**
	 * One application in all rounds.
	 */
	private static final class Figures {

		private final Samples perSecond = new Samples();

		private final Samples ratio = new Samples();

		private final Samples processorMicros = new Samples();

		private final Samples processorRatio = new Samples();

		private final Histogram times = new Histogram(3);

		void add(Slice slice, Slice reference) {
			this.perSecond.add(slice.perSecond());
			this.ratio.add(slice.perSecond() / reference.perSecond());
			this.processorMicros.add(slice.processorMicros());
			this.processorRatio.add(slice.processorMicros() / reference.processorMicros());
			this.times.add(slice.times());
		}

		String cells() {
			return String.format(Locale.ROOT, " | %s | %s | %s | %s | %s | %,d | %,d |", this.perSecond.median(0),
					this.ratio.median(2), this.ratio.spread(2), this.processorMicros.median(1),
					this.processorRatio.median(2), this.times.getValueAtPercentile(50) / 1000,
					this.times.getValueAtPercentile(99) / 1000);
		}

	}

}
