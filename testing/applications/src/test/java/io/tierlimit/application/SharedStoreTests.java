package io.tierlimit.application;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimited;
import io.tierlimit.Verdict;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.autoconfigure.settings.LocalShareReader;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.redis.TcpProxy;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.StoreStatus;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.redis.RedisBucketStore;
import io.tierlimit.store.redis.RedisStoreSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests applications that share a Redis, over HTTP.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class SharedStoreTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private final RedisServer server = RedisServer.start();

	@BeforeEach
	void startsEmpty() {
		assertThat(this.server.command("DBSIZE")).isEqualTo("0");
	}

	@AfterEach
	void stop() {
		this.server.close();
	}

	@Test
	void requestIsOneCallForAllItsRules() {
		// The renewal of a membership would be a call that no request makes.
		RunningApplication application = start(TestApplication.class, "tierlimit.redis.local-share=100%",
				"tierlimit.rules.all.rate=100/d", "tierlimit.rules.address.rate=100/d",
				"tierlimit.rules.address.scope=ip", "tierlimit.rules.order.rate=100/d",
				"tierlimit.rules.order.scope=endpoint");
		application.get("/orders/1");
		this.server.resetStatistics();
		for (int i = 0; i < 10; i++) {
			assertThat(application.get("/orders/1").status()).isEqualTo(200);
		}
		assertThat(this.server.calls()).containsEntry("evalsha", 10L).doesNotContainKey("eval");
	}

	@Test
	void everyRuleAppliesItsPolicyWhileRedisIsUnavailable(CapturedOutput output) {
		RunningApplication application = start(TestApplication.class, "tierlimit.rules.local.rate=2/d",
				"tierlimit.rules.local.paths=/orders/{id}", "tierlimit.rules.open.rate=1/d",
				"tierlimit.rules.open.on-store-failure=allow", "tierlimit.rules.closed.rate=1/d",
				"tierlimit.rules.closed.paths=/any", "tierlimit.rules.closed.on-store-failure=deny");
		this.server.kill();
		Response local = application.get("/orders/1");
		assertThat(local.status()).isEqualTo(200);
		assertThat(local.rateLimit()).containsOnlyKeys("local");
		assertThat(application.get("/orders/1").status()).isEqualTo(200);
		Response rejected = application.get("/orders/1");
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(rejected.body()).contains("\"violated-policies\":[\"local\"]");
		Response open = application.get("/async");
		assertThat(open.status()).isEqualTo(200);
		assertThat(open.header("RateLimit")).isEmpty();
		Response closed = application.get("/any");
		assertThat(closed.status()).isEqualTo(503);
		assertThat(closed.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(closed.body())
			.contains("\"type\":\"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity\"")
			.contains("\"status\":503");
		assertThat(closed.header("Retry-After") + closed.header("RateLimit") + closed.header("RateLimit-Limit"))
			.isEmpty();
		assertThat(output).containsOnlyOnce("Redis cannot be reached");
	}

	@Test
	void faultsOfRedisAreNotErrorsOfTheApplication() {
		try (TcpProxy network = new TcpProxy(this.server.port())) {
			RunningApplication application = start(SecuredApplication.class, "tierlimit.rules.address.rate=1000/d",
					"tierlimit.rules.address.scope=ip", "tierlimit.rules.user.rate=3/d",
					"tierlimit.rules.user.scope=user", "tierlimit.redis.timeout=100ms",
					"spring.data.redis.port=" + network.port());
			Map<String, Runnable> faults = new LinkedHashMap<>();
			faults.put("swallowed", network::swallow);
			faults.put("delayed", () -> network.delay(Duration.ofSeconds(5)));
			faults.put("slow", () -> network.delay(Duration.ofMillis(50)));
			faults.put("cut within a reply", () -> network.cutAfter(5));
			faults.put("cut", network::cut);
			faults.put("rejected", network::reject);
			faults.put("flushed", () -> this.server.command("FLUSHALL"));
			faults.put("script removed", () -> this.server.command("SCRIPT", "FLUSH"));
			faults.put("killed connections", () -> this.server.command("CLIENT", "KILL", "TYPE", "normal"));
			faults.put("foreign values", () -> this.server.command("SET", "tierlimit:user:{alice}", "garbage"));
			faults.put("stopped", this.server::stop);
			faults.put("gone on", this.server::resume);
			faults.put("restarted empty", this.server::restart);
			faults.forEach((name, fault) -> {
				fault.run();
				for (int i = 0; i < 8; i++) {
					assertThat(application.get("/token/data", "Authorization", "Bearer alice").status()).as(name)
						.isIn(200, 429);
				}
				network.heal();
			});
		}
	}

	/**
	 * The replies of Redis together take much longer than the timeout of a single call.
	 */
	@Test
	void successfulCallsNeverMakeAHealthyRedisUnavailable(CapturedOutput output) {
		List<String> properties = new ArrayList<>();
		for (String policy : List.of("allow", "deny", "local")) {
			String rule = "tierlimit.rules." + policy;
			properties
				.addAll(List.of(rule + ".rate=24/d", rule + ".applies-to=code", rule + ".on-store-failure=" + policy));
		}
		try (TcpProxy network = new TcpProxy(this.server.port())) {
			properties.addAll(List.of("spring.data.redis.port=" + network.port(), "tierlimit.redis.timeout=2s"));
			RunningApplication application = start(LoopingApplication.class, properties.toArray(String[]::new));
			assertThat(application.bean(BucketStore.class).resetAll("local")).as("connected").isTrue();
			network.delay(Duration.ofMillis(20));
			assertThat(application.get("/loop").body()).isEqualTo("72 allowed, 48 rejected");
			StoreStatus status = application.bean(BucketStore.class).status();
			assertThat(status.lastFailure()).isNull();
			assertThat(status.breakers()).containsOnly(Map.entry("redis", "CLOSED"));
			assertThat(output).doesNotContain("cannot be reached");
		}
	}

	private RunningApplication start(Class<?> type, String... properties) {
		return applications.startOwn(type, RunningApplication.redis(this.server.port(), properties));
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ TestApplication.class, Loop.class, Service.class })
	static class LoopingApplication {

		/**
		 * A store that calls Redis for each request, because it does not cache
		 * rejections.
		 */
		@Bean
		RedisBucketStore store(RedisConnectionFactory connections, Ticker ticker, TierlimitProperties properties) {
			TierlimitProperties.Redis redis = properties.redis();
			return new RedisBucketStore(connections,
					new RedisStoreSettings(redis.keyPrefix(), redis.timeout(), redis.onStoreFailure(),
							LocalShareReader.read(redis.localShare()), 0),
					new InMemoryBucketStore(ticker, 1000), StoreListener.NONE);
		}

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
			for (int i = 0; i < 120; i++) {
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
