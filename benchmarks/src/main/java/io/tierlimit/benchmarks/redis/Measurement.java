package io.tierlimit.benchmarks.redis;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

import org.HdrHistogram.Histogram;

/**
 * One subject in one round.
 *
 * @param times the times of all checks, in nanoseconds
 * @param nanos the time from before the first check until after the last
 * @param server what the servers have done for them
 */
record Measurement(Histogram times, long nanos, ServerStatistics server) {

	static String heading(int threads) {
		return "| " + threads + (threads == 1 ? " thread" : " threads")
				+ " | checks/s | min to max | of GET | p50 us | p99 us | p99.9 us | scripts per check | server us per check "
				+ "| in scripts | bytes in | bytes out |\n|---|---|---|---|---|---|---|---|---|---|---|---|";
	}

	static String row(String name, List<Measurement> all, double baseline) {
		return String.format(Locale.ROOT,
				"| %s | %.0f | %.0f to %.0f | %.2f | %.0f | %.0f | %.0f | %.3f | %.1f | %.1f | %.0f | %.0f |", name,
				median(all, Measurement::perSecond),
				all.stream().mapToDouble(Measurement::perSecond).min().orElseThrow(),
				all.stream().mapToDouble(Measurement::perSecond).max().orElseThrow(),
				median(all, Measurement::perSecond) / baseline, median(all, (one) -> one.micros(50)),
				median(all, (one) -> one.micros(99)), median(all, (one) -> one.micros(99.9)),
				median(all, (one) -> one.perCheck(one.server.scripts())),
				median(all, (one) -> one.perCheck(one.server.cpuMicros())),
				median(all, (one) -> one.perCheck(one.server.scriptMicros())),
				median(all, (one) -> one.perCheck(one.server.bytesIn())),
				median(all, (one) -> one.perCheck(one.server.bytesOut())));
	}

	static double median(List<Measurement> all, ToDoubleFunction<Measurement> value) {
		return all.stream().mapToDouble(value).sorted().skip(all.size() / 2).findFirst().orElseThrow();
	}

	double perSecond() {
		return this.times.getTotalCount() * 1e9 / this.nanos;
	}

	private double micros(double percentile) {
		return this.times.getValueAtPercentile(percentile) / 1000.0;
	}

	private double perCheck(long total) {
		return (double) total / this.times.getTotalCount();
	}

}
