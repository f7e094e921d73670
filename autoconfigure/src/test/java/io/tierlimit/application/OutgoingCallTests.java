package io.tierlimit.application;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.sun.net.httpserver.HttpServer;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.application.PartnerClients.Prices;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests applications that call a provider with the clients of docs/outgoing-calls.md.
 */
@Tag("slow")
class OutgoingCallTests {

	private final List<RunningApplication> running = new ArrayList<>();

	private HttpServer provider;

	private Map<String, String> headers = Map.of();

	private int served;

	@BeforeEach
	void start() throws IOException {
		this.provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.provider.createContext("/", (exchange) -> {
			this.served++;
			this.headers.forEach(exchange.getResponseHeaders()::set);
			byte[] body = "prices".getBytes(StandardCharsets.US_ASCII);
			exchange.sendResponseHeaders(200, body.length);
			exchange.getResponseBody().write(body);
			exchange.close();
		});
		this.provider.start();
	}

	@AfterEach
	void stop() {
		this.running.forEach(RunningApplication::close);
		this.provider.stop(0);
	}

	@Test
	void callsConsumePermitsOfTheirHost() {
		RunningApplication application = start("tierlimit.rules.partner-calls.rate=2/d");
		assertThat(application.bean(Prices.class).all()).isEqualTo("prices");
		assertThat(application.bean(Prices.class).all()).isEqualTo("prices");
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> application.bean(Prices.class).all());
		assertThat(this.served).isEqualTo(2);
	}

	@Test
	void rejectedCallWithinARequestIsARejectionOfTheRequest() {
		RunningApplication application = start("tierlimit.rules.partner-calls.rate=1/d");
		assertThat(application.get("/partner").body()).isEqualTo("prices");
		Response rejected = application.get("/partner");
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(rejected.header("Retry-After")).isNotEmpty();
	}

	@Test
	void instancesShareWhatTheyLearn() {
		try (RedisServer redis = RedisServer.start()) {
			String[] properties = { "tierlimit.rules.partner-calls.rate=100/d", "tierlimit.store=redis",
					"tierlimit.redis.timeout=5s", "spring.data.redis.port=" + redis.port() };
			RunningApplication one = start(properties);
			RunningApplication other = start(properties);
			this.headers = Map.of("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "600");
			one.bean(Prices.class).all();
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(() -> other.bean(Prices.class).all());
			assertThat(this.served).isEqualTo(1);
			assertThat(other.bean(RateLimiter.class)
				.reset(PermitRequest.of("partner-calls", this.provider.getAddress().getHostString()))).isTrue();
			assertThat(other.bean(Prices.class).all()).isEqualTo("prices");
		}
	}

	@Test
	void callsAreNotLimitedIfTierlimitIsDisabled() {
		RunningApplication application = start("tierlimit.rules.partner-calls.rate=1/d", "tierlimit.enabled=false");
		this.headers = Map.of("RateLimit-Remaining", "0", "RateLimit-Reset", "600");
		application.bean(Prices.class).all();
		assertThat(application.bean(Prices.class).all()).isEqualTo("prices");
	}

	private RunningApplication start(String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		all.add("tierlimit.rules.partner-calls.applies-to=methods");
		all.add("tierlimit.rules.partner-calls.scope=endpoint");
		all.add("partner.url=http://" + this.provider.getAddress().getHostString() + ":"
				+ this.provider.getAddress().getPort());
		RunningApplication started = RunningApplication.start(
				new SpringApplicationBuilder(TestApplication.class, PartnerClients.class, Partner.class),
				all.toArray(String[]::new));
		this.running.add(started);
		return started;
	}

	@RestController
	static class Partner {

		private final Prices prices;

		Partner(Prices prices) {
			this.prices = prices;
		}

		@GetMapping("/partner")
		String prices() {
			return this.prices.all();
		}

	}

}
