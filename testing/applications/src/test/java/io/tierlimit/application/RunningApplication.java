package io.tierlimit.application;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.jayway.jsonpath.JsonPath;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.web.header.RateLimitField;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.SimpleCommandLinePropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application on a real server and a free port, with a fixed clock.
 */
public final class RunningApplication implements AutoCloseable {

	static {
		// A server may close a connection whose last request had an unread body. The next
		// request is then sent again, on another connection, whatever its method.
		System.setProperty("jdk.httpclient.enableAllMethodRetry", "true");
	}

	private final HttpClient client = HttpClient.newHttpClient();

	private final ConfigurableApplicationContext context;

	private final Runnable server;

	private final String address;

	private RunningApplication(ConfigurableApplicationContext context, Runnable server) {
		this.context = context;
		this.server = server;
		this.address = "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
	}

	/**
	 * Starts with properties. A later property replaces an earlier property of the same
	 * name.
	 */
	public static RunningApplication start(Class<?> application, String... properties) {
		return start(new SpringApplicationBuilder(application), properties);
	}

	/** Starts with a given class loader or environment. */
	public static RunningApplication start(SpringApplicationBuilder application, String... properties) {
		return new RunningApplication(configured(application).run(arguments(properties)), () -> {
		});
	}

	/** Starts like a deployed WAR. */
	static RunningApplication startAsWar(Class<?> application, String... properties) {
		DeployedWar war = DeployedWar.start(configured(new SpringApplicationBuilder(application)),
				arguments(properties));
		return new RunningApplication(war.context(), war::stop);
	}

	private static SpringApplicationBuilder configured(SpringApplicationBuilder application) {
		return application.properties("server.port=0", "spring.main.banner-mode=off", "logging.level.root=warn",
				"management.health.redis.enabled=false", "tierlimit.store=memory");
	}

	private static String[] arguments(String... properties) {
		Map<String, String> arguments = new LinkedHashMap<>();
		for (String property : properties) {
			arguments.put(property.split("=", 2)[0], "--" + property);
		}
		return arguments.values().toArray(String[]::new);
	}

	/** The properties of a store in Redis, followed by other properties. */
	static String[] redis(int port, String... more) {
		String[] properties = { "tierlimit.store=redis", "tierlimit.redis.timeout=5s",
				"spring.data.redis.port=" + port };
		return with(properties, more);
	}

	/** Properties, followed by other properties. */
	public static String[] with(String[] properties, String... more) {
		return Stream.of(properties, more).flatMap(Arrays::stream).toArray(String[]::new);
	}

	/** Adds the prefix of all rules to properties such as {@code per-ip.rate=1/s}. */
	static String[] rules(String... rules) {
		return Arrays.stream(rules).map((rule) -> "tierlimit.rules." + rule).toArray(String[]::new);
	}

	/** Begins another test, with new rules, full buckets and the clock at zero. */
	void begin(String... properties) {
		reload(properties);
		RateLimiter limiter = bean(RateLimiter.class);
		for (CompiledRule rule : bean(ActiveRules.class).current().all()) {
			assertThat(limiter.resetAll(rule.rule().id())).isTrue();
		}
		clock().set(0);
	}

	/** Replaces the properties and reloads the rules. The buckets are kept. */
	void reload(String... properties) {
		MutablePropertySources sources = this.context.getEnvironment().getPropertySources();
		sources.remove(CommandLinePropertySource.COMMAND_LINE_PROPERTY_SOURCE_NAME);
		sources.addFirst(new SimpleCommandLinePropertySource(arguments(properties)));
		assertThat(bean(RuleReloader.class).reload().problems()).isEmpty();
	}

	public <T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	/** The active rules. */
	Map<String, Rule> rules() {
		return bean(ActiveRules.class).current()
			.all()
			.stream()
			.map(CompiledRule::rule)
			.collect(Collectors.toMap(Rule::id, (rule) -> rule));
	}

	public SimulatedTicker clock() {
		return bean(SimulatedTicker.class);
	}

	public Response get(String path, String... headers) {
		return send("GET", path, BodyPublishers.noBody(), headers);
	}

	/** Sends a request to the management endpoints on their own port. */
	Response getManagement(String path) {
		String port = this.context.getEnvironment().getRequiredProperty("local.management.port");
		return send(URI.create("http://localhost:" + port + path), "GET", BodyPublishers.noBody());
	}

	Response getAs(String user, String path) {
		return getAs(user, "secret", path);
	}

	Response getAs(String user, String password, String path) {
		return get(path, "Authorization", basic(user, password));
	}

	/** The value of the header {@code Authorization}. */
	static String basic(String user, String password) {
		return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
	}

	Response send(String method, String path, String... headers) {
		return send(method, path, BodyPublishers.noBody(), headers);
	}

	Response postForm(String path, String form, String... headers) {
		return send("POST", path, BodyPublishers.ofString(form),
				with(headers, "Content-Type", "application/x-www-form-urlencoded"));
	}

	Response postJson(String path, String json, String... headers) {
		return send("POST", path, BodyPublishers.ofString(json), with(headers, "Content-Type", "application/json"));
	}

	/** Sends requests one after the other, and returns the statuses of the responses. */
	List<Integer> statuses(int requests, String path, String... headers) {
		return Stream.generate(() -> get(path, headers).status()).limit(requests).toList();
	}

	/**
	 * Sends requests, and asserts that the first ones are allowed and all others are
	 * rejected.
	 */
	void assertAllowed(int allowed, int requests, String path, String... headers) {
		assertAllowed(allowed, requests, () -> get(path, headers));
	}

	static void assertAllowed(int allowed, int requests, Supplier<Response> request) {
		assertThat(Stream.generate(() -> request.get().status()).limit(requests))
			.isEqualTo(statuses(requests, allowed));
	}

	/**
	 * The statuses of requests if the first ones are allowed and all others are rejected.
	 */
	static List<Integer> statuses(int requests, int allowed) {
		return IntStream.range(0, requests).mapToObj((i) -> (i < allowed) ? 200 : 429).toList();
	}

	CompletableFuture<Response> getLater(String path) {
		return this.client
			.sendAsync(HttpRequest.newBuilder(URI.create(this.address + path)).build(), BodyHandlers.ofString())
			.thenApply(Response::new);
	}

	public Response send(String method, String path, BodyPublisher body, String... headers) {
		return send(URI.create(this.address + path), method, body, headers);
	}

	private Response send(URI uri, String method, BodyPublisher body, String... headers) {
		HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(Duration.ofMinutes(2)).method(method, body);
		if (headers.length > 0) {
			request.headers(headers);
		}
		try {
			return new Response(this.client.send(request.build(), BodyHandlers.ofString()));
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** The permits that have been consumed from a bucket with a slow limit of 100. */
	long consumed(String rule, String key) {
		Charge charge = new Charge(new BucketKey(rule, key), new TokenBucket(Rate.parse("1/d"), 100), 0);
		return 100 - bean(BucketStore.class).peek(List.of(charge)).decisions().get(0).remaining();
	}

	/** The permits that code could acquire from a bucket. */
	long left(PermitRequest bucket) {
		return bean(RateLimiter.class).peek(bucket.cost(0)).decisions().get(0).decision().remaining();
	}

	public String address() {
		return this.address;
	}

	RawHttp raw() {
		return new RawHttp(port());
	}

	public int port() {
		return this.context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
	}

	void reset(String rule, String key) {
		bean(BucketStore.class).reset(new BucketKey(rule, key), new StoreFailureFlag());
	}

	@Override
	public void close() {
		this.context.close();
		this.server.run();
	}

	/**
	 * A response.
	 */
	public record Response(HttpResponse<String> response) {

		public int status() {
			return this.response.statusCode();
		}

		public String body() {
			return this.response.body();
		}

		/** A value of a JSON body. */
		Object json(String path) {
			return JsonPath.read(body(), path);
		}

		/** All values of a JSON body that a path finds. */
		List<Object> jsons(String path) {
			return JsonPath.read(body(), path);
		}

		public String header(String name) {
			return this.response.headers().firstValue(name).orElse("");
		}

		public Map<String, Map<String, Long>> rateLimit() {
			return RateLimitField.parse(header("RateLimit"));
		}

		Map<String, Map<String, Long>> policies() {
			return RateLimitField.parse(header("RateLimit-Policy"));
		}

	}

}
