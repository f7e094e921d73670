package io.tierlimit.redis;

import java.io.IOException;
import java.util.List;

/**
 * Runs Redis for a script, until its standard input ends.
 */
public final class RunRedis {

	private RunRedis() {
	}

	/**
	 * Starts Redis and prints its ports in a line.
	 * @param args {@code cluster} for three masters and three replicas
	 * @throws IOException if the standard input can't be read
	 */
	public static void main(String[] args) throws IOException {
		if (List.of(args).contains("cluster")) {
			try (RedisCluster cluster = RedisCluster.start()) {
				run(cluster.ports());
			}
		}
		else {
			try (RedisServer server = RedisServer.start()) {
				run(List.of(server.port()));
			}
		}
	}

	private static void run(List<Integer> ports) throws IOException {
		System.out.println(String.join(" ", ports.stream().map(String::valueOf).toList()));
		while (System.in.read() >= 0) {
			// Goes on.
		}
	}

}
