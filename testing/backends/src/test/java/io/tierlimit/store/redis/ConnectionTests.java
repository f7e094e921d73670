package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.function.BooleanSupplier;

import io.tierlimit.junit.Poll;
import io.tierlimit.redis.RedisSocket;
import io.tierlimit.store.Charge;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the connections of {@link RedisBucketStore}.
 */
@ExtendWith(OutputCaptureExtension.class)
class ConnectionTests extends RedisServerTest {

	private static final int MANY = 10_000;

	private static final String CONNECTIONS = "total_connections_received";

	private final Charge charge = Instance.ten("connection");

	@Test
	void allRequestsShareOneConnectionThatTheStoreCloses(CapturedOutput output) {
		for (int i = 0; i < 5; i++) {
			long before = TestConnections.info(this.server, CONNECTIONS);
			try (Instance instance = Instance.on(this.server.port())) {
				instance.request(20, this.charge);
			}
			// plus the connection of this test
			assertThat(TestConnections.info(this.server, CONNECTIONS)).isEqualTo(before + 2);
		}
		Poll.until(() -> TestConnections.info(this.server, "connected_clients") == 1,
				() -> this.server.command("CLIENT", "LIST"));
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void outageCostsFewCommands() {
		Instance instance = use(Instance.on(this.network.port()));
		this.server.resetStatistics();
		instance.leaveUnanswered(() -> this.network.delay(Duration.ofHours(1)));
		long seconds = request(instance, () -> this.server.calls().containsKey("hello"));
		// The calls that open the breaker; from then on new connections, one per
		// second.
		assertThat(this.server.calls().get("evalsha")).isBetween(5L, 10L);
		assertThat(this.server.calls().get("hello")).isLessThanOrEqualTo(2 * seconds);
		instance.answerAgain(this.network::heal);
		instance.awaitRecovery();
	}

	@Test
	void wrongPasswordIsTriedAboutOncePerSecond() {
		try (RedisSocket admin = this.server.connect(); Instance instance = Instance.on(this.server.port())) {
			admin.command("CONFIG", "SET", "requirepass", "changed");
			admin.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
			admin.command("CONFIG", "RESETSTAT");
			long seconds = request(instance,
					() -> TestConnections.info(admin.command("INFO", "STATS"), CONNECTIONS) > 1);
			assertThat(TestConnections.info(admin.command("INFO", "STATS"), CONNECTIONS)).isLessThan(5 * seconds);
			admin.command("CONFIG", "SET", "requirepass", "");
			instance.awaitRecovery();
		}
	}

	/**
	 * Makes many requests for more than a second, until a condition is met.
	 * @return the number of seconds that have begun
	 */
	private long request(Instance instance, BooleanSupplier happened) {
		long start = System.nanoTime();
		for (int requests = 0; requests < MANY || seconds(start) <= 1; requests += 100) {
			assertThat(instance.request(100, this.charge).stored()).isZero();
		}
		Poll.until(() -> instance.request(100, this.charge).stored() == 0 && happened.getAsBoolean(),
				() -> instance.all().toString());
		return seconds(start);
	}

	private static long seconds(long start) {
		return Duration.ofNanos(System.nanoTime() - start).toSeconds() + 1;
	}

}
