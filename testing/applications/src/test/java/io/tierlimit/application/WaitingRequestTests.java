package io.tierlimit.application;

import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.application.WaitingApplication.Handlers;
import io.tierlimit.application.WaitingApplication.ManualSleeper;
import io.tierlimit.junit.Poll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class WaitingRequestTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	private ManualSleeper sleeper;

	@AfterEach
	void endWaits() {
		this.sleeper.end();
	}

	@Test
	void requestsWaitForTheirPermitsIfThereAreSlots() {
		start("10/s", "500ms");
		assertThat(this.application.get("/delayed").status()).isEqualTo(200);
		int calls = this.application.bean(Handlers.class).calls();
		List<CompletableFuture<Response>> waiting = send("/delayed", 3);
		assertThat(this.sleeper.waiting).containsExactlyInAnyOrder(Duration.ofMillis(100), Duration.ofMillis(200),
				Duration.ofMillis(300));
		assertThat(this.application.get("/delayed").status()).as("no slot").isEqualTo(429);
		assertThat(this.application.bean(Handlers.class).calls()).isEqualTo(calls);
		this.sleeper.end();
		for (CompletableFuture<Response> each : waiting) {
			assertThat(each.join().status()).isEqualTo(200);
			assertThat(each.join().body()).isEqualTo("served anonymous");
			assertThat(each.join().rateLimit().get("queue")).containsEntry("r", 0L);
		}
	}

	@Test
	void uploadIsAvailableAfterTheWait() {
		start("10/s", "500ms");
		this.application.get("/delayed");
		String body = """
				--b
				Content-Disposition: form-data; name="file"; filename="f"

				precious
				--b--
				""".replace("\n", "\r\n");
		CompletableFuture<Response> waiting = CompletableFuture.supplyAsync(() -> this.application.send("POST",
				"/delayed/upload", BodyPublishers.ofString(body), "Content-Type", "multipart/form-data; boundary=b"));
		await(1);
		this.sleeper.end();
		assertThat(waiting.join().body()).isEqualTo("precious");
	}

	@Test
	void handlerMayBeAsynchronousItself() {
		start("10/s", "500ms");
		this.application.get("/delayed");
		assertThat(served("/delayed/async").body()).isEqualTo("served anonymous");
	}

	@Test
	void delayedRequestIsRefundedAtTheEndIfItIsNotCharged() {
		start("10/s", "500ms", "tierlimit.rules.queue.charge-on=401");
		this.application.bean(RateLimiter.class).acquire(PermitRequest.of("queue"));
		assertThat(served("/delayed").status()).isEqualTo(200);
		Poll.until(() -> nextWait().equals(Duration.ofMillis(100)), () -> "not refunded");
	}

	/** How long a further request would wait. */
	private Duration nextWait() {
		return this.application.bean(RateLimiter.class)
			.peek(PermitRequest.of("queue"))
			.decisions()
			.get(0)
			.decision()
			.retryAfter();
	}

	@Test
	void requestConsumesItsPermitsIfItsClientLeavesDuringTheWait() {
		start("10/s", "500ms");
		this.application.get("/delayed");
		Handlers handlers = this.application.bean(Handlers.class);
		int calls = handlers.calls();
		this.application.raw().reset("GET /delayed HTTP/1.1", () -> await(1));
		CompletableFuture<Response> next = this.application.getLater("/delayed");
		await(2);
		this.sleeper.end();
		assertThat(next.join().status()).isEqualTo(200);
		assertThat(this.sleeper.waiting).containsExactly(Duration.ofMillis(100), Duration.ofMillis(200));
		Poll.until(() -> handlers.calls() == calls + 2, () -> "Calls: " + handlers.calls());
		assertThat(nextWait()).isEqualTo(Duration.ofMillis(300));
	}

	@Test
	void headersShowTheBucketAsOfTheEndOfTheWait() {
		start("1/m", "5m", "tierlimit.headers.styles=draft-11,draft-06,x-ratelimit");
		this.application.get("/delayed");
		Response served = served("/delayed");
		assertThat(served.header("RateLimit")).isEqualTo("\"queue\";r=0;t=60");
		assertThat(served.header("RateLimit-Reset")).isEqualTo("60");
	}

	@Test
	void requestOfAServletBlocksItsThread() {
		start("10/s", "500ms");
		this.application.get("/plain/x");
		assertThat(served("/plain/x").body()).isEqualTo("plain");
	}

	@Test
	void requestWaitsUntilThePermitsOfAnotherRequestAreReleased() {
		startWith("tierlimit.rules.held.paths=/held/**", "tierlimit.rules.held.algorithm=concurrency",
				"tierlimit.rules.held.limit=1", "tierlimit.rules.held.max-wait=1s");
		CompletableFuture<Response> first = hold();
		CompletableFuture<Response> waiting = send("/held/now", 1).get(0);
		assertThat(waiting).isNotDone();
		this.application.bean(Handlers.class).release();
		assertThat(first.join().status()).isEqualTo(200);
		assertThat(waiting.join().body()).isEqualTo("free");
	}

	/** Sends a request, and waits until it has the only permit. */
	private CompletableFuture<Response> hold() {
		Handlers handlers = this.application.bean(Handlers.class);
		int calls = handlers.calls();
		CompletableFuture<Response> sent = this.application.getLater("/held/until-released");
		Poll.until(() -> handlers.calls() > calls, () -> "The handler was not called");
		return sent;
	}

	private void start(String rate, String maxWait, String... properties) {
		startWith(RunningApplication.with(properties, "tierlimit.rules.queue.paths=/delayed/**,/plain/**",
				"tierlimit.rules.queue.algorithm=leaky-bucket", "tierlimit.rules.queue.rate=" + rate,
				"tierlimit.rules.queue.max-wait=" + maxWait));
	}

	private void startWith(String... properties) {
		this.application = applications.start(WaitingApplication.class, properties, "tierlimit.web.max-waiting=3");
		this.sleeper = this.application.bean(ManualSleeper.class);
		this.sleeper.waiting.clear();
	}

	/** Sends requests, and waits until all of them wait. */
	private List<CompletableFuture<Response>> send(String path, int count) {
		List<CompletableFuture<Response>> sent = Stream.generate(() -> this.application.getLater(path))
			.limit(count)
			.toList();
		await(count);
		return sent;
	}

	private void await(int count) {
		Poll.until(() -> this.sleeper.waiting.size() == count, () -> "Waits: " + this.sleeper.waiting);
	}

	/** Sends a request, and advances the time until it no longer waits. */
	private Response served(String path) {
		CompletableFuture<Response> waiting = send(path, 1).get(0);
		this.sleeper.end();
		return waiting.join();
	}

}
