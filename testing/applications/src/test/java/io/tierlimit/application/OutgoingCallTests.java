package io.tierlimit.application;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

import com.sun.net.httpserver.HttpServer;
import io.tierlimit.PermitRequest;
import io.tierlimit.application.PartnerClients.Prices;
import io.tierlimit.application.RunningApplication.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests applications that call a provider with the clients of docs/outgoing-calls.md.
 */
@Tag("slow")
class OutgoingCallTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private HttpServer provider;

	private int served;

	@BeforeEach
	void start() throws IOException {
		this.provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.provider.createContext("/", (exchange) -> {
			this.served++;
			byte[] body = "prices".getBytes(StandardCharsets.US_ASCII);
			exchange.sendResponseHeaders(200, body.length);
			exchange.getResponseBody().write(body);
			exchange.close();
		});
		this.provider.start();
	}

	@AfterEach
	void stop() {
		this.provider.stop(0);
	}

	@Test
	void rejectedCallWithinARequestIsARejectionOfTheRequest() {
		RunningApplication application = start("tierlimit.rules.partner-calls.rate=1/d");
		assertThat(application.get("/partner").body()).isEqualTo("prices");
		Response rejected = application.get("/partner");
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(rejected.header("Retry-After")).isNotEmpty();
		assertThat(this.served).isEqualTo(1);
		assertThat(application
			.left(PermitRequest.of("partner-calls").endpoint(this.provider.getAddress().getHostString()))).isZero();
	}

	private RunningApplication start(String... properties) {
		InetSocketAddress address = this.provider.getAddress();
		return applications.add(RunningApplication.start(
				new SpringApplicationBuilder(TestApplication.class, PartnerClients.class, Partner.class),
				RunningApplication.with(properties, "tierlimit.rules.partner-calls.applies-to=code",
						"tierlimit.rules.partner-calls.scope=endpoint",
						"partner.url=http://" + address.getHostString() + ":" + address.getPort())));
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
