package io.tierlimit.store.redis;

import java.util.Set;
import java.util.stream.Collectors;

import io.tierlimit.redis.RedisServer;
import io.tierlimit.redis.TcpProxy;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that no thread keeps waiting after replies were lost.
 */
@Tag("slow")
class ParkedThreadTests {

	private static final int THREADS = 16;

	@Test
	void lostRepliesKeepNoThreadWaiting() throws Exception {
		Charge charge = Instance.ten("parked");
		try (RedisServer server = RedisServer.start();
				TcpProxy network = new TcpProxy(server.port());
				Instance instance = Instance.on(network.port())) {
			instance.request(1, charge);
			Set<String> before = ours();
			instance.leaveUnanswered(network::swallow);
			Crowd.run(THREADS, (member) -> instance.request(5, charge).alone());
			assertThat(instance.all()).isEqualTo(new Tally(1, THREADS * 5, 0, 11));
			assertThat(ours()).hasSizeLessThanOrEqualTo(before.size() + 1);
		}
	}

	/** The threads of the store. */
	private static Set<String> ours() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map((thread) -> thread.getName() + " " + System.identityHashCode(thread))
			.filter((name) -> name.startsWith("tierlimit"))
			.collect(Collectors.toSet());
	}

}
