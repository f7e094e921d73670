package io.tierlimit.redis;

import java.io.EOFException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;

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
	void delaysReplies() {
		this.client.command("PING");
		this.proxy.delay(Duration.ofMillis(150));
		assertThat(timeOf(() -> this.client.command("PING"))).isGreaterThanOrEqualTo(Duration.ofMillis(150));
		try (RedisSocket another = new RedisSocket(this.proxy.port())) {
			assertThat(timeOf(() -> another.command("PING"))).isGreaterThanOrEqualTo(Duration.ofMillis(150));
		}
	}

	@Test
	void delayedRepliesStayInOrder() {
		this.proxy.delay(Duration.ofMillis(20));
		for (int i = 0; i < 50; i++) {
			this.client.send("ECHO", String.valueOf(i));
		}
		for (int i = 0; i < 50; i++) {
			assertThat(this.client.reply()).isEqualTo(String.valueOf(i));
		}
	}

	@Test
	void healEndsADelay() {
		this.proxy.delay(Duration.ofHours(1));
		this.client.send("PING");
		this.proxy.heal();
		assertThat(this.client.reply()).isEqualTo("PONG");
	}

	@Test
	void swallowsInBothDirections() {
		SERVER.command("DEL", "swallowed");
		this.client.command("PING");
		this.proxy.swallow();
		this.client.setTimeout(SOON);
		assertThatThrownBy(() -> this.client.command("INCR", "swallowed"))
			.hasCauseInstanceOf(SocketTimeoutException.class);
		try (RedisSocket another = new RedisSocket(this.proxy.port())) {
			another.setTimeout(SOON);
			assertThatThrownBy(() -> another.command("INCR", "swallowed"))
				.hasCauseInstanceOf(SocketTimeoutException.class);
		}
		assertThat(SERVER.command("GET", "swallowed")).isEqualTo("(nil)");
	}

	@Test
	void swallowedBytesArriveAfterHeal() {
		this.proxy.swallow();
		this.client.send("ECHO", "late");
		this.proxy.heal();
		assertThat(this.client.reply()).isEqualTo("late");
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
	void rejectsOldAndNewConnections() {
		this.client.command("PING");
		this.proxy.reject();
		assertCut(() -> this.client.command("PING"));
		assertThatThrownBy(() -> new RedisSocket(this.proxy.port())).hasCauseInstanceOf(ConnectException.class);
		this.proxy.heal();
		try (RedisSocket another = new RedisSocket(this.proxy.port())) {
			assertThat(another.command("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void cutsAllConnectionsAndAcceptsNewOnes() {
		try (RedisSocket another = new RedisSocket(this.proxy.port())) {
			List.of(this.client, another).forEach((socket) -> socket.command("PING"));
			this.proxy.cut();
			assertCut(this.client::reply);
			assertCut(another::reply);
		}
		try (RedisSocket another = new RedisSocket(this.proxy.port())) {
			assertThat(another.command("PING")).isEqualTo("PONG");
		}
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
	void cutCountsOverSeveralReplies() {
		this.proxy.cutAfter(14);
		assertThat(this.client.command("PING")).isEqualTo("PONG");
		assertThat(this.client.command("PING")).isEqualTo("PONG");
		assertThatThrownBy(this.client::reply).hasCauseInstanceOf(EOFException.class)
			.hasMessageContaining("before a reply");
	}

	@Test
	void replyCanBeLostAfterTheCommandRan() {
		SERVER.command("DEL", "acted");
		this.proxy.cutAfter(0);
		assertCut(() -> this.client.command("INCR", "acted"));
		assertThat(SERVER.command("GET", "acted")).isEqualTo("1");
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

	private static Duration timeOf(Runnable action) {
		long start = System.nanoTime();
		action.run();
		return Duration.ofNanos(System.nanoTime() - start);
	}

}
