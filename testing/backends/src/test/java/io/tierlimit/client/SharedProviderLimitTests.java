package io.tierlimit.client;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.evaluation.VerdictPublisher;
import io.tierlimit.evaluation.WaitQueue;
import io.tierlimit.junit.Rounds;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.store.redis.SimulatedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.http.HttpStatusCode;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Four instances that share a Redis send as many requests as they can to a server that
 * enforces its own limit. Time is simulated; the servers are real.
 */
@Tag("slow")
class SharedProviderLimitTests {

	private static final long START = 1_700_000_000_000_000L;

	/** The time at which a window of the provider begins. */
	private static final long WINDOW = START + 17_300_000;

	private static final Rate RATE = new Rate(Provider.LIMIT, Duration.ofMinutes(1));

	private static final int INSTANCES = 4;

	private static final int THREADS = 3 * INSTANCES;

	private static final int MINUTES = Rounds.of(4, 10);

	private static final long FIRST = START + Provider.MINUTE;

	private static final long END = FIRST + MINUTES * Provider.MINUTE;

	private final SharedClock clock = new SharedClock(START, THREADS);

	private final List<SimulatedRedis> stores = new ArrayList<>();

	private RedisServer redis;

	@BeforeEach
	void start() {
		this.redis = RedisServer.start();
	}

	@AfterEach
	void stop() {
		this.stores.forEach(SimulatedRedis::close);
		this.redis.close();
	}

	static Stream<Arguments> providers() {
		return Stream.of(provider("fixed window", 100, () -> new Provider.Window(WINDOW)),
				provider("token bucket", 100, () -> new Provider.Bucket(Provider.LIMIT)),
				provider("small token bucket", 100, () -> new Provider.Bucket(10)),
				provider("sliding log", 97, Provider.Log::new));
	}

	private static Arguments provider(String name, long permits, Supplier<Provider.Algorithm> algorithm) {
		return Arguments.argumentSet(name + ", a rule of " + permits + "/m", permits, algorithm);
	}

	@ParameterizedTest
	@MethodSource("providers")
	void limitOfTheProviderIsUsedAndNotExceeded(long permits, Supplier<Provider.Algorithm> algorithm) throws Exception {
		try (Provider provider = new Provider(algorithm.get(), this.clock)) {
			send(new TokenBucket(new Rate(permits, Duration.ofMinutes(1))), provider, false);
			assertThat(provider.count(429, FIRST, END)).isZero();
			assertThat(provider.count(200, FIRST, END)).isGreaterThanOrEqualTo(MINUTES * Provider.LIMIT * 95 / 100);
		}
	}

	/** After a pause, both buckets are full, so the burst ends early in a window. */
	@Test
	void limitOfTheProviderIsNotExceededAfterPauses() throws Exception {
		try (Provider provider = new Provider(new Provider.Window(WINDOW), this.clock)) {
			send(new TokenBucket(RATE, 80), provider, true);
			assertThat(provider.count(429, FIRST, END)).isZero();
			assertThat(provider.count(200, FIRST, END)).isGreaterThanOrEqualTo(MINUTES * Provider.LIMIT / 5);
		}
	}

	private void send(TokenBucket limit, Provider provider, boolean pauses) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		List<Future<?>> ends = new ArrayList<>();
		for (int i = 0; i < INSTANCES; i++) {
			RateLimiter limiter = limiter(limit);
			for (int thread = 0; thread < THREADS / INSTANCES; thread++) {
				RestClient client = client(limiter, provider, new Random(ends.size()));
				ends.add(threads.submit(() -> sendAll(client, pauses)));
			}
		}
		threads.shutdown();
		for (Future<?> end : ends) {
			end.get();
		}
	}

	private RateLimiter limiter(TokenBucket limit) {
		Rule rule = TestRules.rule("partner", limit)
			.scope(Scope.of(Scope.ENDPOINT))
			.selection(TestRules.CODE)
			.options((options) -> options.with(new ReservationOptions(0, Duration.ofSeconds(5))));
		SimulatedRedis store = SimulatedRedis.on(this.redis.port(), this.clock);
		this.stores.add(store);
		return TestEvaluators.of(store.store(), VerdictPublisher.NONE, new WaitQueue(THREADS, this.clock), rule)
			.limiter();
	}

	/**
	 * Creates a client on a network that takes up to a tenth of a second in each
	 * direction.
	 */
	private RestClient client(RateLimiter limiter, Provider provider, Random random) {
		return RestClient.builder()
			.baseUrl(provider.address())
			.requestInterceptor(new RateLimitedClientHttpRequestInterceptor(limiter,
					(request) -> PermitRequest.of("partner").endpoint(request.getURI().getHost())))
			.requestInterceptor((request, body, execution) -> {
				travel(random);
				try {
					return execution.execute(request, body);
				}
				finally {
					travel(random);
				}
			})
			.defaultStatusHandler(HttpStatusCode::isError, (request, response) -> {
			})
			.build();
	}

	private void travel(Random random) {
		sleep(Duration.ofMillis(1 + random.nextInt(100)));
	}

	private void sendAll(RestClient client, boolean pauses) {
		try {
			while (this.clock.ticks() < END) {
				if (pauses) {
					pause();
				}
				send(client);
			}
		}
		finally {
			this.clock.leave();
		}
	}

	/**
	 * Advances the time by three minutes, from the start of one window to the start of
	 * another.
	 */
	private void pause() {
		long time = Math.floorMod(this.clock.ticks() - WINDOW, 3 * Provider.MINUTE);
		if (time > Provider.MINUTE / 2) {
			sleep(Duration.of(3 * Provider.MINUTE - time, ChronoUnit.MICROS));
		}
	}

	private void send(RestClient client) {
		try {
			client.get().uri("/").retrieve().toBodilessEntity();
		}
		catch (RateLimitExceededException ex) {
			sleep(Objects.requireNonNull(ex.retryAfter()));
		}
	}

	private void sleep(Duration time) {
		try {
			this.clock.sleep(time);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
