package io.tierlimit.application;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.application.WaitingApplication.Handlers;
import io.tierlimit.application.WaitingApplication.ManualSleeper;
import io.tierlimit.redis.Poll;
import io.tierlimit.redis.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class WaitingRequestTests {

	private @Nullable RunningApplication application;

	private String rate = "10/s";

	private final HttpClient client = HttpClient.newHttpClient();

	@AfterEach
	void stop() {
		if (this.application != null) {
			this.application.bean(ManualSleeper.class).end();
			this.application.close();
		}
	}

	@Test
	void requestsWaitForTheirPermits() throws Exception {
		RunningApplication running = start();
		ManualSleeper sleeper = running.bean(ManualSleeper.class);
		assertThat(running.get("/delayed").status()).isEqualTo(200);
		List<CompletableFuture<HttpResponse<String>>> waiting = send(running, "/delayed", 3);
		until(() -> sleeper.waiting.size() == 3);
		assertThat(sleeper.waiting).containsExactlyInAnyOrder(Duration.ofMillis(100), Duration.ofMillis(200),
				Duration.ofMillis(300));
		assertThat(running.bean(Handlers.class).calls()).isEqualTo(1);
		sleeper.end();
		for (CompletableFuture<HttpResponse<String>> each : waiting) {
			assertThat(each.get().statusCode()).isEqualTo(200);
			assertThat(each.get().body()).isEqualTo("served anonymous");
			assertThat(each.get().headers().firstValue("RateLimit"))
				.hasValueSatisfying((field) -> assertThat(field).contains("\"queue\";r=0"));
		}
	}

	@Test
	void requestsThatWaitAreLimitedByTheSlots() throws Exception {
		RunningApplication running = start("tierlimit.web.max-waiting=2");
		running.get("/delayed");
		List<CompletableFuture<HttpResponse<String>>> waiting = send(running, "/delayed", 2);
		ManualSleeper sleeper = running.bean(ManualSleeper.class);
		until(() -> sleeper.waiting.size() == 2);
		assertThat(running.get("/delayed").status()).isEqualTo(429);
		sleeper.end();
		for (CompletableFuture<HttpResponse<String>> each : waiting) {
			assertThat(each.get().statusCode()).isEqualTo(200);
		}
		send(running, "/delayed", 1);
		until(() -> sleeper.waiting.size() == 3);
	}

	@Test
	void requestThatWouldWaitTooLongIsRejectedWithRetryAfter() {
		RunningApplication running = startDelaying("50ms");
		running.get("/delayed");
		assertThat(running.get("/delayed")).satisfies((rejected) -> {
			assertThat(rejected.status()).isEqualTo(429);
			assertThat(rejected.header("Retry-After")).isEqualTo("1");
		});
		assertThat(running.bean(ManualSleeper.class).waiting).isEmpty();
	}

	@Test
	void uploadIsAvailableAfterTheWait() throws Exception {
		RunningApplication running = start();
		running.get("/delayed");
		String body = """
				--b
				Content-Disposition: form-data; name="file"; filename="f"

				precious
				--b--
				""".replace("\n", "\r\n");
		CompletableFuture<HttpResponse<String>> waiting = CompletableFuture.supplyAsync(
				() -> running
					.send("POST", "/delayed/upload", BodyPublishers.ofString(body), "Content-Type",
							"multipart/form-data; boundary=b")
					.response());
		end(running, 1);
		assertThat(waiting.get().body()).isEqualTo("precious");
	}

	@Test
	void handlerMayBeAsynchronousItself() throws Exception {
		RunningApplication running = start();
		running.get("/delayed");
		List<CompletableFuture<HttpResponse<String>>> waiting = send(running, "/delayed/async", 1);
		end(running, 1);
		assertThat(waiting.get(0).get().body()).isEqualTo("served anonymous");
	}

	@Test
	void annotationOfTheHandlerIsChargedOnce() throws Exception {
		RunningApplication running = start();
		running.get("/delayed");
		List<CompletableFuture<HttpResponse<String>>> waiting = send(running, "/delayed/annotated", 1);
		end(running, 1);
		assertThat(waiting.get(0).get().body()).isEqualTo("served anonymous");
		assertThat(running.bean(RateLimiter.class).peek(PermitRequest.of("inline").costing(99)).allowed()).isTrue();
		assertThat(running.bean(RateLimiter.class).peek(PermitRequest.of("inline").costing(100)).allowed()).isFalse();
	}

	@Test
	void delayedRequestIsRefundedAtTheEndIfItIsNotCharged() throws Exception {
		RunningApplication running = start("tierlimit.rules.queue.charge=401");
		running.bean(RateLimiter.class).acquire(PermitRequest.of("queue"));
		CompletableFuture<HttpResponse<String>> waiting = send(running, "/delayed", 1).get(0);
		end(running, 1);
		assertThat(waiting.get().statusCode()).isEqualTo(200);
		until(() -> Duration.ofMillis(100)
			.equals(running.bean(RateLimiter.class)
				.peek(PermitRequest.of("queue"))
				.decisions()
				.get(0)
				.decision()
				.retryAfter()));
	}

	@Test
	void headersShowTheBucketAsOfTheEndOfTheWait() throws Exception {
		this.rate = "1/m";
		RunningApplication running = startDelaying("5m", "tierlimit.headers.styles=ietf,classic,x-ratelimit");
		running.get("/delayed");
		List<CompletableFuture<HttpResponse<String>>> waiting = send(running, "/delayed", 1);
		ManualSleeper sleeper = running.bean(ManualSleeper.class);
		until(() -> sleeper.waiting.size() == 1);
		sleeper.end();
		HttpHeaders fields = waiting.get(0).get().headers();
		assertThat(fields.firstValue("RateLimit")).hasValue("\"queue\";r=0;t=60");
		assertThat(fields.firstValue("RateLimit-Reset")).hasValue("60");
	}

	@Test
	void requestsOfASharedBucketWait() throws Exception {
		this.rate = "1/d";
		try (RedisServer server = RedisServer.start()) {
			RunningApplication running = startDelaying("3d", "tierlimit.store=redis", "tierlimit.redis.timeout=5s",
					"spring.data.redis.port=" + server.port());
			running.get("/delayed");
			List<CompletableFuture<HttpResponse<String>>> waiting = send(running, "/delayed", 2);
			ManualSleeper sleeper = running.bean(ManualSleeper.class);
			until(() -> sleeper.waiting.size() == 2);
			assertThat(sleeper.waiting.stream().map(WaitingRequestTests::roundedUpToDays)).containsExactlyInAnyOrder(1L,
					2L);
			sleeper.end();
			for (CompletableFuture<HttpResponse<String>> each : waiting) {
				assertThat(each.get().statusCode()).isEqualTo(200);
			}
		}
	}

	/** The wait in whole days, since the clock of Redis advances. */
	private static long roundedUpToDays(Duration time) {
		return time.minusNanos(1).toDays() + 1;
	}

	@Test
	void requestOfAServletBlocksItsThread() throws Exception {
		RunningApplication running = start();
		running.get("/plain/x");
		List<CompletableFuture<HttpResponse<String>>> waiting = send(running, "/plain/x", 1);
		ManualSleeper sleeper = running.bean(ManualSleeper.class);
		until(() -> sleeper.waiting.size() == 1);
		sleeper.end();
		assertThat(waiting.get(0).get().body()).isEqualTo("plain");
	}

	private RunningApplication start(String... properties) {
		return startDelaying("500ms", properties);
	}

	private RunningApplication startDelaying(String maxWait, String... properties) {
		this.application = RunningApplication.start(WaitingApplication.class,
				Stream
					.concat(Stream.of("tierlimit.rules.queue.paths=/delayed/**,/plain/**",
							"tierlimit.rules.queue.algorithm=leaky-bucket", "tierlimit.rules.queue.rate=" + this.rate,
							"tierlimit.rules.queue.max-wait=" + maxWait), Arrays.stream(properties))
					.toArray(String[]::new));
		return this.application;
	}

	private List<CompletableFuture<HttpResponse<String>>> send(RunningApplication running, String path, int count) {
		List<CompletableFuture<HttpResponse<String>>> sent = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			sent.add(this.client.sendAsync(request(running, path), BodyHandlers.ofString()));
		}
		return sent;
	}

	private static HttpRequest request(RunningApplication running, String path) {
		return HttpRequest.newBuilder(URI.create(running.address() + path)).build();
	}

	private static void until(BooleanSupplier condition) {
		Poll.until(condition, () -> "Not the expected waits");
	}

	private static void end(RunningApplication running, int waiting) {
		ManualSleeper sleeper = running.bean(ManualSleeper.class);
		until(() -> sleeper.waiting.size() == waiting);
		sleeper.end();
	}

}
