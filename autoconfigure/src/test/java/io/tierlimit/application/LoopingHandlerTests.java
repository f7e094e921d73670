package io.tierlimit.application;

import java.time.Duration;
import java.util.Map;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimited;
import io.tierlimit.Verdict;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.redis.TcpProxy;
import io.tierlimit.spi.BucketStore;
import io.tierlimit.spi.StoreStatus;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests a handler that makes many rate-limited calls within one request. Together, the
 * replies of Redis take much longer than the timeout of a single call.
 */
@ExtendWith(OutputCaptureExtension.class)
class LoopingHandlerTests {

	@ParameterizedTest
	@ValueSource(strings = { "allow", "deny", "local" })
	void successfulCallsNeverMakeAHealthyRedisUnavailable(String onFailure, CapturedOutput output) {
		try (RedisServer server = RedisServer.start();
				TcpProxy network = new TcpProxy(server.port());
				RunningApplication application = RunningApplication.start(LoopingApplication.class,
						"tierlimit.store=redis", "spring.data.redis.port=" + network.port(),
						"tierlimit.redis.timeout=5s", "tierlimit.redis.cached-rejections=0",
						"tierlimit.redis.on-failure=" + onFailure, "tierlimit.rules.batch.rate=200/d",
						"tierlimit.rules.batch.applies-to=methods")) {
			assertThat(application.bean(BucketStore.class).resetAll("batch")).as("connected").isTrue();
			network.delay(Duration.ofMillis(20));
			assertThat(application.get("/loop").body()).isEqualTo("200 allowed, 100 rejected");
			StoreStatus status = application.bean(BucketStore.class).status();
			assertThat(status.lastFailure()).isNull();
			assertThat(status.breakers()).containsOnly(Map.entry("redis", "CLOSED"));
			assertThat(output).doesNotContain("cannot be reached");
		}
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ TestApplication.class, Loop.class, Service.class })
	static class LoopingApplication {

	}

	@RestController
	static class Loop {

		private final Service service;

		Loop(Service service) {
			this.service = service;
		}

		@GetMapping("/loop")
		String loop() {
			int allowed = 0;
			int rejected = 0;
			for (int i = 0; i < 300; i++) {
				try {
					this.service.call();
					allowed++;
				}
				catch (RateLimitExceededException ex) {
					Verdict verdict = ex.verdict();
					rejected += (verdict != null && verdict.outcome() == Verdict.Outcome.REJECTED) ? 1 : 0;
				}
			}
			return allowed + " allowed, " + rejected + " rejected";
		}

	}

	static class Service {

		@RateLimited("batch")
		void call() {
		}

	}

}
