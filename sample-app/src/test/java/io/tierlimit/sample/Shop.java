package io.tierlimit.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Objects;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.limit.Decision;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.test.SimulatedTicker;

import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Gives access to the running application and to its buckets.
 */
class Shop {

	/** The key of the bucket of callers on this machine. */
	static final String HERE = "127.0.0.1";

	private static final String ORDER = "{\"product\":1,\"quantity\":2}";

	private final HttpClient client = HttpClient.newHttpClient();

	private final Environment environment;

	private final ActiveRules rules;

	private final BucketStore store;

	private final RateLimiter limiter;

	private final SimulatedScheduler scheduler;

	Shop(Environment environment, ActiveRules rules, BucketStore store, RateLimiter limiter,
			SimulatedScheduler scheduler) {
		this.environment = environment;
		this.rules = rules;
		this.store = store;
		this.limiter = limiter;
		this.scheduler = scheduler;
	}

	/** Advances the clock by a day, so that every bucket is full. */
	void nextDay() {
		advance(Duration.ofDays(1));
	}

	/** Advances the clock, and runs the tasks that become due. */
	void advance(Duration time) {
		this.scheduler.advance(time);
	}

	Reply get(String path, String... fields) {
		return send(request(path, fields).build());
	}

	Reply getAs(String user, String path) {
		return get(path, "Authorization", basic(user));
	}

	Reply getAs(String user, String password, String path) {
		return get(path, "Authorization", basic(user, password));
	}

	/** Sends a request of a user, and returns when the response has begun. */
	Download download(String user, String path) {
		return new Download(send(request(path, "Authorization", basic(user)).build(), BodyHandlers.ofInputStream()));
	}

	Reply order(String user) {
		return orderOf(user, ORDER);
	}

	Reply orderOf(String user, String order) {
		return post("/api/orders", order, "Authorization", basic(user));
	}

	Reply orderAt(String user, String path) {
		return post(path, ORDER, "Authorization", basic(user));
	}

	Reply login(String user, String password) {
		return send(request("/api/login").header("Content-Type", "application/x-www-form-urlencoded")
			.POST(BodyPublishers.ofString("username=" + user + "&password=" + password))
			.build());
	}

	Reply post(String path, String json, String... fields) {
		return send(request(path, fields).header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(json))
			.build());
	}

	Reply delete(String path, String... fields) {
		return send(request(path, fields).DELETE().build());
	}

	private HttpRequest.Builder request(String path, String... fields) {
		String port = this.environment.getRequiredProperty("local.server.port");
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + HERE + ":" + port + path));
		return (fields.length > 0) ? request.headers(fields) : request;
	}

	private Reply send(HttpRequest request) {
		HttpResponse<String> response = send(request, BodyHandlers.ofString());
		return new Reply(response.statusCode(), response.headers(), response.body());
	}

	private <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> body) {
		try {
			return this.client.send(request, body);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** The credentials of a customer. */
	static String basic(String user) {
		return basic(user, "secret");
	}

	private static String basic(String user, String password) {
		String login = user + ":" + password;
		return "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8));
	}

	/** The remaining permits of a bucket under the rule's standard limit. */
	long left(String rule, String key) {
		Decision decision = this.store.peek(List.of(charge(rule, key, 0))).decisions().get(0);
		return Objects.requireNonNull(decision).remaining();
	}

	/** Consumes permits from a bucket, as many requests would. */
	void consume(String rule, String key, long permits) {
		if (!this.store.acquire(List.of(charge(rule, key, permits)), new StoreFailureFlag()).admitted()) {
			throw new IllegalStateException("The bucket of " + rule + " has less than " + permits);
		}
	}

	/** The remaining permits of a bucket whose key may be hashed. */
	long leftOf(PermitRequest bucket) {
		return this.limiter.peek(bucket.cost(0)).decisions().get(0).decision().remaining();
	}

	/** Consumes from a bucket whose key may be hashed. */
	void consume(PermitRequest claim) {
		this.limiter.acquire(claim);
	}

	private Charge charge(String rule, String key, long cost) {
		return new Charge(new BucketKey(rule, key), rule(rule).limits().standard(), cost);
	}

	Rule rule(String id) {
		return Objects.requireNonNull(this.rules.current().rule(id)).rule();
	}

	/** The scheduler with a simulated clock, and the shop for tests. */
	@TestConfiguration(proxyBeanMethods = false)
	static class Configuration {

		@Bean
		SimulatedScheduler scheduler(SimulatedTicker ticker) {
			return new SimulatedScheduler(ticker);
		}

		@Bean
		@Lazy
		Shop shopOfTests(Environment environment, ActiveRules rules, BucketStore store, RateLimiter limiter,
				SimulatedScheduler scheduler) {
			return new Shop(environment, rules, store, limiter, scheduler);
		}

	}

}
