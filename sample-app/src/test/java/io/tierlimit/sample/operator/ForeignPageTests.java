package io.tierlimit.sample.operator;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

import com.microsoft.playwright.Response;
import com.sun.net.httpserver.HttpServer;
import io.tierlimit.sample.ShopTest;
import io.tierlimit.test.SimulatedTicker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a page of another server changes nothing with the operator's login, which
 * the browser adds to its requests. The other server has another port, with the same host
 * or another host.
 */
@ShopTest
@Tag("slow")
class ForeignPageTests extends OperatorPageTest {

	private static final String RELOAD = "/actuator/ratelimits";

	private static final String FETCH = """
			(url) => fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include' }).then(() => {}, () => {})""";

	private static final String SUBMIT_FORM = """
			(url) => {
				const form = document.body.appendChild(document.createElement('form'));
				Object.assign(form, { action: url, method: 'post' }).submit();
			}""";

	@SuppressWarnings("NullAway.Init")
	private HttpServer server;

	ForeignPageTests(SimulatedTicker clock, @LocalServerPort int port) {
		super(clock, port);
	}

	@BeforeEach
	void startOtherServer() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.createContext("/", (exchange) -> {
			byte[] body = "<!DOCTYPE html><title>Foreign</title>".getBytes(StandardCharsets.UTF_8);
			exchange.getResponseHeaders().add("Content-Type", "text/html");
			exchange.sendResponseHeaders(200, body.length);
			exchange.getResponseBody().write(body);
			exchange.close();
		});
		this.server.start();
	}

	@AfterEach
	void stopOtherServer() {
		this.operator.takeTroubles();
		this.server.stop(0);
	}

	@ParameterizedTest
	@CsvSource({ "127.0.0.1, /live/requests", "localhost, /actuator/ratelimits" })
	void formIsForbidden(String host, String path) {
		this.operator.open();
		openForeignPage(host);
		assertThat(send(SUBMIT_FORM, path).status()).isEqualTo(403);
	}

	@Test
	void scriptIsForbidden() {
		this.operator.open();
		assertThat(send(FETCH, RELOAD).status()).isEqualTo(200);
		openForeignPage("127.0.0.1");
		assertThat(send(FETCH, RELOAD).status()).isEqualTo(403);
	}

	private void openForeignPage(String host) {
		this.page.navigate("http://" + host + ":" + this.server.getAddress().getPort() + "/");
	}

	private Response send(String script, String path) {
		return this.page.waitForResponse((response) -> response.request().method().equals("POST"),
				() -> this.page.evaluate(script, this.origin + path));
	}

}
