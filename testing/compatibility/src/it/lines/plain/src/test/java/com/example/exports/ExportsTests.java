package com.example.exports;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.function.Consumer;

import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ExportsTests {

	private static final String ALLOWED = "exported for acme";

	private static final String REJECTED = "acme must wait for PT7H59M";

	private static final String[] FOUR = { "acme", "acme", "acme", "acme" };

	@Test
	void springBootIsNotOnTheClassPath() {
		assertThat(System.getProperty("java.class.path")).contains("tierlimit-core")
			.doesNotContainPattern("spring-boot[a-z-]*-\\d[^/:]*\\.jar");
	}

	@Test
	void programHasItsLimitsInMemory() {
		assertThat(run(Exports::main)).startsWith(ALLOWED, ALLOWED, ALLOWED)
			.last()
			.asString()
			.startsWith(REJECTED);
	}

	@Test
	void programsShareTheirLimitsInRedis() throws Exception {
		try (RedisServer server = RedisServer.start()) {
			System.setProperty("redis.port", String.valueOf(server.port()));
			assertThat(run(SharedExports::main)).startsWith(ALLOWED, ALLOWED, ALLOWED)
				.last()
				.asString()
				.startsWith(REJECTED);
			assertThat(run(SharedExports::main)).hasSize(4).allSatisfy((line) -> assertThat(line).startsWith(REJECTED));
		}
	}

	private static List<String> run(Consumer<String[]> program) {
		PrintStream console = System.out;
		ByteArrayOutputStream output = new ByteArrayOutputStream();
		System.setOut(new PrintStream(output, true));
		try {
			program.accept(FOUR);
		}
		finally {
			System.setOut(console);
		}
		return output.toString().lines().toList();
	}

}
