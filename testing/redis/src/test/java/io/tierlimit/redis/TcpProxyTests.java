package io.tierlimit.redis;

import java.io.EOFException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Tag("slow")
class TcpProxyTests {

	private static final Duration SOON = Duration.ofMillis(200);

	private static final RedisServer SERVER = RedisServer.start();

	private final TcpProxy proxy = new TcpProxy(SERVER.port());

	private final RedisSocket client = new RedisSocket(this.proxy.port());

	@AfterAll
	static void closeServer() {
		SERVER.close();
	}

	@AfterEach
	void leavesNoThreadBehind() {
		this.client.close();
		this.proxy.close();
		String prefix = "proxy-" + this.proxy.port() + "-";
		assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
			.noneMatch((name) -> name.startsWith(prefix));
		this.proxy.close();
	}

	@Test
	void forwardsEverything() {
		String large = "x".repeat(1_000_000);
		assertThat(this.client.command("SET", "large", large)).isEqualTo("OK");
		assertThat(this.client.command("GET", "large")).isEqualTo(large);
	}

	@Test
	void swallowsInBothDirections() {
		SERVER.command("DEL", "swallowed");
		try (RedisSocket old = new RedisSocket(this.proxy.port(), SOON)) {
			old.command("PING");
			this.proxy.swallow();
			assertThatThrownBy(() -> old.command("INCR", "swallowed")).hasCauseInstanceOf(SocketTimeoutException.class);
		}
		try (RedisSocket another = new RedisSocket(this.proxy.port(), SOON)) {
			assertThatThrownBy(() -> another.command("INCR", "swallowed"))
				.hasCauseInstanceOf(SocketTimeoutException.class);
		}
		assertThat(SERVER.command("GET", "swallowed")).isEqualTo("(nil)");
	}

	@Test
	void swallowedBytesAreLostAfterCut() {
		SERVER.command("DEL", "lost");
		this.client.command("PING");
		this.proxy.swallow();
		this.client.send("INCR", "lost");
		this.proxy.cut();
		this.proxy.heal();
		assertCut(this.client::reply);
		assertThat(SERVER.command("GET", "lost")).isEqualTo("(nil)");
	}

	@Test
	void cutsOnceInTheMiddleOfAReply() {
		this.proxy.cutAfter(7);
		assertThatThrownBy(() -> this.client.command("ECHO", "hello")).hasCauseInstanceOf(EOFException.class)
			.hasMessageContaining("in the middle of a reply");
		try (RedisSocket another = new RedisSocket(this.proxy.port())) {
			assertThat(another.command("ECHO", "hello")).isEqualTo("hello");
		}
	}

	@Test
	void closesConnectionsToADeadServer() {
		try (RedisServer mortal = RedisServer.start();
				TcpProxy front = new TcpProxy(mortal.port());
				RedisSocket old = new RedisSocket(front.port())) {
			old.command("PING");
			mortal.kill();
			assertCut(old::reply);
			try (RedisSocket another = new RedisSocket(front.port())) {
				assertCut(another::reply);
			}
			mortal.restart();
			try (RedisSocket another = new RedisSocket(front.port())) {
				assertThat(another.command("PING")).isEqualTo("PONG");
			}
		}
	}

	@Test
	void closesWithDelayedReplies() {
		this.proxy.delay(Duration.ofHours(1));
		this.client.send("PING");
		this.proxy.swallow();
	}

	private static void assertCut(ThrowingCallable action) {
		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(action)
			.satisfies((ex) -> assertThat(ex.getCause()).isNotInstanceOf(SocketTimeoutException.class));
	}

}
