package io.tierlimit.autoconfigure;

import java.math.BigDecimal;
import java.util.List;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.autoconfigure.settings.LocalShareReader;
import io.tierlimit.junit.Poll;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.SequentialBucketStore;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreStatus;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.redis.RedisBucketStore;
import io.tierlimit.store.redis.RedisStoreSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class StoreAutoConfigurationTests {

	/** Code that does not use Spring Boot has the same defaults. */
	@Test
	void settingsOfRedisHaveTheDefaultsOfTheirProperties() {
		TierlimitProperties.Redis redis = new Binder(List.of()).bindOrCreate("tierlimit", TierlimitProperties.class)
			.redis();
		assertThat(new RedisStoreSettings(redis.keyPrefix(), redis.timeout(), redis.onStoreFailure(),
				LocalShareReader.read(redis.localShare()), RedisStoreSettings.CACHED_REJECTIONS))
			.isEqualTo(RedisStoreSettings.STANDARD);
	}

	private static final RedisServer SERVER = RedisServer.start();

	private final WebApplicationContextRunner bare = new WebApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class,
						TierlimitRedisAutoConfiguration.class, TierlimitServletAutoConfiguration.class))
		// A pause of a busy machine is not an outage.
		.withPropertyValues("tierlimit.rules.r.rate=1/d", "tierlimit.redis.timeout=10s",
				"spring.data.redis.port=" + SERVER.port());

	private final WebApplicationContextRunner redis = this.bare
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));

	@AfterAll
	static void stop() {
		SERVER.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "auto", "redis" })
	void bucketsAreStoredInRedisIfThereIsAConnectionFactory(String store, CapturedOutput output) {
		this.redis.withPropertyValues("tierlimit.store=" + store, "tierlimit.redis.key-prefix=shop-" + store)
			.run((context) -> {
				assertThat(context).hasSingleBean(BucketStore.class).hasSingleBean(RedisBucketStore.class);
				assertThat(output).contains("Buckets are stored in Redis.");
				assertThat(acquire(context.getBean(BucketStore.class)).source()).isEqualTo(AcquireResult.Source.STORE);
				assertThat(SERVER.command("KEYS", "shop-" + store + ":*").lines()).contains("shop-" + store + ":r:{}");
			});
	}

	@Test
	void bucketsAreStoredInMemoryIfThePropertySelectsIt() {
		this.redis.withPropertyValues("tierlimit.store=memory")
			.run((context) -> assertThat(context).hasSingleBean(BucketStore.class)
				.hasSingleBean(InMemoryBucketStore.class));
	}

	@Test
	void bucketsAreStoredInMemoryWithoutAConnectionFactory() {
		this.bare.run((context) -> assertThat(context).hasSingleBean(InMemoryBucketStore.class));
		this.bare.withClassLoader(new FilteredClassLoader(RedisConnectionFactory.class))
			.run((context) -> assertThat(context).hasSingleBean(InMemoryBucketStore.class));
	}

	@Test
	void storeOfTheApplicationsOwnIsUsed() {
		this.redis.withBean(SequentialBucketStore.class, () -> new SequentialBucketStore(() -> 0))
			.withPropertyValues("tierlimit.store=redis")
			.run((context) -> assertThat(context).hasSingleBean(BucketStore.class)
				.hasSingleBean(SequentialBucketStore.class));
	}

	@Test
	void oneOfSeveralConnectionFactoriesIsSelectedByItsNameOrItsDefinition() {
		WebApplicationContextRunner withCache = with(this.bare, "cache", 1);
		assertSource(with(withCache, "limits", SERVER.port())
			.withPropertyValues("tierlimit.redis.connection-factory=limits"), AcquireResult.Source.STORE);
		assertSource(with(withCache, "limits", SERVER.port(), (limits) -> limits.setPrimary(true)),
				AcquireResult.Source.STORE);
		assertSource(with(with(this.bare, "limits", SERVER.port()), "cache", 1, (cache) -> cache.setFallback(true)),
				AcquireResult.Source.STORE);
	}

	@Test
	void oneOfSeveralConnectionFactoriesMustBeNamed() {
		WebApplicationContextRunner several = with(with(this.bare, "limits", 1), "cache", 1);
		assertFails(several, "tierlimit.redis.connection-factory is required, because there are several "
				+ "RedisConnectionFactory beans: [limits, cache]. Set it to the name of one of them.");
		assertFails(several.withPropertyValues("tierlimit.redis.connection-factory=limit"),
				"tierlimit.redis.connection-factory is 'limit', but the RedisConnectionFactory "
						+ "beans are [limits, cache]. Correct tierlimit.redis.connection-factory (test).");
		several.withPropertyValues("tierlimit.store=memory")
			.run((context) -> assertThat(context).hasSingleBean(InMemoryBucketStore.class));
	}

	@Test
	void connectionFactoryThatIsNotACandidateIsSelectedOnlyByItsName() {
		WebApplicationContextRunner withLimits = with(this.bare, "limits", SERVER.port(),
				(limits) -> ((AbstractBeanDefinition) limits).setDefaultCandidate(false));
		assertSource(
				withLimits.withPropertyValues("tierlimit.redis.connection-factory=limits", "tierlimit.store=redis"),
				AcquireResult.Source.STORE);
		assertSource(with(withLimits, "cache", 1), AcquireResult.Source.FALLBACK);
	}

	@Test
	void missingPartsOfRedisFailStartup() {
		WebApplicationContextRunner configured = this.bare.withPropertyValues("tierlimit.store=redis");
		String missing = "there is no RedisConnectionFactory bean. Add spring-boot-starter-data-redis or define such a "
				+ "bean, or change tierlimit.";
		assertFails(configured, "tierlimit.store is redis, but " + missing + "store (test).");
		assertFails(configured.withClassLoader(new FilteredClassLoader(RedisConnectionFactory.class)),
				"tierlimit.store is redis, but " + missing + "store (test).");
		assertFails(this.bare.withPropertyValues("tierlimit.redis.connection-factory=limits"),
				"tierlimit.redis.connection-factory is 'limits', but " + missing + "redis.connection-factory (test).");
		assertFails(this.redis.withClassLoader(new FilteredClassLoader(CircuitBreaker.class)),
				"tierlimit.store is auto, but io.github.resilience4j:resilience4j-circuitbreaker is not on the");
		assertFails(this.redis.withPropertyValues("spring.data.redis.masterreplica.nodes=localhost:1,localhost:2"),
				"Buckets cannot be stored on static master and replica nodes");
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"',
			textBlock = """
					tierlimit.redis.key-prefix={shop}; tierlimit.redis.key-prefix must have 1 to 64 letters, digits, dots, dashes, underscores or colons (was '{shop}')
					tierlimit.redis.key-prefix=; tierlimit.redis.key-prefix must have 1 to 64 letters, digits, dots, dashes, underscores or colons (was '')
					tierlimit.redis.timeout=0; tierlimit.redis.timeout must be from 1ms to 1m (was '0'). Correct tierlimit.redis.timeout (test).
					tierlimit.redis.timeout=61s; tierlimit.redis.timeout must be from 1ms to 1m (was '61s')
					tierlimit.redis.timeout=soon; tierlimit.redis.timeout
					tierlimit.redis.local-share=0%; tierlimit.redis.local-share must be above 0% and at most 100% (was '0%')
					tierlimit.redis.local-share=100.5%; tierlimit.redis.local-share must be above 0% and at most 100% (was '100.5%')
					tierlimit.redis.local-share=0.25; tierlimit.redis.local-share must be auto, or a percentage with its sign, such as 25% (was '0.25'). Correct tierlimit.redis.local-share (test).
					tierlimit.redis.local-share=25; tierlimit.redis.local-share must be auto, or a percentage with its sign, such as 25% (was '25'). Correct tierlimit.redis.local-share (test).
					tierlimit.redis.local-share=automatic; tierlimit.redis.local-share must be auto, or a percentage with its sign, such as 25% (was 'automatic')
					tierlimit.redis.local-share=; tierlimit.redis.local-share must be auto, or a percentage with its sign, such as 25% (was '')
					tierlimit.redis.on-store-failure=open; tierlimit.redis.on-store-failure
					tierlimit.store=disk; tierlimit.store
					tierlimit.rules.r.on-store-failure=open; Rule 'r': on-store-failure must be one of local, allow, deny (was 'open')
					tierlimit.redis.on-store-failures=deny; tierlimit.redis: 'on-store-failures' is not a known property
					""")
	void mistakeFailsStartup(String property, String message) {
		assertFails(this.redis.withPropertyValues(property), message);
	}

	/** Includes Jedis, whose connections close before the store. */
	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void instancesAreCountedWhileTheyRun(String client) {
		String members = "counted-" + client + ":(members)";
		WebApplicationContextRunner counted = this.redis.withPropertyValues("spring.data.redis.client-type=" + client,
				"tierlimit.redis.key-prefix=counted-" + client);
		counted.run((first) -> {
			awaitMembers(1, members);
			counted.run((second) -> {
				awaitMembers(2, members);
				((ConfigurableApplicationContext) second.getSourceApplicationContext()).stop();
				assertThat(members(members)).as("stopped").isOne();
				((ConfigurableApplicationContext) second.getSourceApplicationContext()).start();
				awaitMembers(2, members);
			});
			assertThat(members(members)).as("closed").isOne();
		});
	}

	@Test
	void fixedShareIsNotCounted() {
		this.redis.withPropertyValues("tierlimit.redis.local-share=50%", "tierlimit.redis.key-prefix=fixed")
			.run((context) -> {
				acquire(context.getBean(BucketStore.class));
				assertThat(SERVER.command("KEYS", "fixed:*")).isEqualTo("fixed:r:{}");
				assertThat(context.getBean(BucketStore.class).status().localShare())
					.isEqualTo(new StoreStatus.LocalShare(new BigDecimal("0.50"), null, null));
			});
	}

	private static void awaitMembers(int number, String key) {
		Poll.until(() -> members(key) == number, () -> SERVER.command("GET", key));
	}

	private static long members(String key) {
		return SERVER.command("GET", key).lines().filter((line) -> line.contains(" ")).count();
	}

	@Test
	void applicationStartsWhileRedisIsDown(CapturedOutput output) {
		this.redis.withPropertyValues("spring.data.redis.port=1").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(acquire(context.getBean(BucketStore.class)).source()).isEqualTo(AcquireResult.Source.FALLBACK);
			assertThat(output).containsOnlyOnce("Redis cannot be reached");
		});
	}

	/** The beans were selected by another value of the property at build time. */
	@Test
	void storeThatDiffersFromThatAheadOfTimePreventsStartup() {
		WebApplicationContextRunner frozen = new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(TierlimitAutoConfiguration.class,
					TierlimitMethodAutoConfiguration.class, DataRedisAutoConfiguration.class))
			.withPropertyValues("tierlimit.rules.r.rate=1/d");
		assertFails(frozen.withPropertyValues("tierlimit.store=redis"),
				"tierlimit.store is redis, but was memory when");
		assertFails(
				frozen.withBean(TierlimitRedisAutoConfiguration.class.getName(), Object.class)
					.withPropertyValues("tierlimit.store=memory"),
				"tierlimit.store is memory, but was not memory when");
	}

	@Test
	void longerTimeoutsOfJedisAreAWarning(CapturedOutput output) {
		assertSource(
				this.redis.withPropertyValues("spring.data.redis.client-type=jedis", "tierlimit.redis.timeout=1500ms"),
				AcquireResult.Source.STORE);
		assertThat(output.getAll().lines().filter((line) -> line.contains("Jedis"))).singleElement()
			.asString()
			.contains("WARN",
					"Jedis waits 2000 ms for a reply, 2000 ms for a connection, indefinitely for one of the pool's connections, ",
					"requests may wait longer for Redis than the 1500 ms of tierlimit.redis.timeout. ",
					"Shorten spring.data.redis.timeout, spring.data.redis.connect-timeout and spring.data.redis.jedis.pool.max-wait, ");
	}

	@Test
	void timeoutsOfAnotherClientAreAWarning(CapturedOutput output) {
		LettuceConnectionFactory lettuce = new LettuceConnectionFactory("localhost", SERVER.port());
		lettuce.start();
		ProxyFactory other = new ProxyFactory(RedisConnectionFactory.class, new SingletonTargetSource(lettuce));
		assertSource(this.redis.withBean(RedisConnectionFactory.class, () -> (RedisConnectionFactory) other.getProxy()),
				AcquireResult.Source.STORE);
		lettuce.destroy();
		assertThat(output).contains(" waits as long as it is configured to, so requests may wait longer for Redis");
	}

	@Test
	void shortTimeoutsOfJedisAreNotAWarning(CapturedOutput output) {
		this.redis
			.withPropertyValues("tierlimit.redis.timeout=100ms", "spring.data.redis.client-type=jedis",
					"spring.data.redis.timeout=80ms", "spring.data.redis.connect-timeout=80ms",
					"spring.data.redis.jedis.pool.max-wait=80ms")
			.run((context) -> {
				acquire(context.getBean(BucketStore.class));
				assertThat(output).doesNotContain("Jedis waits");
			});
	}

	private static WebApplicationContextRunner with(WebApplicationContextRunner runner, String name, int port,
			BeanDefinitionCustomizer... customizers) {
		return runner.withBean(name, LettuceConnectionFactory.class,
				() -> new LettuceConnectionFactory("localhost", port), customizers);
	}

	private static void assertSource(WebApplicationContextRunner runner, AcquireResult.Source source) {
		runner.run((context) -> assertThat(acquire(context.getBean(BucketStore.class)).source()).isEqualTo(source));
	}

	private static void assertFails(WebApplicationContextRunner runner, String message) {
		runner.run((context) -> assertThat(context).getFailure().hasStackTraceContaining(message));
	}

	private static AcquireResult acquire(BucketStore store) {
		return store.acquire(List.of(new Charge(new BucketKey("r", ""), new TokenBucket(Rate.parse("1/d"), 100), 1)),
				new StoreFailureFlag());
	}

}
