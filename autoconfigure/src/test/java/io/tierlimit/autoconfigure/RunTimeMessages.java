package io.tierlimit.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.tierlimit.Hold;
import io.tierlimit.MainSources;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleMode;
import io.tierlimit.actuate.RateLimitOverridesEndpoint;
import io.tierlimit.evaluation.EvaluationObserver;
import io.tierlimit.evaluation.OverrideEditor;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.key.CompositePlanResolver;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.option.adaptive.AdaptiveRates;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.OverloadSignal;
import io.tierlimit.spi.OverrideStore;
import io.tierlimit.spi.PlanResolver;
import io.tierlimit.spi.RuleSource;
import io.tierlimit.spi.VerdictListener;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.DelegatingBucketStore;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.redis.MembershipMessages;
import io.tierlimit.store.redis.RedisBucketStore;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Causes every message that the library logs at run time.
 */
final class RunTimeMessages {

	private static final Pattern CALL = Pattern.compile("\\b(?:warn\\w*|logger\\.error)\\(([^;]*);");

	private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

	private RunTimeMessages() {
	}

	/**
	 * A part of the message of each call in the sources that logs a warning or an error
	 * at run time.
	 */
	static List<String> parts() {
		List<String> parts = new ArrayList<>();
		try {
			for (Path file : MainSources.files()) {
				boolean atStartup = file.startsWith("../autoconfigure") || file.endsWith("RuleContext.java")
						|| file.toString().endsWith("Reader.java");
				if (!atStartup) {
					CALL.matcher(Files.readString(file)).results().forEach((call) -> addLongest(call, parts));
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return parts;
	}

	private static void addLongest(MatchResult call, List<String> parts) {
		Matcher literals = LITERAL.matcher(call.group(1));
		literals.results()
			.map((literal) -> literal.group(1))
			.max(Comparator.comparingInt(String::length))
			.ifPresent(parts::add);
	}

	static void causeMessagesOfRequests(WebApplicationContextRunner web) {
		web.withBean(PlanResolver.class, () -> (caller) -> {
			throw failure();
		}).withBean(EvaluationObserver.class, () -> (evaluation) -> {
			throw failure();
		}).withBean(VerdictListener.class, () -> (verdict, caller) -> {
			throw failure();
		})
			.withPropertyValues("tierlimit.user.key=claim('none')", "tierlimit.memory.max-buckets=1",
					"tierlimit.rules.cost.rate=1/s", "tierlimit.rules.cost.paths=/cost",
					"tierlimit.rules.cost.cost=header('X')", "tierlimit.rules.key.rate=1/s",
					"tierlimit.rules.key.paths=/key", "tierlimit.rules.key.key=header('X').substring(5)",
					"tierlimit.rules.capacity.rate=1/s", "tierlimit.rules.capacity.paths=/capacity",
					"tierlimit.rules.capacity.cost=header('X')", "tierlimit.rules.actual.rate=9/s",
					"tierlimit.rules.actual.paths=/actual", "tierlimit.rules.actual.actual-cost=responseHeader('X')",
					"tierlimit.rules.condition.rate=1/s", "tierlimit.rules.condition.paths=/condition",
					"tierlimit.rules.condition.condition=user.substring(8) == 'x'", "tierlimit.rules.neither.rate=1/s",
					"tierlimit.rules.neither.paths=/neither", "tierlimit.rules.neither.condition=claim('none')",
					"tierlimit.rules.address.rate=1/s", "tierlimit.rules.address.paths=/address",
					"tierlimit.rules.address.key=user.substring(8)", "tierlimit.rules.absent.rate=1/s",
					"tierlimit.rules.absent.paths=/absent", "tierlimit.rules.absent.key=claim('none').length()",
					"tierlimit.rules.plan.rate=1/s", "tierlimit.rules.plan.paths=/plan",
					"tierlimit.rules.plan.plans.x.rate=1/s", "tierlimit.rules.full.rate=1/d",
					"tierlimit.rules.full.paths=/full", "tierlimit.rules.full.scope=ip")
			.run((context) -> {
				request(context, "/cost", "-1");
				request(context, "/key", "1");
				request(context, "/capacity", "9");
				for (String path : List.of("/actual", "/condition", "/neither", "/address", "/absent", "/plan",
						"/full")) {
					request(context, path, "1");
				}
			});
		web.withBean(VerdictListener.class, () -> {
			throw failure();
		}, (definition) -> definition.setLazyInit(true))
			.withPropertyValues("tierlimit.user.key=user.substring(8)", "tierlimit.rules.a.rate=1/s",
					"tierlimit.rules.a.scope=user")
			.run((context) -> request(context, "/", "1"));
		new CompositePlanResolver(List.of((caller) -> {
			throw failure();
		}), null).resolve(Caller.UNKNOWN);
		OnceLogger logger = new OnceLogger(RunTimeMessages.class);
		for (int i = 0; i < 1000; i++) {
			logger.warn(i, "A caller has no plan because the PlanResolver failed", null);
		}
	}

	static void causeMessagesOfHolds(WebApplicationContextRunner web) {
		AtomicLong now = new AtomicLong();
		web.withBean(Ticker.class, () -> now::get)
			.withPropertyValues("tierlimit.rules.r.algorithm=concurrency", "tierlimit.rules.r.limit=5",
					"tierlimit.rules.r.max-duration=1s")
			.run((context) -> {
				Hold late = context.getBean(RateLimiter.class).hold(PermitRequest.of("r"));
				now.set(Duration.ofSeconds(1).toNanos() / 1000);
				late.close();
			});
	}

	static void causeMessagesOfAdaptiveRates(WebApplicationContextRunner web) {
		web.withBean("pool", OverloadSignal.class, () -> () -> {
			throw failure();
		})
			.withPropertyValues("tierlimit.rules.a.rate=2/s", "tierlimit.rules.a.adaptive.min-rate=1/s",
					"tierlimit.rules.a.adaptive.signal=pool")
			.run((context) -> context.getBean(ActiveRules.class)
				.current()
				.option(AdaptiveRates.class)
				.update(context.getBean(BucketStore.class)));
		BucketStore failing = new DelegatingBucketStore(TestEvaluators.memory(1)) {

			@Override
			public AcquireResult peek(List<Charge> charges) {
				throw failure();
			}

		};
		TestEvaluators.of(failing).updater(failing).update();
	}

	static void causeMessagesOfReloads(WebApplicationContextRunner web) {
		Deque<Callable<String>> rates = new ArrayDeque<>(List.of(() -> "1/s", () -> "2/s", () -> "x", () -> {
			throw failure();
		}, () -> "3/s"));
		web.withBean("table", RuleSource.class, () -> () -> Map.of("r", Map.of("rate", rates.remove().call())))
			.run((context) -> {
				context.getBean(ActiveRules.class).whenReplaced((rules) -> {
					throw failure();
				});
				while (!rates.isEmpty()) {
					context.getBean(RuleReloader.class).reload();
				}
				context.getBean(RuleReloader.class).setMode(RuleMode.SHADOW);
				context.getBean(RuleReloader.class).setMode(null);
			});
		web.withPropertyValues("tierlimit.rules.r.rate=1/s")
			.withBean("table", OverrideStore.class, OverlappingRows::new)
			.run((context) -> {
				RateLimitOverridesEndpoint endpoint = new RateLimitOverridesEndpoint(context.getBean(ActiveRules.class),
						context.getBean(OverrideEditor.class), InstantSource.system());
				endpoint.remove(SecurityContext.NONE, "b");
				endpoint.remove(SecurityContext.NONE, "a");
				context.getBean(OverlappingRows.class).overrides.clear();
				context.getBean(RuleReloader.class).reload();
			});
	}

	static void causeMessagesOfFiles(WebApplicationContextRunner web, Path directory) throws IOException {
		Path file = Files.writeString(directory.resolve("application.yml"), "tierlimit.rules.r.rate: 1/s");
		web.withInitializer(new ConfigDataApplicationContextInitializer())
			.withPropertyValues("tierlimit.reload.watch=true", "spring.config.location=file:" + file)
			.withBean(SmartInitializingSingleton.class, () -> file.toFile()::delete)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	/**
	 * Causes the messages of the store in Redis.
	 * @param isOver whether the end of the outage was logged
	 */
	static void causeMessagesOfRedis(WebApplicationContextRunner web, BooleanSupplier isOver) {
		try (RedisServer server = RedisServer.start()) {
			WebApplicationContextRunner runner = web
				.withConfiguration(AutoConfigurations.of(TierlimitRedisAutoConfiguration.class))
				.withPropertyValues("tierlimit.rules.r.rate=1000/s", "tierlimit.rules.held.algorithm=concurrency",
						"tierlimit.rules.held.limit=5", "tierlimit.redis.timeout=20s",
						"spring.data.redis.port=" + server.port());
			WebApplicationContextRunner redis = runner
				.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));
			redis.withPropertyValues("spring.data.redis.client-type=jedis")
				.run((context) -> assertThat(context).hasNotFailed());
			runner.withBean(RedisConnectionFactory.class, OtherFactory::new)
				.run((context) -> assertThat(context).hasNotFailed());
			server.command("SET", "tierlimit:r:{}", "foreign");
			redis.withBean(StoreListener.class, RunTimeMessages::failingStoreListener).run((context) -> {
				RateLimiter limiter = context.getBean(RateLimiter.class);
				limiter.tryAcquire(PermitRequest.of("r"));
				limiter.hold(PermitRequest.of("held"));
				MembershipMessages.cause(context.getBean(RedisConnectionFactory.class), server::kill);
				limiter.tryAcquire(PermitRequest.of("r"));
				// Also ends the permits in use.
				context.getBean(RedisBucketStore.class).leave();
				server.restart();
				Instant end = Instant.now().plus(Duration.ofMinutes(2));
				while (!isOver.getAsBoolean() && Instant.now().isBefore(end)) {
					limiter.tryAcquire(PermitRequest.of("r"));
					Thread.onSpinWait();
				}
			});
		}
	}

	private static void request(AssertableWebApplicationContext context, String path, String header)
			throws ServletException, IOException {
		Filter filter = Objects
			.requireNonNull(context.getBean("rateLimitFilterRegistration", FilterRegistrationBean.class).getFilter());
		MockHttpServletRequest request = new MockHttpServletRequest("GET", path);
		request.setUserPrincipal(() -> "ada");
		request.addHeader("X", header);
		request.addHeader("X-Forwarded-For", "192.0.2.1");
		filter.doFilter(request, new MockHttpServletResponse(), new MockFilterChain());
	}

	private static IllegalStateException failure() {
		return new IllegalStateException("on purpose");
	}

	private static StoreListener failingStoreListener() {
		return new StoreListener() {

			@Override
			public void onCall(CallOutcome outcome, long nanos) {
				throw failure();
			}

			@Override
			public void onCachedRejection() {
				throw failure();
			}

		};
	}

	/** A store with two overrides of a user. One of them cannot be removed. */
	static final class OverlappingRows implements OverrideStore {

		private final Map<String, Map<String, String>> overrides = new TreeMap<>(
				Map.of("a", Map.of("user", "ada", "blocked", "true"), "b", Map.of("user", "ada", "unlimited", "true")));

		@Override
		public Map<String, Map<String, String>> read() {
			return Map.of();
		}

		@Override
		public Map<String, Map<String, String>> readOverrides() {
			return this.overrides;
		}

		@Override
		public void setOverride(String id, Map<String, String> properties) {
			throw failure();
		}

		@Override
		public void removeOverride(String id) {
			if (id.equals("a")) {
				throw failure();
			}
			this.overrides.remove(id);
		}

	}

	/** A connection factory of neither Lettuce nor Jedis. */
	private static final class OtherFactory implements RedisConnectionFactory {

		@Override
		public RedisConnection getConnection() {
			throw failure();
		}

		@Override
		public RedisClusterConnection getClusterConnection() {
			throw failure();
		}

		@Override
		public RedisSentinelConnection getSentinelConnection() {
			throw failure();
		}

		@Override
		public boolean getConvertPipelineAndTxResults() {
			return false;
		}

		@Override
		public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException failure) {
			return null;
		}

	}

}
