package io.tierlimit.benchmarks.redis;

import io.tierlimit.benchmarks.report.Samples;

/**
 * The results of one hot bucket in all rounds. The processor time of the servers includes
 * replicas. The busiest server is the one that has worked most.
 */
final class ShardFigures {

	static final String HEADING = "| checks per second | least to greatest | of one bucket | median, µs "
			+ "| instance, µs | Redis, µs | busiest server, µs | of it with one bucket | instance, cores | Redis, cores | busiest server, cores | scripts |";

	static final String RULE = "|---|---|---|---|---|---|---|---|---|---|---|---|---|";

	private final Samples perSecond = new Samples();

	private final Samples ofOne = new Samples();

	private final Samples median = new Samples();

	private final Samples client = new Samples();

	private final Samples servers = new Samples();

	private final Samples busiest = new Samples();

	private final Samples busiestOfOne = new Samples();

	private final Samples clientCores = new Samples();

	private final Samples serverCores = new Samples();

	private final Samples busiestCores = new Samples();

	private final Samples scripts = new Samples();

	/** Adds a round, with the bucket without shards in the same round. */
	void add(Measurement measured, Measurement one) {
		this.perSecond.add(measured.perSecond());
		this.ofOne.add(measured.perSecond() / one.perSecond());
		this.median.add(measured.micros(50));
		this.client.add(measured.perCheck(measured.clientNanos()) / 1e3);
		this.servers.add(measured.perCheck(measured.server().cpuMicros()));
		this.busiest.add(measured.perCheck(measured.busiestMicros()));
		this.busiestOfOne.add(measured.perCheck(measured.busiestMicros()) / one.perCheck(one.busiestMicros()));
		this.clientCores.add((double) measured.clientNanos() / measured.nanos());
		this.serverCores.add(measured.server().cpuMicros() * 1e3 / measured.nanos());
		this.busiestCores.add(measured.busiestMicros() * 1e3 / measured.nanos());
		this.scripts.add(measured.perCheck(measured.server().scripts()));
	}

	String cells() {
		return String
			.join(" | ", "", this.perSecond.median(0), this.perSecond.spread(0), this.ofOne.median(2),
					this.median.median(0), this.client.median(1), this.servers.median(1), this.busiest.median(1),
					this.busiestOfOne.median(2), this.clientCores.median(2), this.serverCores.median(2),
					this.busiestCores.median(2), this.scripts.median(3), "")
			.stripTrailing();
	}

}
