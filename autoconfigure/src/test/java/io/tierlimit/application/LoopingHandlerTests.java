package io.tierlimit.application;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimited;
import io.tierlimit.Verdict;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.redis.TcpProxy;
import io.tierlimit.spi.BucketStore;
import io.tierlimit.spi.StoreStatus;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

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
@Tag("slow")
class LoopingHandlerTests {

	@Test
	void successfulCallsNeverMakeAHealthyRedisUnavailable(CapturedOutput output) {
		List<String> properties = new ArrayList<>(
				List.of("tierlimit.store=redis", "tierlimit.redis.timeout=5s", "tierlimit.redis.cached-rejections=0"));
		for (String policy : List.of("allow", "deny", "local")) {
			String rule = "tierlimit.rules." + policy;
			properties.addAll(
					List.of(rule + ".rate=60/d", rule + ".applies-to=methods", rule + ".on-store-failure=" + policy));
		}
		try (RedisServer server = RedisServer.start(); TcpProxy network = new TcpProxy(server.port())) {
			properties.add("spring.data.redis.port=" + network.port());
			try (RunningApplication application = RunningApplication.start(LoopingApplication.class,
					properties.toArray(String[]::new))) {
				assertThat(application.bean(BucketStore.class).resetAll("local")).as("connected").isTrue();
				network.delay(Duration.ofMillis(20));
				assertThat(application.get("/loop").body()).isEqualTo("180 allowed, 120 rejected");
				StoreStatus status = application.bean(BucketStore.class).status();
				assertThat(status.lastFailure()).isNull();
				assertThat(status.breakers()).containsOnly(Map.entry("redis", "CLOSED"));
				assertThat(output).doesNotContain("cannot be reached");
			}
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
					switch (i % 3) {
						case 0 -> this.service.allow();
						case 1 -> this.service.deny();
						default -> this.service.local();
					}
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

		@RateLimited("allow")
		void allow() {
		}

		@RateLimited("deny")
		void deny() {
		}

		@RateLimited("local")
		void local() {
		}

	}

}
