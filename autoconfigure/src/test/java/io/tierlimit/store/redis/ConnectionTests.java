package io.tierlimit.store.redis;

import java.time.Duration;

import io.tierlimit.redis.Poll;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.redis.RedisSocket;
import io.tierlimit.redis.TcpProxy;
import io.tierlimit.spi.Charge;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for how {@link RedisBucketStore} connects, tries to, and disconnects.
 */
@ExtendWith(OutputCaptureExtension.class)
class ConnectionTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final Charge charge = Instance.ten("connection");

	private RedisServer server;

	private TcpProxy network;

	@BeforeEach
	void start() {
		this.server = RedisServer.start();
		this.network = new TcpProxy(this.server.port());
	}

	@AfterEach
	void stop() {
		this.network.close();
		this.server.close();
	}

	@Test
	void allRequestsShareOneConnectionThatEndsWithTheStore(CapturedOutput output) {
		for (int i = 0; i < 5; i++) {
			long before = connectionsSoFar();
			try (Instance instance = Instance.on(this.server.port())) {
				instance.ask(20, this.charge);
			}
			// And the one that asks.
			assertThat(connectionsSoFar()).isEqualTo(before + 2);
		}
		Poll.until(PATIENCE, () -> number(this.server.command("INFO", "CLIENTS"), "connected_clients") == 1,
				() -> this.server.command("CLIENT", "LIST"));
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void outageCostsFewCommands() {
		try (Instance instance = Instance.on(this.network.port())) {
			this.server.resetStatistics();
			this.network.delay(Duration.ofHours(1));
			long start = System.nanoTime();
			int requests = askFor(instance, Duration.ofSeconds(3));
			long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds() + 1;
			assertThat(requests).isGreaterThan(10_000);
			// Those that open the breaker; from then on new connections, one a second.
			assertThat(this.server.calls().get("evalsha")).isBetween(5L, 10L);
			assertThat(this.server.calls().get("hello")).isBetween(1L, 2 * seconds);
			this.network.heal();
			instance.awaitRecovery();
		}
	}

	@Test
	void wrongPasswordIsTriedOnceASecondOrSo() {
		try (RedisSocket admin = this.server.connect(); Instance instance = Instance.on(this.server.port())) {
			admin.command("CONFIG", "SET", "requirepass", "changed");
			admin.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
			admin.command("CONFIG", "RESETSTAT");
			askFor(instance, Duration.ofSeconds(3));
			assertThat(number(admin.command("INFO", "STATS"), "total_connections_received")).isBetween(2L, 20L);
			admin.command("CONFIG", "SET", "requirepass", "");
			instance.awaitRecovery();
		}
	}

	private int askFor(Instance instance, Duration time) {
		long end = System.nanoTime() + time.toNanos();
		int requests = 0;
		while (System.nanoTime() - end < 0) {
			assertThat(instance.ask(100, this.charge).stored()).isZero();
			requests += 100;
		}
		return requests;
	}

	private long connectionsSoFar() {
		return number(this.server.command("INFO", "STATS"), "total_connections_received");
	}

	private static long number(String info, String name) {
		return info.lines()
			.filter((line) -> line.startsWith(name + ":"))
			.mapToLong((line) -> Long.parseLong(line.substring(name.length() + 1)))
			.findFirst()
			.orElseThrow();
	}

}
