package io.tierlimit.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.sun.net.httpserver.HttpServer;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.evaluation.VerdictPublisher;
import io.tierlimit.evaluation.WaitQueue;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.rule.TestRules;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.redis.SimulatedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests outgoing requests while a real Redis is down. The bucket has three permits and
 * one more each second; a request waits for two seconds at most.
 */
@Tag("slow")
class StoreOutageTests {

	private static final PermitRequest PARTNER = PermitRequest.of("partner");

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final List<Duration> waits = new ArrayList<>();

	private Runnable duringWait = () -> {
	};

	private Runnable duringRequest = () -> {
	};

	private String remaining = "1000";

	private int served;

	private RedisServer redis;

	private SimulatedRedis store;

	private HttpServer provider;

	@BeforeEach
	void start() throws IOException {
		this.ticker.set(1_700_000_000_000_000L);
		this.redis = RedisServer.start();
		this.store = SimulatedRedis.on(this.redis.port(), this.ticker);
		this.provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.provider.createContext("/", (exchange) -> {
			this.served++;
			this.duringRequest.run();
			exchange.getResponseHeaders().set("RateLimit-Remaining", this.remaining);
			exchange.sendResponseHeaders(200, -1);
			exchange.close();
		});
		this.provider.start();
	}

	@AfterEach
	void stop() {
		this.provider.stop(0);
		this.store.close();
		this.redis.close();
	}

	@Test
	void localBucketDecidesAndLearns() {
		RateLimiter limiter = limiter(StoreFailurePolicy.LOCAL);
		this.redis.kill();
		for (int i = 0; i < 5; i++) {
			send(limiter);
		}
		assertThat(this.waits).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(1));
		this.ticker.advance(Duration.ofSeconds(10));
		this.remaining = "0";
		send(limiter);
		assertThat(remaining(limiter)).isZero();
	}

	@Test
	void requestsAreSentWithoutALimitIfTheRuleAllows() {
		RateLimiter limiter = limiter(StoreFailurePolicy.ALLOW);
		this.redis.kill();
		this.remaining = "0";
		for (int i = 0; i < 20; i++) {
			send(limiter);
		}
		assertThat(this.served).isEqualTo(20);
		assertThat(this.waits).isEmpty();
	}

	@Test
	void requestsAreNotSentIfTheRuleDenies() {
		RateLimiter limiter = limiter(StoreFailurePolicy.DENY);
		this.redis.kill();
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> send(limiter))
			.withMessage("The store of the limits cannot be reached");
		assertThat(this.served).isZero();
	}

	@ParameterizedTest
	@EnumSource(StoreFailurePolicy.class)
	void requestThatWaitsForAPermitOfTheStoreIsSent(StoreFailurePolicy policy) {
		RateLimiter limiter = limiter(policy);
		for (int i = 0; i < 3; i++) {
			send(limiter);
		}
		this.duringWait = this.redis::kill;
		send(limiter);
		assertThat(this.served).isEqualTo(4);
		assertThat(this.waits).containsExactly(Duration.ofSeconds(1));
	}

	@ParameterizedTest
	@EnumSource(StoreFailurePolicy.class)
	void responseIsReturnedIfTheBucketCannotBeLowered(StoreFailurePolicy policy) {
		RateLimiter limiter = limiter(policy);
		this.duringRequest = this.redis::kill;
		this.remaining = "0";
		assertThat(send(limiter)).isEqualTo(200);
		assertThat(this.served).isEqualTo(1);
	}

	private RateLimiter limiter(StoreFailurePolicy policy) {
		return TestEvaluators.of(this.store.store(), VerdictPublisher.NONE, new WaitQueue(9, (time) -> {
			this.waits.add(time);
			this.ticker.advance(time);
			this.duringWait.run();
		}), TestRules.rule("partner", new TokenBucket(Rate.parse("1/s"), 3))
			.selection(TestRules.CODE)
			.options((options) -> new RuleOptions(options.mode(), options.visibility(), policy, options.values())
				.with(new ReservationOptions(0, Duration.ofSeconds(2)))))
			.limiter();
	}

	private int send(RateLimiter limiter) {
		String address = "http://localhost:" + this.provider.getAddress().getPort();
		return RestClient.builder()
			.baseUrl(address)
			.requestInterceptor(new RateLimitedClientHttpRequestInterceptor(limiter, (request) -> PARTNER))
			.build()
			.get()
			.uri("/")
			.retrieve()
			.toBodilessEntity()
			.getStatusCode()
			.value();
	}

	private static long remaining(RateLimiter limiter) {
		return limiter.peek(PARTNER.cost(0)).decisions().get(0).decision().remaining();
	}

}
