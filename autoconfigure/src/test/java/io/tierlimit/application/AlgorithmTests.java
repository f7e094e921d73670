package io.tierlimit.application;

import java.time.Duration;

import io.tierlimit.redis.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Algorithms over HTTP.
 */
@Tag("slow")
class AlgorithmTests {

	private @Nullable RunningApplication application;

	@AfterEach
	void stop() {
		if (this.application != null) {
			this.application.close();
		}
	}

	@Test
	void fixedWindowIssuesItsPermitsAtOnce() {
		RunningApplication running = RunningApplication.start(TestApplication.class, "tierlimit.rules.daily.rate=3/d",
				"tierlimit.rules.daily.algorithm=fixed-window", "tierlimit.rules.daily.start=0s");
		this.application = running;
		assertThat(admitted(running)).isEqualTo(3);
		String wait = running.get("/orders/1").header("Retry-After");
		running.clock().advance(Duration.ofSeconds(Long.parseLong(wait) - 1));
		assertThat(admitted(running)).isZero();
		running.clock().advance(Duration.ofSeconds(1));
		assertThat(admitted(running)).isEqualTo(3);
	}

	@Test
	void requestOfTwoAlgorithmsIsAllOrNothing() {
		try (RedisServer server = RedisServer.start()) {
			RunningApplication running = RunningApplication.start(TestApplication.class,
					"tierlimit.rules.daily.rate=3/d", "tierlimit.rules.daily.algorithm=fixed-window",
					"tierlimit.rules.bucket.rate=2/d", "tierlimit.store=redis", "tierlimit.redis.timeout=5s",
					"spring.data.redis.port=" + server.port());
			this.application = running;
			running.get("/orders/1");
			server.resetStatistics();
			assertThat(running.get("/orders/1").status()).isEqualTo(200);
			assertThat(running.get("/orders/1").status()).isEqualTo(429);
			assertThat(running.get("/orders/1").status()).isEqualTo(429);
			assertThat(server.calls().get("evalsha")).as("at most one call for each request").isBetween(2L, 3L);
			running.reset("bucket", "");
			assertThat(running.get("/orders/1").rateLimit().get("daily")).as("rejections cost nothing")
				.containsEntry("r", 0L);
			assertThat(running.get("/orders/1").body()).contains("\"violated-policies\":[\"daily\"]");
		}
	}

	private static int admitted(RunningApplication running) {
		int admitted = 0;
		while (running.get("/orders/1").status() == 200) {
			admitted++;
		}
		return admitted;
	}

}
