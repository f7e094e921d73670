package io.tierlimit.benchmarks.redis;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.tierlimit.redis.RedisServer;

/**
 * The work of one server or of several servers since their start.
 *
 * @param scripts calls of scripts
 * @param scriptMicros the time in scripts, in microseconds
 * @param cpuMicros the processor time, in microseconds
 * @param bytesIn received bytes
 * @param bytesOut sent bytes
 */
record ServerStatistics(long scripts, long scriptMicros, long cpuMicros, long bytesIn, long bytesOut) {

	private static final String COMMAND = "cmdstat_%s:calls=(\\d+)";

	static List<ServerStatistics> ofEach(List<RedisServer> servers) {
		return servers.stream().map((server) -> of(server.command("INFO", "all"))).toList();
	}

	static ServerStatistics sum(List<ServerStatistics> each) {
		return each.stream().reduce(new ServerStatistics(0, 0, 0, 0, 0), (sum, next) -> sum.plus(next, 1));
	}

	/** The work of each server since its earlier statistics. */
	static List<ServerStatistics> minus(List<ServerStatistics> each, List<ServerStatistics> before) {
		return IntStream.range(0, each.size()).mapToObj((i) -> each.get(i).plus(before.get(i), -1)).toList();
	}

	private static ServerStatistics of(String info) {
		long micros = 0;
		long scripts = 0;
		for (String script : List.of("evalsha", "eval")) {
			micros += (long) number(COMMAND.formatted(script) + ",usec=(\\d+)", info, 2);
			scripts += (long) number(COMMAND.formatted(script), info, 1);
		}
		double cpu = number("used_cpu_user:([\\d.]+)", info, 1) + number("used_cpu_sys:([\\d.]+)", info, 1);
		return new ServerStatistics(scripts, micros, Math.round(cpu * 1e6),
				(long) number("total_net_input_bytes:(\\d+)", info, 1),
				(long) number("total_net_output_bytes:(\\d+)", info, 1));
	}

	private static double number(String pattern, String info, int group) {
		Matcher matcher = Pattern.compile(pattern).matcher(info);
		return matcher.find() ? Double.parseDouble(matcher.group(group)) : 0;
	}

	private ServerStatistics plus(ServerStatistics other, int sign) {
		return new ServerStatistics(this.scripts + sign * other.scripts, this.scriptMicros + sign * other.scriptMicros,
				this.cpuMicros + sign * other.cpuMicros, this.bytesIn + sign * other.bytesIn,
				this.bytesOut + sign * other.bytesOut);
	}

}
