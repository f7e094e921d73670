package io.tierlimit.redis;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Tag("slow")
class RedisServerTests {

	private static final Duration SOON = Duration.ofMillis(200);

	private static final Duration LATER = Duration.ofSeconds(60);

	@Test
	void replies() {
		try (RedisServer server = RedisServer.start()) {
			assertThat(server.command("PING")).isEqualTo("PONG");
			assertThat(server.command("SET", "name", "Zoë\r\n")).isEqualTo("OK");
			assertThat(server.command("GET", "name")).isEqualTo("Zoë\r\n");
			assertThat(server.command("GET", "none")).isEqualTo("(nil)");
			assertThat(server.command("INCR", "count")).isEqualTo("1");
			assertThat(server.command("EVAL", "return {1, {'two', {}}, false, {err = 'three'}}", "0"))
				.isEqualTo("1\ntwo\n(nil)\nthree");
		}
	}

	@Test
	void errorsAreThrown() {
		try (RedisServer server = RedisServer.start(); RedisSocket socket = server.connect()) {
			assertThatExceptionOfType(RedisSocket.ErrorReply.class)
				.isThrownBy(() -> socket.command("EVALSHA", "0".repeat(40), "0"))
				.withMessageStartingWith("NOSCRIPT");
			assertThat(socket.command("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void storesNothingOnDiskByDefault() {
		try (RedisServer server = RedisServer.start()) {
			assertThat(server.command("CONFIG", "GET", "save")).isEqualTo("save\n");
			assertThat(server.command("CONFIG", "GET", "appendonly")).isEqualTo("appendonly\nno");
		}
		try (RedisServer server = RedisServer.start("--appendonly", "yes", "--appendfsync", "always")) {
			server.command("SET", "key", "kept");
			server.restart();
			assertThat(server.command("GET", "key")).isEqualTo("kept");
		}
	}

	@Test
	void isReachableFromThisMachineOnly() {
		try (RedisServer server = RedisServer.start()) {
			assertThat(server.command("CONFIG", "GET", "bind")).isEqualTo("bind\n127.0.0.1");
		}
	}

	@Test
	void passwordIsRequired() {
		try (RedisServer server = RedisServer.start("--requirepass", "secret");
				RedisSocket stranger = new RedisSocket(server.port())) {
			assertThat(server.command("PING")).isEqualTo("PONG");
			assertThatExceptionOfType(RedisSocket.ErrorReply.class).isThrownBy(() -> stranger.command("PING"))
				.withMessageStartingWith("NOAUTH");
			assertThat(stranger.command("AUTH", "secret")).isEqualTo("OK");
			assertThat(stranger.command("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void restartsEmptyOnItsPort() {
		try (RedisServer server = RedisServer.start("--maxmemory", "3mb")) {
			int port = server.port();
			long pid = server.pid();
			server.command("SET", "key", "lost");
			server.kill();
			assertThat(ProcessHandle.of(pid)).isEmpty();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> server.command("PING"));
			assertThatIllegalStateException().isThrownBy(server::stop).withMessageContaining("The process has ended");
			server.restart();
			assertThat(server.port()).isEqualTo(port);
			assertThat(server.pid()).isNotEqualTo(pid);
			assertThat(server.command("DBSIZE")).isEqualTo("0");
			assertThat(server.command("CONFIG", "GET", "maxmemory")).endsWith("\n3145728");
		}
	}

	@Test
	void restartEndsTheRunningProcess() {
		try (RedisServer server = RedisServer.start()) {
			long pid = server.pid();
			server.restart();
			assertThat(ProcessHandle.of(pid)).isEmpty();
			assertThat(server.command("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void stoppedServerRepliesAfterResume() {
		try (RedisServer server = RedisServer.start(); RedisSocket socket = server.connect()) {
			server.stop();
			socket.setTimeout(SOON);
			socket.send("PING");
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(socket::reply)
				.withMessageContaining("timed out");
			server.resume();
			assertThat(server.command("PING")).isEqualTo("PONG");
			socket.setTimeout(LATER);
			assertThat(socket.reply()).isEqualTo("PONG");
		}
	}

	@Test
	void countsCalls() {
		try (RedisServer server = RedisServer.start()) {
			server.command("SET", "key", "1");
			server.command("EVAL", "return 1", "0");
			server.command("eval", "return 1", "0");
			assertThat(server.calls()).containsEntry("set", 1L).containsEntry("eval", 2L).doesNotContainKey("get");
			server.resetStatistics();
			server.command("GET", "key");
			assertThat(server.calls()).containsEntry("get", 1L).doesNotContainKeys("set", "eval");
		}
	}

	@Test
	void leavesNothingBehind() {
		RedisServer server = RedisServer.start();
		assertThat(server.directory()).isDirectoryContaining("glob:**redis.log");
		server.close();
		assertThat(ProcessHandle.of(server.pid())).isEmpty();
		assertThat(server.directory()).doesNotExist();
		server.close();
	}

	@Test
	void closesWhileStopped() {
		RedisServer server = RedisServer.start();
		server.stop();
		server.close();
		assertThat(ProcessHandle.of(server.pid())).isEmpty();
		assertThat(server.directory()).doesNotExist();
	}

	@Test
	void closesDuringASnapshot() {
		RedisServer server = RedisServer.start("--rdb-key-save-delay", "100000");
		server.command("EVAL", "for i = 1, 1000 do redis.call('SET', i, i) end", "0");
		server.command("BGSAVE");
		ProcessHandle child = ProcessHandle.of(server.pid()).orElseThrow().children().findFirst().orElseThrow();
		server.close();
		assertThat(Signals.hasEnded(child)).isTrue();
		assertThat(server.directory()).doesNotExist();
	}

	@Test
	void failedStartShowsTheLogAndLeavesNothingBehind() {
		Set<RedisServer> before = RedisServer.open();
		assertThatIllegalStateException().isThrownBy(() -> RedisServer.start("--no-such-option", "1"))
			.withMessageContainingAll("Redis did not start", "no-such-option");
		assertThat(RedisServer.open()).isEqualTo(before);
	}

}
