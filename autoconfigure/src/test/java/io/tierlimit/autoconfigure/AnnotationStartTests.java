package io.tierlimit.autoconfigure;

import java.util.Objects;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimited;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class AnnotationStartTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class))
		.withPropertyValues("tierlimit.rules.known.rate=5/s", "tierlimit.rules.known.applies-to=code",
				"tierlimit.rules.off.rate=5/s", "tierlimit.rules.off.enabled=false");

	/** The applications of other tests may have changed the log level. */
	@BeforeEach
	void logInformation() {
		LoggingSystem.get(getClass().getClassLoader()).setLogLevel("io.tierlimit", LogLevel.INFO);
	}

	@Test
	void unkeyedHashOfAnAnnotationsKeyIsAWarning(CapturedOutput output) {
		this.runner.withUserConfiguration(OwnKey.class)
			.run((context) -> assertThat(output)
				.containsOnlyOnce("The keys of the rules [known] are hashed without a secret"));
	}

	static class OwnKey {

		@RateLimited(value = "known", key = "#token")
		public void byToken(String token) {
		}

	}

	@Test
	void beanWithoutAProxyIsAWarning(CapturedOutput output) {
		this.runner.withUserConfiguration(Early.class)
			.run((context) -> assertThat(output).contains(Limited.class.getName()
					+ " has no effect on the bean 'limited', which was created without a proxy"));
	}

	@Test
	void methodsAreCounted(CapturedOutput output) {
		this.runner.withUserConfiguration(Fine.class)
			.run((context) -> assertThat(output)
				.containsOnlyOnce(
						"Tierlimit checks calls to 2 annotated methods against 1 rule. Buckets are stored in memory.")
				.doesNotContain("WARN"));
	}

	@Test
	void withoutAspectJAutoProxyingAndValidationTheAnnotationWorks() {
		ClassLoader loader = getClass().getClassLoader();
		assertThat(ClassUtils.isPresent("org.aspectj.weaver.Advice", loader)).isFalse();
		assertThat(ClassUtils.isPresent("jakarta.validation.Validator", loader)).isFalse();
		this.runner.withUserConfiguration(Fine.class).withPropertyValues("spring.aop.auto=false").run((context) -> {
			Fine fine = context.getBean(Fine.class);
			for (int i = 0; i < 5; i++) {
				fine.call();
			}
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(fine::call)
				.withMessageStartingWith("Over the limit of 'known'");
		});
	}

	@Test
	void annotationOfAClassWorksBehindAProxyOfItsInterface() {
		this.runner.withBean(Runnable.class, KnownRunnable::new)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> {
				Runnable bean = context.getBean(Runnable.class);
				for (int i = 0; i < 5; i++) {
					bean.run();
				}
				assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(bean::run);
			});
	}

	@Test
	void annotationOfAnInterfaceThatAnotherProxyImplementsAppliesToInheritedMethods() {
		this.runner.withBean(AnnotatedInterface.class, AnnotationStartTests::repository).run((context) -> {
			AnnotatedInterface bean = context.getBean(AnnotatedInterface.class);
			for (int i = 0; i < 5; i++) {
				bean.run();
			}
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(bean::run);
		});
	}

	private static AnnotatedInterface repository() {
		ProxyFactory factory = new ProxyFactory(new Implementation());
		factory.setInterfaces(AnnotatedInterface.class);
		factory.addAdvice((MethodInterceptor) (invocation) -> {
			((Runnable) Objects.requireNonNull(invocation.getThis())).run();
			return null;
		});
		return (AnnotatedInterface) factory.getProxy();
	}

	@Test
	void annotationIsIgnoredIfTierlimitIsDisabled() {
		this.runner.withUserConfiguration(AnnotationMistakeTests.Mistakes.class)
			.withPropertyValues("tierlimit.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@RateLimited("known")
	interface AnnotatedInterface extends Runnable {

	}

	static class Implementation implements Runnable {

		@Override
		public void run() {
		}

	}

	static class KnownRunnable implements Runnable {

		@RateLimited("known")
		@Override
		public void run() {
		}

	}

	static class Fine {

		@RateLimited("known")
		void call() {
		}

		@RateLimited("known")
		void other() {
		}

	}

	static class Limited {

		@RateLimited("known")
		void call() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Early {

		@Bean
		static Limited limited() {
			return new Limited();
		}

		@Bean
		static First processor(Limited limited) {
			return new First();
		}

	}

	static class First implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

}
