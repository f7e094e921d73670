package io.tierlimit.application;

import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.application.EndingApplication.Ends;
import io.tierlimit.application.EndingApplication.Gate;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.junit.Poll;
import io.tierlimit.store.SimulatedTicker;
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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests which charges remain after the end of a request. Each test has its own keys.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("slow")
abstract class ChargingContract {

	/** The server of tests whose results do not depend on the server. */
	private static final String TOMCAT = "tomcat";

	private RunningApplication application;

	@BeforeAll
	void start() {
		this.application = start(ChargingRules.all());
	}

	abstract RunningApplication start(String... properties);

	@AfterAll
	void stop() {
		this.application.close();
	}

	@BeforeEach
	void begin() {
		gate().close();
		this.application.reset("address", "127.0.0.1");
	}

	@ParameterizedTest
	@CsvSource({ "/status, 401, 1, 0, 1", "/status, 403, 1, 0, 1", "/status, 200, 0, 0, 0", "/status, 404, 0, 0, 1",
			"/status, 503, 0, 1, 1", "/error-page, 401, 1, 0, 1", "/error-page, 500, 0, 1, 1",
			"/deferred, 401, 1, 0, 1", "/deferred, 200, 0, 0, 0", "/deferred, 503, 0, 1, 1", "/callable, 401, 1, 0, 1",
			"/callable, 200, 0, 0, 0", "/rounds, 401, 1, 0, 1", "/rounds, 500, 0, 1, 1", "/rounds, 200, 0, 0, 0",
			"/timeout, 503, 0, 1, 1", "/exception, 500, 1, 1, 1", "/io-exception, 500, 1, 1, 1",
			"/callable/exception, 500, 1, 1, 1", "/moved, 401, 1, 0, 1", "/moved, 200, 0, 0, 0",
			"/forwarding, 401, 1, 0, 1", "/forwarding, 200, 0, 0, 0", "/early/status, 401, 1, 0, 1",
			"/early/status, 200, 0, 0, 0", "/early/deferred, 401, 1, 0, 1", "/early/deferred, 200, 0, 0, 0",
			"/early/exception, 500, 1, 1, 1" })
	void requestIsChargedIfItsOutcomeIsListed(String path, int status, long unauthorized, long broken, long all) {
		gate().open();
		String key = path + status;
		assertThat(ended(() -> this.application.get(path + "?k=" + key + "&status=" + status)).status())
			.isEqualTo(status);
		assertThat(consumed("unauthorized", key)).isEqualTo(unauthorized);
		assertThat(consumed("broken", key)).isEqualTo(broken);
		assertThat(consumed("shadow", key)).isEqualTo((status == 403) ? 0 : unauthorized);
		assertThat(consumed("all", key)).isEqualTo(all);
	}

	@ParameterizedTest
	@CsvSource({ "/failing-late, 401, 401, 1, 0", "/committed, 401, 401, 1, 0", "/committed, 200, 200, 0, 0",
			"/committed, 503, 503, 0, 1", "/uncommitted, 401, 500, 1, 1", "/uncommitted, 200, 500, 1, 1" })
	void exceptionKeepsTheStatusThatTheClientHasReceived(String path, int status, int seen, long unauthorized,
			long broken) {
		String key = path + status;
		assertThat(ended(() -> this.application.raw()
			.send("GET " + path + "?k=" + key + "&status=" + status + " HTTP/1.1", "", "")).status()).isEqualTo(seen);
		assertThat(consumed("unauthorized", key)).isEqualTo(unauthorized);
		assertThat(consumed("broken", key)).isEqualTo(broken);
		assertThat(consumed("all", key)).as("an exception is not a success").isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "/picky/entity, */*, 401", "/picky/entity, image/png, 302", "/picky/thrown, image/png, 302",
			"/picky/thrown, */*, 302", "/picky/failing, image/png, 500", "/picky/failing, */*, 401",
			"/picky/deferred, */*, 302" })
	void failedLoginIsChargedWithEveryResponse(String path, String accept, int status) {
		assertThat(ended(() -> this.application.get(path + "?k=" + path + accept, "Accept", accept)).status())
			.isEqualTo(status);
		assertThat(consumed("picky", path + accept)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/gate", "/callable", "/deferred" })
	void conditionalChargeIsConsumedUntilTheRequestEnds(String path) {
		CompletableFuture<Response> request = CompletableFuture
			.supplyAsync(() -> ended(() -> this.application.get(path + "?status=200&k=during" + path)));
		Poll.until(() -> gate().arrived.get() == 1, () -> "No request has arrived");
		assertThat(consumed("unauthorized", "during" + path)).isEqualTo(1);
		gate().open();
		request.join();
		assertThat(consumed("unauthorized", "during" + path)).isZero();
	}

	@Test
	@Tag(TOMCAT)
	void parallelGuessesAreNotMoreThanSequentialOnes() {
		int crowd = 100;
		int before = ends().count();
		List<CompletableFuture<Response>> guesses = Stream
			.generate(() -> this.application.getLater("/gate?status=401&k=crowd"))
			.limit(crowd)
			.toList();
		try {
			Poll.until(() -> guesses.stream().filter(CompletableFuture::isDone).count() == crowd - 5,
					() -> "Waiting are " + guesses.stream().filter((guess) -> !guess.isDone()).count());
			assertThat(gate().arrived).hasValue(5);
			gate().open();
			assertThat(guesses.stream().filter((guess) -> guess.join().status() == 401)).hasSize(5);
		}
		finally {
			gate().open();
		}
		ends().await(before + crowd);
		assertThat(ended(() -> this.application.get("/gate?status=200&k=crowd")).status()).isEqualTo(429);
		assertThat(gate().arrived).hasValue(5);
	}

	/**
	 * The requests end after their bucket has refilled and guesses have exhausted it
	 * again.
	 */
	@Test
	@Tag(TOMCAT)
	void requestsThatEndLateRefundNoPermitsForGuesses() {
		int before = ends().count();
		List<CompletableFuture<Response>> slow = Stream
			.generate(() -> this.application.getLater("/late?status=404&k=late"))
			.limit(ChargingRules.LATE_RATE)
			.toList();
		Poll.until(() -> gate().arrived.get() == ChargingRules.LATE_RATE, () -> "Arrived are " + gate().arrived);
		Poll.until(() -> {
			this.application.bean(SimulatedTicker.class).advance(Duration.ofMillis(100));
			return left("late", "late") == ChargingRules.LATE_RATE;
		}, () -> "Left are " + left("late", "late"));
		long start = System.nanoTime();
		int guesses = guess("late", 2 * ChargingRules.LATE_RATE);
		assertThat(guesses).isGreaterThanOrEqualTo(ChargingRules.LATE_RATE);
		gate().open();
		assertThat(slow.stream().map(CompletableFuture::join)).allMatch((response) -> response.status() == 404);
		ends().await(before + ChargingRules.LATE_RATE + 2 * ChargingRules.LATE_RATE);
		guesses += guess("late", 2 * ChargingRules.LATE_RATE);
		ends().await(before + ChargingRules.LATE_RATE + 4 * ChargingRules.LATE_RATE);
		// The bound is valid for any elapsed time, with a fixed or a running clock.
		double earned = ChargingRules.LATE_RATE * (System.nanoTime() - start) / 1e9;
		assertThat((double) guesses).isLessThanOrEqualTo(ChargingRules.LATE_RATE + earned);
	}

	/** Sends guesses, and returns the number of guesses that are not rejected. */
	private int guess(String key, int times) {
		int checked = 0;
		for (int i = 0; i < times; i++) {
			checked += (this.application.get("/late/guess?status=401&k=" + key).status() == 401) ? 1 : 0;
		}
		return checked;
	}

	@Test
	void rejectionNeitherRefundsNorResets() {
		gate().open();
		for (int i = 0; i < 5; i++) {
			ended(() -> this.application.get("/gate?status=401&k=rejected"));
		}
		for (int i = 0; i < 3; i++) {
			assertThat(ended(() -> this.application.get("/gate?status=200&k=rejected")).status()).isEqualTo(429);
		}
		assertThat(left("guesses", "rejected")).isZero();
		assertThat(consumed("all", "rejected")).as("a rejected request consumes nothing").isEqualTo(5);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/leaving", "/leaving/async" })
	void disconnectedClientIsCharged(String path) {
		disconnect(path);
		assertThat(consumed("unauthorized", "left" + path)).isEqualTo(1);
		assertThat(consumed("all", "left" + path)).isEqualTo(1);
	}

	/** In Jetty, the request ends by a timeout. */
	@Test
	@Tag(TOMCAT)
	void disconnectedClientOfAServletIsCharged() {
		disconnect("/leaving/servlet");
		assertThat(consumed("unauthorized", "left/leaving/servlet")).isEqualTo(1);
		assertThat(consumed("all", "left/leaving/servlet")).isEqualTo(1);
	}

	private void disconnect(String path) {
		ended(() -> {
			this.application.raw()
				.reset("GET " + path + "?k=left" + path + " HTTP/1.1",
						() -> Poll.until(() -> gate().arrived.get() == 1, () -> "No request has arrived"));
			gate().open();
			return path;
		});
	}

	@Test
	void committedResponseThatEndsByATimeoutIsChargedAndResetsNothing() {
		ended(() -> this.application.raw().statusOf("GET /unfinished?k=unfinished&timeout=100 HTTP/1.1", ""));
		assertThat(consumed("unauthorized", "unfinished")).isEqualTo(1);
		assertThat(consumed("all", "unfinished")).isEqualTo(1);
	}

	@Test
	@Tag(TOMCAT)
	void failedFormLoginsAreChargedAlthoughTheyAreRedirects() {
		login("carol", "secret");
		assertThat(left("account", "carol")).as("of a disabled account").isEqualTo(4);
		for (int i = 0; i < 5; i++) {
			Response guess = login("alice", "guess" + i);
			assertThat(guess.status()).isEqualTo(302);
			assertThat(guess.header("Location")).endsWith("/login?error");
		}
		assertThat(login("alice", "secret").status()).as("the correct password is rejected").isEqualTo(429);
		assertThat(consumed(PermitRequest.of("address").ip("127.0.0.1"))).isEqualTo(6);
		this.application.bean(RateLimiter.class).reset(PermitRequest.of("account").part("key", "alice"));
	}

	/** The name of the second account contains capital letters. */
	@ParameterizedTest
	@CsvSource({ "bob, bob", "erin, eRIN" })
	@Tag(TOMCAT)
	void successResetsTheAccountAndNotTheAddress(String account, String spelling) {
		for (int i = 0; i < 4; i++) {
			login(account, "guess" + i);
		}
		assertThat(left("account", account)).isEqualTo(1);
		assertThat(login(spelling, "secret").header("Location")).endsWith("/");
		assertThat(left("account", account)).isEqualTo(5);
		assertThat(consumed(PermitRequest.of("address").ip("127.0.0.1"))).isEqualTo(4);
	}

	@Test
	@Tag(TOMCAT)
	void attackersOwnAccountDoesNotResetTheVictims() {
		int checked = 0;
		for (int i = 0; i < 16; i++) {
			checked += (login("alice", "guess" + i).status() == 302) ? 1 : 0;
			ended(() -> this.application.send("POST", "/login/?username=alice", "Authorization",
					RunningApplication.basic("bob", "secret")));
		}
		assertThat(checked).isEqualTo(5);
		assertThat(login("alice", "secret").status()).isEqualTo(429);
		this.application.bean(RateLimiter.class).reset(PermitRequest.of("account").part("key", "alice"));
	}

	@ParameterizedTest
	@CsvSource({ "/signin, application/x-www-form-urlencoded, 5", "/signin/, application/x-www-form-urlencoded, 1",
			"/signin?username=bob, text/plain, 1", "/slashed/, application/x-www-form-urlencoded, 5" })
	@Tag(TOMCAT)
	void statusResetsOnlyIfTheNamedHandlerSetsIt(String path, String type, long left) {
		for (int i = 0; i < 4; i++) {
			assertThat(signIn("/signin", "bob", "guess" + i).status()).isEqualTo(401);
		}
		assertThat(left("status", "bob")).isEqualTo(1);
		assertThat(ended(() -> this.application.send("POST", path,
				BodyPublishers.ofString("username=bob&password=secret"), "Content-Type", type))
			.status()).isEqualTo(204);
		assertThat(left("status", "bob")).isEqualTo(left);
		this.application.bean(RateLimiter.class).reset(PermitRequest.of("status").part("key", "bob"));
	}

	@ParameterizedTest
	@CsvSource({ "OPTIONS, /posted", "GET, /hello.txt" })
	void requestWithoutAHandlerOfTheApplicationResetsNothing(String method, String path) {
		String key = "victim" + method;
		for (int i = 0; i < 3; i++) {
			ended(() -> this.application.send("POST", "/posted?status=401&k=" + key));
			assertThat(ended(() -> this.application.send(method, path + "?k=" + key)).status()).isEqualTo(200);
			assertThat(consumed("any-method", key)).isEqualTo(i + 1);
		}
		ended(() -> this.application.send("POST", "/posted?status=200&k=" + key));
		assertThat(consumed("any-method", key)).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "/elsewhere, bob, 401, 1", "/elsewhere/bound, alice, 400, 0", "/callable/login, Erin, 400, 0" })
	void loginOnAnotherThreadIsRecorded(String path, String user, int failed, long consumedAfterSuccess) {
		assertThat(signIn(path, user, "guess").status()).isEqualTo(failed);
		assertThat(consumed("elsewhere", user)).isEqualTo(1);
		assertThat(signIn(path, user, "secret").status()).isEqualTo(204);
		assertThat(consumed("elsewhere", user)).isEqualTo(consumedAfterSuccess);
	}

	@Test
	@Tag(TOMCAT)
	void authenticationOfEveryRequestIsRecorded() {
		assertThat(ended(() -> this.application.getAs("alice", "guess", "/mine")).status()).isEqualTo(401);
		assertThat(consumed(PermitRequest.of("address").ip("127.0.0.1"))).isEqualTo(1);
		assertThat(ended(() -> this.application.getAs("alice", "/mine")).status()).isEqualTo(200);
		assertThat(ended(() -> this.application.get("/mine")).status()).as("no authentication was attempted")
			.isEqualTo(401);
		assertThat(consumed(PermitRequest.of("address").ip("127.0.0.1"))).isEqualTo(1);
	}

	private Response signIn(String path, String username, String password) {
		return ended(() -> this.application.postForm(path, "username=" + username + "&password=" + password));
	}

	private Response login(String username, String password) {
		return signIn("/login", username, password);
	}

	private long consumed(String rule, String key) {
		return consumed(PermitRequest.of(rule).part("key", key));
	}

	private long consumed(PermitRequest bucket) {
		return 100 - this.application.left(bucket);
	}

	/** The permits in a bucket of a rule with a key expression. */
	private long left(String rule, String key) {
		return this.application.left(PermitRequest.of(rule).part("key", key));
	}

	private Gate gate() {
		return this.application.bean(Gate.class);
	}

	private <T> T ended(Supplier<T> request) {
		return ends().after(request);
	}

	private Ends ends() {
		return this.application.bean(Ends.class);
	}

}
