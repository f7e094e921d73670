package io.tierlimit.test;

import java.lang.reflect.Method;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests in which buckets are reset, by store.
 */
@Tag("slow")
class ResetRateLimitsTests {

	private static final PermitRequest RETURNS = PermitRequest.of("returns");

	private static RedisServer redis;

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.start();
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@Test
	void annotatedClassResetsBeforeEachTest() throws Exception {
		assertThat(resets(AnnotatedClass.class, "test")).isTrue();
		assertThat(resets(AnnotatedClass.class, "test")).isTrue();
		assertThat(resets(InheritingClass.class, "test")).isTrue();
	}

	@Test
	void annotatedMethodResetsAlone() throws Exception {
		assertThat(resets(AnnotatedMethod.class, "annotated")).isTrue();
		assertThat(resets(AnnotatedMethod.class, "test")).isFalse();
	}

	@Test
	void bucketsInRedisAreReset() throws Exception {
		assertThat(resets(InRedis.class, "test")).isTrue();
		assertThat(redis.command("KEYS", "*")).contains("returns");
	}

	@Test
	void testFailsIfRedisCannotBeReached() {
		assertThatIllegalStateException().isThrownBy(() -> beforeTest(WithoutRedis.class, "test"))
			.withMessageContainingAll("were not reset", "store cannot be reached", "tierlimit.store=memory");
	}

	@Test
	void nothingIsResetWithoutTierlimit() {
		assertThatCode(() -> beforeTest(Disabled.class, "test")).doesNotThrowAnyException();
		assertThatCode(() -> beforeTest(OtherApplication.class, "test")).doesNotThrowAnyException();
	}

	/** Whether an empty bucket is refilled before a test. */
	private static boolean resets(Class<?> test, String method) throws Exception {
		RateLimiter limiter = new TestContextManager(test).getTestContext()
			.getApplicationContext()
			.getBean(RateLimiter.class);
		limiter.tryAcquire(RETURNS);
		assertThat(limiter.peek(RETURNS).allowed()).isFalse();
		beforeTest(test, method);
		return limiter.peek(RETURNS).allowed();
	}

	private static void beforeTest(Class<?> test, String name) throws Exception {
		Method method = test.getMethod(name);
		new TestContextManager(test).beforeTestMethod(test.getDeclaredConstructor().newInstance(), method);
	}

	/** A class with a test. */
	abstract static class Case {

		public void test() {
		}

	}

	@LibraryTest
	@AutoConfigureSimulatedTicker
	@ResetRateLimits
	static class AnnotatedClass extends Case {

	}

	static class InheritingClass extends AnnotatedClass {

	}

	@LibraryTest
	@AutoConfigureSimulatedTicker
	static class AnnotatedMethod extends Case {

		@ResetRateLimits
		public void annotated() {
		}

	}

	@LibraryTest
	@ResetRateLimits
	@TestPropertySource(properties = { "tierlimit.store=redis", "tierlimit.redis.timeout=5s" })
	static class InRedis extends Case {

		@DynamicPropertySource
		static void redis(DynamicPropertyRegistry registry) {
			registry.add("spring.data.redis.port", redis::port);
		}

	}

	@LibraryTest
	@ResetRateLimits
	@TestPropertySource(properties = { "tierlimit.store=redis", "spring.data.redis.port=1" })
	static class WithoutRedis extends Case {

	}

	@LibraryTest
	@ResetRateLimits
	@TestPropertySource(properties = "tierlimit.enabled=false")
	static class Disabled extends Case {

	}

	@SpringBootTest(classes = OtherApplication.Beans.class)
	@ResetRateLimits
	static class OtherApplication extends Case {

		@Configuration(proxyBeanMethods = false)
		static class Beans {

		}

	}

}
