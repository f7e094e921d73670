package io.tierlimit.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.sun.net.httpserver.HttpServer;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleDecision;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.evaluation.VerdictPublisher;
import io.tierlimit.evaluation.WaitQueue;
import io.tierlimit.limit.Overrun;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.DelegatingBucketStore;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpRequest;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests the interceptor with Spring's clients and a real server.
 */
class RateLimitedClientHttpRequestInterceptorTests {

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final List<Duration> waits = new ArrayList<>();

	private final CountingStore store = new CountingStore(new InMemoryBucketStore(this.ticker, 100));

	private final RateLimiter limiter = limiter();

	private HttpServer server;

	private int status = 200;

	private Map<String, String> headers = Map.of();

	private int served;

	@BeforeEach
	void start() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.createContext("/", (exchange) -> {
			this.served++;
			this.headers.forEach(exchange.getResponseHeaders()::set);
			exchange.sendResponseHeaders(this.status, -1);
			exchange.close();
		});
		this.server.start();
	}

	@AfterEach
	void stop() {
		this.server.stop(0);
	}

	@Test
	void everyRequestOfRestClientAcquiresAPermitOfItsHost() {
		RestClient client = client();
		get(client);
		get(client);
		assertThat(remaining(this.server.getAddress().getHostString())).isEqualTo(8);
		assertThat(remaining("other.example")).isEqualTo(10);
	}

	@Test
	void otherClientsOfSpringAreLimited() {
		RestTemplate template = new RestTemplate();
		template.getInterceptors().add(interceptor());
		template.getForEntity(address(), Void.class);
		assertThat(remaining()).isEqualTo(9);
		HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client()))
			.build()
			.createClient(Prices.class)
			.prices();
		assertThat(remaining()).isEqualTo(8);
	}

	@Test
	void requestWithoutAPermitRequestIsNotLimited() {
		RestClient client = RestClient.builder()
			.baseUrl(address())
			.requestInterceptor(new RateLimitedClientHttpRequestInterceptor(this.limiter,
					(request) -> request.getURI().getPath().equals("/health") ? null : permit(request)))
			.build();
		client.get().uri("/health").retrieve().toBodilessEntity();
		assertThat(remaining()).isEqualTo(10);
		client.get().uri("/prices").retrieve().toBodilessEntity();
		assertThat(remaining()).isEqualTo(9);
	}

	@Test
	void requestWaitsForItsPermit() {
		RestClient client = client();
		for (int i = 0; i < 12; i++) {
			get(client);
		}
		assertThat(this.waits).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(1));
		assertThat(this.served).isEqualTo(12);
	}

	@Test
	void requestThatWouldWaitForTooLongIsNotSent() {
		this.limiter.syncRemaining(permit(), 0, Duration.ofSeconds(30));
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> get(client()))
			.satisfies((ex) -> assertThat(ex.retryAfter()).isEqualTo(Duration.ofSeconds(28)));
		assertThat(this.served).isZero();
	}

	@Test
	void responseLowersTheBucket() {
		this.headers = Map.of("RateLimit", "\"a\";r=3;t=60");
		get(client());
		assertThat(remaining()).isEqualTo(3);
		this.headers = Map.of("RateLimit-Remaining", "5");
		get(client());
		assertThat(remaining()).as("never raised").isEqualTo(2);
	}

	@Test
	void rejectionStopsRequestsUntilItsWaitIsOver() {
		this.status = 429;
		this.headers = Map.of("Retry-After", "30");
		RestClient client = client();
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> get(client));
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> get(client))
			.satisfies((ex) -> assertThat(ex.retryAfter()).isEqualTo(Duration.ofSeconds(28)));
		assertThat(this.served).isEqualTo(1);
		this.ticker.advance(Duration.ofSeconds(30));
		this.status = 200;
		assertThat(get(client).getStatusCode().value()).isEqualTo(200);
	}

	@Test
	void timeThatIsFarAwayStopsRequestsForAnHour() {
		this.headers = Map.of("anthropic-ratelimit-requests-remaining", "0", "anthropic-ratelimit-requests-reset",
				"9999-12-31T23:59:59Z");
		get(client());
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> get(client()))
			.satisfies((ex) -> assertThat(ex.retryAfter()).isEqualTo(Duration.ofHours(1).minusSeconds(2)));
	}

	@Test
	void responseOfAFailureReachesTheApplication() {
		this.status = 503;
		this.headers = Map.of("Retry-After", "5");
		assertThatExceptionOfType(HttpServerErrorException.ServiceUnavailable.class).isThrownBy(() -> get(client()))
			.satisfies((ex) -> assertThat(ex.getResponseHeaders()).isNotNull()
				.satisfies((headers) -> assertThat(headers.getFirst("Retry-After")).isEqualTo("5")));
		assertThat(remaining()).isZero();
	}

	@Test
	void storeIsCalledOnceIfTheProviderHasAsManyPermits() {
		this.headers = Map.of("RateLimit-Remaining", "9", "RateLimit-Reset", "60");
		get(client());
		assertThat(this.store.calls).isEqualTo(1);
		this.headers = Map.of("RateLimit-Remaining", "7", "RateLimit-Reset", "60");
		get(client());
		assertThat(this.store.calls).as("one call, a look and a charge").isEqualTo(4);
	}

	@Test
	void requestThatFailsHasConsumedItsPermit() {
		RestClient client = client();
		this.server.stop(0);
		assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(() -> get(client));
		assertThat(remaining()).isEqualTo(9);
	}

	private RateLimiter limiter() {
		return TestEvaluators.of(this.store, VerdictPublisher.NONE, new WaitQueue(9, (time) -> {
			this.waits.add(time);
			this.ticker.advance(time);
		}), TestRules.rule("partner", new TokenBucket(Rate.parse("1/s"), 10))
			.scope(Scope.of(Scope.ENDPOINT))
			.selection(TestRules.CODE)
			.options((options) -> options.with(new ReservationOptions(0, Duration.ofSeconds(2))))).limiter();
	}

	private RestClient client() {
		return RestClient.builder().baseUrl(address()).requestInterceptor(interceptor()).build();
	}

	private RateLimitedClientHttpRequestInterceptor interceptor() {
		return new RateLimitedClientHttpRequestInterceptor(this.limiter,
				RateLimitedClientHttpRequestInterceptorTests::permit);
	}

	private static PermitRequest permit(HttpRequest request) {
		return PermitRequest.of("partner").endpoint(request.getURI().getHost());
	}

	private PermitRequest permit() {
		return PermitRequest.of("partner").endpoint(this.server.getAddress().getHostString());
	}

	private static ResponseEntity<Void> get(RestClient client) {
		return client.get().uri("/prices").retrieve().toBodilessEntity();
	}

	private long remaining() {
		return remaining(this.server.getAddress().getHostString());
	}

	private long remaining(String host) {
		List<RuleDecision> decisions = this.limiter.peek(PermitRequest.of("partner").endpoint(host).cost(0))
			.decisions();
		return decisions.get(0).decision().remaining();
	}

	private String address() {
		return "http://" + this.server.getAddress().getHostString() + ":" + this.server.getAddress().getPort();
	}

	interface Prices {

		@GetExchange("/prices")
		void prices();

	}

	/** A store that counts calls. */
	private static final class CountingStore extends DelegatingBucketStore {

		private int calls;

		CountingStore(BucketStore store) {
			super(store);
		}

		@Override
		public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
			this.calls++;
			return super.acquire(charges, failureFlag);
		}

		@Override
		public AcquireResult peek(List<Charge> charges) {
			this.calls++;
			return super.peek(charges);
		}

		@Override
		public List<Overrun> settle(List<Settlement> settlements, StoreFailureFlag failureFlag) {
			this.calls++;
			return super.settle(settlements, failureFlag);
		}

	}

}
