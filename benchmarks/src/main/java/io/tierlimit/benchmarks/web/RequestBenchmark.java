package io.tierlimit.benchmarks.web;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * One request through the filter and the check before its handler. The request and the
 * response do not allocate memory.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RequestBenchmark {

	private final PlainRequest request = new PlainRequest("/page");

	private final PlainResponse response = new PlainResponse();

	private final WrittenByHand byHand = new WrittenByHand();

	private int tiers;

	private int status = 200;

	private RateLimitedApplication application = new RateLimitedApplication(Map.of(), "none", false);

	/** The rules that the request is checked against. */
	@Param({ "unmatched", "annotated-elsewhere", "1-tier", "4-tiers", "rejected", "20-rules", "1000-rules" })
	private String rules = "unmatched";

	/** The listeners that are notified of each request. */
	@Param({ "none", "meters", "observations" })
	private String listeners = "none";

	/** Starts the application. */
	@Setup
	public void start() {
		Map<String, Object> properties = new LinkedHashMap<>();
		switch (this.rules) {
			case "1-tier", "4-tiers" -> addTiers(properties, this.rules.charAt(0) - '0', "100000000/s");
			case "rejected" -> {
				addTiers(properties, 4, "100000000/s");
				properties.put("tierlimit.rules.tier-1.rate", "1/d");
				this.status = 429;
			}
			case "20-rules" -> addPaths(properties, 20);
			case "1000-rules" -> addPaths(properties, 1_000);
			default -> addPaths(properties, 1);
		}
		if (this.listeners.equals("observations")) {
			properties.put("tierlimit.metrics.observations", true);
		}
		this.application = new RateLimitedApplication(properties, this.listeners,
				this.rules.equals("annotated-elsewhere"));
		for (int i = 0; i < 3; i++) {
			filter();
		}
		if (filter() != this.status) {
			throw new IllegalStateException("The status must be " + this.status);
		}
	}

	private void addTiers(Map<String, Object> properties, int count, String rate) {
		this.tiers = count;
		for (int i = 0; i < count; i++) {
			String rule = "tierlimit.rules.tier-" + i;
			properties.put(rule + ".rate", rate);
			properties.put(rule + ".scope", (i == 0) ? "ip" : "global");
			properties.put(rule + ".paths", (i < 2) ? "/page" : "/**");
		}
	}

	private static void addPaths(Map<String, Object> properties, int count) {
		for (int i = 0; i < count; i++) {
			String rule = "tierlimit.rules.other-" + i;
			properties.put(rule + ".rate", "1/s");
			properties.put(rule + ".methods", (i % 2 == 0) ? "GET" : "POST");
			properties.put(rule + ".paths", "/api/other-" + i / 2 + ((i % 4 < 2) ? "/{id}" : "/**"));
		}
	}

	/** The filter of Tierlimit, as the application has registered it. */
	@Benchmark
	public int filter() {
		try {
			return this.application.serve(this.request.recycled(), this.response.recycled());
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * The minimum work of a filter: one compare-and-set for each tier, and the headers.
	 */
	@Benchmark
	public int reference() {
		return this.byHand.serve(this.tiers, this.status, this.response.recycled());
	}

}
