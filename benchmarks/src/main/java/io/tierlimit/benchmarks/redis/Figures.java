package io.tierlimit.benchmarks.redis;

import io.tierlimit.benchmarks.report.Samples;

/**
 * The results of one subject in all rounds.
 */
final class Figures {

	static final String HEADING = "| checks per second | least to greatest | of GET | of the reference | median, µs "
			+ "| 99th percentile, µs | instance, µs | Redis, µs | of it in scripts | scripts | bytes received | bytes sent |";

	static final String RULE = "|---|---|---|---|---|---|---|---|---|---|---|---|---|";

	private final Samples perSecond = new Samples();

	private final Samples ofGet = new Samples();

	private final Samples ofReference = new Samples();

	private final Samples median = new Samples();

	private final Samples percentile = new Samples();

	private final Samples client = new Samples();

	private final Samples server = new Samples();

	private final Samples inScripts = new Samples();

	private final Samples scripts = new Samples();

	private final Samples received = new Samples();

	private final Samples sent = new Samples();

	/** Adds a round, with the measurements of the same round that it is compared with. */
	void add(Measurement measured, Measurement get, Measurement reference) {
		ServerStatistics servers = measured.server();
		this.perSecond.add(measured.perSecond());
		this.ofGet.add(measured.perSecond() / get.perSecond());
		this.ofReference.add(measured.perSecond() / reference.perSecond());
		this.median.add(measured.micros(50));
		this.percentile.add(measured.micros(99));
		this.client.add(measured.perCheck(measured.clientNanos()) / 1e3);
		this.server.add(measured.perCheck(servers.cpuMicros()));
		this.inScripts.add(measured.perCheck(servers.scriptMicros()));
		this.scripts.add(measured.perCheck(servers.scripts()));
		this.received.add(measured.perCheck(servers.bytesIn()));
		this.sent.add(measured.perCheck(servers.bytesOut()));
	}

	String cells() {
		return String
			.join(" | ", "", this.perSecond.median(0), this.perSecond.spread(0), this.ofGet.median(2),
					this.ofReference.median(2), this.median.median(0), this.percentile.median(0), this.client.median(1),
					this.server.median(1), this.inScripts.median(1), this.scripts.median(3), this.received.median(0),
					this.sent.median(0), "")
			.stripTrailing();
	}

}
