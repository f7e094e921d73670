package io.tierlimit.autoconfigure;

import java.util.function.Supplier;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimited;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
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

	@Test
	void unkeyedHashOfAnAnnotationsKeyIsAWarning(CapturedOutput output) {
		this.runner.withUserConfiguration(AnnotatedBean.named("OwnKey", "byToken(token): value=known; key=#token"))
			.run((context) -> assertThat(output)
				.containsOnlyOnce("The keys of the rules [known] are hashed without a secret"));
	}

	@Test
	void beanWithoutAProxyIsAWarning(CapturedOutput output) {
		this.runner.withUserConfiguration(Early.class)
			.run((context) -> assertThat(output).contains(Limited.class.getName()
					+ " has no effect on the bean 'limited', which was created without a proxy"));
	}

	@Test
	void methodsAreCounted(CapturedOutput output) {
		this.runner.withUserConfiguration(AnnotatedBean.named("Fine", "call: value=known", "other: value=known"))
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
		assertFiveCalls("spring.aop.auto=false", Limited::new);
	}

	@Test
	void annotationOfAClassWorksBehindAProxyOfItsInterface() {
		assertFiveCalls("spring.aop.proxy-target-class=false", Limited::new);
	}

	@Test
	void annotationOfAnInterfaceThatAnotherProxyImplementsAppliesToInheritedMethods() {
		assertFiveCalls("spring.aop.proxy-target-class=true", AnnotationStartTests::repository);
	}

	private void assertFiveCalls(String property, Supplier<Runnable> bean) {
		this.runner.withBean(Runnable.class, bean).withPropertyValues(property).run((context) -> {
			Runnable limited = context.getBean(Runnable.class);
			for (int i = 0; i < 5; i++) {
				limited.run();
			}
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(limited::run)
				.withMessageStartingWith("Over the limit of 'known'");
		});
	}

	private static AnnotatedInterface repository() {
		ProxyFactory factory = new ProxyFactory(new Object());
		factory.setInterfaces(AnnotatedInterface.class);
		factory.addAdvice((MethodInterceptor) (invocation) -> null);
		return (AnnotatedInterface) factory.getProxy();
	}

	@RateLimited("known")
	interface AnnotatedInterface extends Runnable {

	}

	static class Limited implements Runnable {

		@RateLimited("known")
		@Override
		public void run() {
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
