package io.tierlimit.redis;

import java.util.List;

/**
 * Runs Redis for a script, until the process is ended.
 */
public final class RunRedis {

	private RunRedis() {
	}

	/**
	 * Starts Redis and prints its ports in one line.
	 * @param args {@code cluster} for three masters and three replicas
	 * @throws InterruptedException if the process is ended
	 */
	public static void main(String[] args) throws InterruptedException {
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

	private static void run(List<Integer> ports) throws InterruptedException {
		System.out.println(String.join(" ", ports.stream().map(String::valueOf).toList()));
		Thread.currentThread().join();
	}

}
