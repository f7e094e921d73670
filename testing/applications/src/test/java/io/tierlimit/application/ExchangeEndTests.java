package io.tierlimit.application;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import io.tierlimit.application.EndingApplication.Gate;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.junit.Poll;
import io.tierlimit.web.RecordedOutcomes;
import io.tierlimit.web.RecordedOutcomes.Recorded;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the facts of exchanges that end in every possible way.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("slow")
class ExchangeEndTests {

	private RunningApplication application;

	@BeforeAll
	void start() {
		this.application = RunningApplication.start(
				new SpringApplicationBuilder(HoldingApplication.class, RecordedOutcomes.class, Handlers.class),
				RunningApplication.with(
						RunningApplication.rules("exports.algorithm=concurrency", "exports.limit=9",
								"named.paths=/named", "named.algorithm=concurrency", "named.limit=9"),
						"server.shutdown=immediate"));
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	@BeforeEach
	void begin() {
		gate().close();
		outcomes().all().clear();
	}

	@ParameterizedTest
	@CsvSource({ "/status, 200, 4", "/status, 404, 4", "/error-page, 500, 0", "/exception, 500, 0",
			"/callable/exception, 500, 0", "/future/exception, 500, 0", "/uncommitted, 500, 0", "/callable, 200, 4",
			"/deferred, 200, 4", "/future, 200, 4", "/rounds, 200, 0", "/streaming, 200, 12",
			"/events/complete, 200, 12", "/forwarding, 200, 4", "/including, 200, 4", "/moved, 200, 4",
			"/early/status, 200, 4", "/timeout, 503, 0", "/text, 200, 3" })
	void completeResponseHasItsBytes(String path, int status, long bytes) {
		gate().open();
		assertThat(this.application.get(path + "?status=" + status).status()).isEqualTo(status);
		assertThat(recorded().endedEarly()).isFalse();
		assertThat(recorded().responseBytes()).isEqualTo(bytes);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/units", "/units/callable" })
	void headerOfTheResponseIsKnown(String path) {
		assertThat(this.application.get(path).status()).isEqualTo(200);
		assertThat(recorded().header()).isEqualTo("7");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/gate", "/callable", "/streaming" })
	void durationLastsUntilTheEndOfTheResponse(String path) {
		CompletableFuture<Response> request = this.application.getLater(path + "?status=200");
		Poll.until(() -> gate().arrived.get() == 1, () -> "No request has arrived");
		this.application.clock().advance(Duration.ofMillis(5));
		gate().open();
		assertThat(request.join().status()).isEqualTo(200);
		assertThat(recorded().duration()).isEqualTo(5);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/committed", "/streaming/exception", "/failing-late" })
	void exceptionAfterTheResponseWasCommittedEndsItEarly(String path) {
		this.application.raw().send("GET " + path + "?status=200 HTTP/1.1", "", "");
		assertThat(recorded().endedEarly()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/leaving", "/leaving/async", "/leaving/servlet", "/leaving/quietly", "/events" })
	void disconnectedClientEndsTheResponseEarly(String path) {
		this.application.raw()
			.reset("GET " + path + " HTTP/1.1",
					() -> Poll.until(() -> gate().arrived.get() == 1, () -> "No request has arrived"));
		gate().open();
		assertThat(recorded().endedEarly()).isTrue();
	}

	@Test
	void timeoutAfterTheResponseWasCommittedEndsItEarly() {
		this.application.raw().statusOf("GET /unfinished?timeout=100 HTTP/1.1", "");
		assertThat(recorded().endedEarly()).isTrue();
	}

	/** The outcome of the one request, which may end after its response. */
	private Recorded recorded() {
		Poll.until(() -> !outcomes().all().isEmpty(), () -> "Not ended");
		assertThat(outcomes().all()).hasSize(1);
		return outcomes().all().get(0);
	}

	private RecordedOutcomes outcomes() {
		return this.application.bean(RecordedOutcomes.class);
	}

	private Gate gate() {
		return this.application.bean(Gate.class);
	}

	@RestController
	static class Handlers {

		private final Gate gate;

		Handlers(Gate gate) {
			this.gate = gate;
		}

		@RequestMapping("/units")
		ResponseEntity<String> units() {
			return ResponseEntity.ok().header(RecordedOutcomes.HEADER, "7").body("done");
		}

		@RequestMapping("/units/callable")
		Callable<ResponseEntity<String>> unitsLater() {
			return this::units;
		}

		@RequestMapping("/text")
		void text(HttpServletResponse response) throws IOException {
			response.setCharacterEncoding("UTF-8");
			response.getWriter().print("\u20ac");
		}

		/** Ignores that the client has disconnected. */
		@RequestMapping("/leaving/quietly")
		void leaveQuietly(HttpServletResponse response) throws IOException {
			this.gate.pass();
			try {
				EndingApplication.writeForEver(response.getOutputStream());
			}
			catch (IOException ex) {
				// A handler may ignore that the client has disconnected.
			}
		}

	}

}
