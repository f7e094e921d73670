package io.tierlimit.benchmarks.redis;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import com.sun.management.OperatingSystemMXBean;
import io.tierlimit.benchmarks.ClosedLoop;
import io.tierlimit.redis.RedisServer;
import org.HdrHistogram.Histogram;

/**
 * One subject in one round.
 *
 * @param times the times of all checks, in nanoseconds
 * @param nanos the time from before the first check until after the last
 * @param clientNanos the processor time of this process
 * @param server the work of the servers for these checks
 * @param busiestMicros the processor time of the server that has worked most, in
 * microseconds
 */
record Measurement(Histogram times, long nanos, long clientNanos, ServerStatistics server, long busiestMicros) {

	private static final OperatingSystemMXBean PROCESS = (OperatingSystemMXBean) ManagementFactory
		.getOperatingSystemMXBean();

	/**
	 * Checks requests in a closed loop.
	 * @param callers the number of callers; each request has a random caller
	 */
	static Measurement of(Subject subject, List<RedisServer> servers, int callers, int threads, Duration duration)
			throws Exception {
		List<ServerStatistics> before = ServerStatistics.ofEach(servers);
		long client = PROCESS.getProcessCpuTime();
		long start = System.nanoTime();
		Histogram times = ClosedLoop.run(threads, duration,
				(thread) -> () -> subject.check(ThreadLocalRandom.current().nextInt(callers)));
		long nanos = System.nanoTime() - start;
		long clientNanos = PROCESS.getProcessCpuTime() - client;
		List<ServerStatistics> work = ServerStatistics.minus(ServerStatistics.ofEach(servers), before);
		return new Measurement(times, nanos, clientNanos, ServerStatistics.sum(work),
				work.stream().mapToLong(ServerStatistics::cpuMicros).max().orElse(0));
	}

	double perSecond() {
		return this.times.getTotalCount() * 1e9 / this.nanos;
	}

	double micros(double percentile) {
		return this.times.getValueAtPercentile(percentile) / 1000.0;
	}

	double perCheck(long total) {
		return (double) total / this.times.getTotalCount();
	}

}
