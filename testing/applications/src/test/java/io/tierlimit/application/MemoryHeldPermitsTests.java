package io.tierlimit.application;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.junit.Poll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Also tests that every end of a request releases its permits.
 * {@link SettledCostsContract} tests the same ends for every store and on each server.
 */
class MemoryHeldPermitsTests extends HeldPermitsContract {

	@Override
	String[] store() {
		return new String[] { "tierlimit.store=memory" };
	}

	@ParameterizedTest
	@Tag(TOMCAT)
	@CsvSource({ "/status, 200", "/status, 404", "/status, 503", "/unknown, 404", "/error-page, 401",
			"/error-page, 500", "/exception, 500", "/io-exception, 500", "/deferred, 200", "/deferred, 503",
			"/callable, 200", "/callable/exception, 500", "/future, 200", "/future/exception, 500", "/rounds, 200",
			"/rounds, 500", "/timeout, 503", "/streaming, 200", "/events/complete, 200", "/cached, 200", "/moved, 200",
			"/forwarding, 200", "/forwarding/handler, 200", "/including, 200", "/early/status, 200",
			"/early/deferred, 200", "/early/exception, 500", "/named, 200", "/named, 500" })
	void requestHoldsOnePermitUntilItsEnd(String path, int status) {
		gate().open();
		String key = path + status;
		assertThat(this.application.get(path + "?k=" + key + "&status=" + status).status()).isEqualTo(status);
		assertReleased(key);
	}

	@ParameterizedTest
	@Tag(TOMCAT)
	@CsvSource({ "/failing-late, 200", "/committed, 200", "/uncommitted, 500", "/streaming/exception, 200" })
	void exceptionReleasesThePermit(String path, int status) {
		String key = "exception" + path;
		assertThat(this.application.raw().send("GET " + path + "?k=" + key + "&status=200 HTTP/1.1", "", "").status())
			.isEqualTo(status);
		assertReleased(key);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/gate", "/callable", "/deferred", "/future", "/streaming", "/named" })
	void permitIsHeldWhileTheHandlerRuns(String path) {
		String key = "during" + path;
		CompletableFuture<Response> request = CompletableFuture
			.supplyAsync(() -> this.application.get(path + "?status=200&k=" + key));
		Poll.until(() -> gate().arrived.get() == 1, () -> "No request has arrived");
		assertThat(held().now(key)).isEqualTo(1);
		assertThat(gauge(HoldingApplication.RULE)).isEqualTo(1);
		gate().open();
		assertThat(request.join().status()).isEqualTo(200);
		assertReleased(key);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/named", "/annotated/hold" })
	void annotationThatNamesARuleForRequestsHoldsOnePermitUntilTheEndOfTheRequest(String path) {
		String key = "annotated" + path;
		List<CompletableFuture<Response>> requests = arrive(1, path + "?status=200&k=" + key);
		assertThat(held().now("named", key)).isEqualTo(1);
		assertThat(this.application.get(path + "?status=200&k=" + key).status()).isEqualTo(429);
		gate().open();
		assertThat(requests.get(0).join().status()).isEqualTo(200);
		Poll.until(() -> held().now("named", key) == 0, () -> "Permits are in use");
	}

	@Test
	@Tag(TOMCAT)
	void rejectionBySpringSecurityReleasesThePermit() {
		Response rejected = this.application.get("/mine?k=mine");
		assertThat(rejected.status()).isEqualTo(401);
		assertThat(rejected.header("RateLimit")).as("the permit was held").contains("\"exports\";r=1");
		assertThat(held().now("mine")).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/leaving", "/leaving/async", "/events", "/leaving/servlet" })
	void disconnectedClientReleasesThePermit(String path) {
		String key = "left" + path;
		this.application.raw()
			.reset("GET " + path + "?k=" + key + " HTTP/1.1",
					() -> Poll.until(() -> gate().arrived.get() == 1, () -> "No request has arrived"));
		assertThat(held().now(key)).isEqualTo(1);
		gate().open();
		Poll.until(() -> held().now(key) == 0, () -> "In use are " + held().now(key));
	}

	@Test
	void disconnectedClientReleasesThePermitThatAServiceHasAcquired() {
		this.application.raw()
			.reset("GET /events/service?name=service HTTP/1.1",
					() -> Poll.until(() -> gate().arrived.get() == 1, () -> "No request has arrived"));
		assertThat(held().now("named", "service")).isOne();
		gate().open();
		Poll.until(() -> held().now("named", "service") == 0, () -> "Permits are in use");
	}

	@Test
	@Tag(TOMCAT)
	void committedResponseThatEndsByATimeoutReleasesThePermit() {
		this.application.raw().statusOf("GET /unfinished?k=unfinished&timeout=100 HTTP/1.1", "");
		assertReleased("unfinished");
	}

	@Test
	void headAndNotModifiedReleaseThePermit() {
		assertThat(this.application.send("HEAD", "/status?status=200&k=head").status()).isEqualTo(200);
		assertReleased("head");
		assertThat(this.application.get("/cached?k=cached", "If-None-Match", "\"x\"").status()).isEqualTo(304);
		assertReleased("cached");
	}

	@Test
	void preflightReleasesThePermit() {
		assertThat(this.application.raw()
			.send("OPTIONS /shared?k=preflight HTTP/1.1",
					"Origin: https://example.com\r\nAccess-Control-Request-Method: GET\r\n", "")
			.status()).isEqualTo(200);
		assertReleased("preflight");
	}

	@Test
	@Tag(TOMCAT)
	void handshakeReleasesThePermit() {
		assertThat(this.application.raw()
			.statusOf("GET /upgrade?k=upgrade HTTP/1.1", "Connection: Upgrade\r\nUpgrade: echo\r\n")).isEqualTo(101);
		assertReleased("upgrade");
	}

}
