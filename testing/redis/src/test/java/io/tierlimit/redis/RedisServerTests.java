package io.tierlimit.redis;

import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Tag("slow")
class RedisServerTests {

	@Test
	void repliesAreRead() {
		try (RedisServer server = RedisServer.start(); RedisSocket socket = server.connect()) {
			assertThat(server.command("CONFIG", "GET", "bind")).as("reachable from this machine only")
				.isEqualTo("bind\n127.0.0.1");
			assertThat(socket.command("SET", "name", "Zoë\r\n")).isEqualTo("OK");
			assertThat(socket.command("GET", "name")).isEqualTo("Zoë\r\n");
			assertThat(socket.command("EVAL", "return {1, {'two', {}}, false, {err = 'three'}}", "0"))
				.isEqualTo("1\ntwo\n(nil)\nthree");
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
