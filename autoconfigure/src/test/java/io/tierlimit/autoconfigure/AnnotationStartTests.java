package io.tierlimit.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimited;
import io.tierlimit.rule.InvalidRulesException;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
import org.springframework.context.annotation.Lazy;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class AnnotationStartTests {

	private static final String HERE = "@RateLimited on " + AnnotationStartTests.class.getName() + "$";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class))
		.withPropertyValues("tierlimit.rules.known.rate=5/s", "tierlimit.rules.known.applies-to=methods",
				"tierlimit.rules.off.rate=5/s", "tierlimit.rules.off.enabled=false");

	/** Applications of other tests may have raised the level. */
	@BeforeEach
	void logWhatIsSaid() {
		LoggingSystem.get(getClass().getClassLoader()).setLogLevel("io.tierlimit", LogLevel.INFO);
	}

	@Test
	void unkeyedHashOfAnAnnotationsOwnKeyIsSaid(CapturedOutput output) {
		this.runner.withUserConfiguration(OwnKey.class)
			.run((context) -> assertThat(output).containsOnlyOnce("The keys of [known] are hashed without a secret"));
	}

	static class OwnKey {

		@RateLimited(value = "known", key = "#token")
		public void byToken(String token) {
		}

	}

	@Test
	void allMistakesAreReportedTogetherWithThoseOfTheConfiguration() {
		assertThat(problems(Mistakes.class, "tierlimit.rules.bad.rate=10")).containsExactlyInAnyOrder(
				"Rule 'bad': '10' is no rate: write permits per period with a unit out of ms, s, m, h and d, such as 10/s, 100/m or 1000/15m. Correct tierlimit.rules.bad.rate (test).",
				HERE + "Mistakes.unknown names rule 'knwon', but known are [known, off, bad]. Write that rule below tierlimit.rules or correct it.",
				HERE + "Mistakes.neither has neither a rule nor a rate. Name one of the rules [known, off, bad] or write a rate such as 10/s in it.",
				HERE + "Mistakes.both names rule 'known' and writes one of its own. Leave no more than key, cost and maxWait beside it.",
				"Rule 'Mistakes.rate': '5' is no rate: write permits per period with a unit out of ms, s, m, h and d, such as 10/s, 100/m or 1000/15m. Correct rate in "
						+ HERE + "Mistakes.rate.",
				"Rule 'Mistakes.burst': A burst needs 1 to 1000000000000 permits but had 0. Correct burst in " + HERE
						+ "Mistakes.burst.",
				"Rule 'Mistakes.scope' has scope 'tenant', but known scopes are user, ip, endpoint, plan, global and the KeyResolver beans []. Define a KeyResolver bean named 'tenant' or correct scope in "
						+ HERE + "Mistakes.scope.",
				"Rule 'Mistakes.key': The method has no argument '#tenant', but #id, #a0. Correct key in " + HERE
						+ "Mistakes.key.",
				HERE + "Mistakes.cost has cost 6 above its capacity of 5, so that none can pass. Lower the cost or raise the burst: cost in it.",
				HERE + "Mistakes.placeholder: Could not resolve placeholder 'no.such' in value \"${no.such}\". Correct it.",
				HERE + "Mistakes.second is rule 'twice', and so is " + HERE
						+ "Mistakes.first. If they share a bucket, name a rule of the configuration in both; else give another name to it.",
				HERE + "Mistakes.doubled names rule 'known' twice. Leave one, or write the other as a rule of its own in it.",
				HERE + "Mistakes.taken is rule 'known', and so is one of the configuration. If they share a bucket, name a rule of the configuration in both; else give another name to it.",
				"Rule 'a b': A rule's id has 1 to 100 letters, digits, dots, dashes and underscores, and begins with none of '.' and '-', but was 'a b'. Correct the name in "
						+ HERE + "Mistakes.named.");
	}

	@Test
	void membersOfArgumentsAreChecked() {
		assertThat(problems(Members.class)).containsExactlyInAnyOrder(
				"Rule 'Members.key': 'idd' does not exist: " + Tenant.class.getName()
						+ " has no public property 'idd'. Correct key in " + HERE + "Members.key.",
				HERE + "Members.cost: 'size()' does not exist: java.lang.Integer has no public method 'size' with 0 arguments. Correct cost in it.");
	}

	static class Members {

		@RateLimited(rate = "5/s", key = "#tenant.idd")
		public void key(Tenant tenant) {
		}

		@RateLimited(value = "known", cost = "#n.size() + 1")
		public void cost(int n) {
		}

		@RateLimited(value = "known", key = "'fine'", cost = "#tenants.?[id == 'a' and id.length() > 1].size() + 1")
		public void fine(List<Tenant> tenants) {
		}

	}

	@Test
	void memberThatASubclassMayHaveIsAWarning(CapturedOutput output) {
		this.runner.withUserConfiguration(Doubtful.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output)
				.containsOnlyOnce("Rule 'Doubtful.key' has a key that fails unless a subclass is given: 'nam' "
						+ "does not exist: " + Pet.class.getName() + " has no public property 'nam'. Correct key in "
						+ HERE + "Doubtful.key.");
		});
	}

	static class Doubtful {

		@RateLimited(rate = "5/s", key = "#pet.nam")
		public void key(Pet pet) {
		}

	}

	/** Has an id. */
	public record Tenant(String id) {

	}

	/** May have subclasses. */
	public static class Pet {

	}

	@Test
	void mistakesOfBurstsNameTheAttribute() {
		String wrong = "' is no burst: write 1 to 1000000000000 permits, or what earns them, a time above 0 up to 3650 days, such as 5m. Correct burst in "
				+ HERE + "Bursts.";
		assertThat(problems(Bursts.class)).containsExactlyInAnyOrder("Rule 'Bursts.word': 'soon" + wrong + "word.",
				"Rule 'Bursts.endless': '4000d" + wrong + "endless.",
				"Rule 'Bursts.brief': A burst of 1s earns no permit at 10/m. Correct burst in " + HERE
						+ "Bursts.brief.",
				HERE + "Bursts.both names rule 'known' and writes one of its own. Leave no more than key, cost and maxWait beside it.");
	}

	static class Bursts {

		@RateLimited(rate = "10/m", burst = "soon", cost = "500")
		public void word() {
		}

		@RateLimited(rate = "10/m", burst = "4000d")
		public void endless() {
		}

		@RateLimited(rate = "10/m", burst = "1s")
		public void brief() {
		}

		@RateLimited(rate = "10/m", burst = "${no.such:}", scope = "${no.such:}", maxWait = "${no.such:}")
		public void nothing() {
		}

		@RateLimited(value = "known", burst = "5")
		public void both() {
		}

	}

	@ParameterizedTest
	@ValueSource(classes = { NameBeside.class, ScopeBeside.class, ConditionBeside.class })
	void besideARuleOnlyKeyCostAndMaxWaitStand(Class<?> bean) {
		assertThat(problems(bean)).singleElement().asString().contains("names rule 'known' and writes one of its own");
	}

	static class NameBeside {

		@RateLimited(value = "known", name = "other")
		public void call() {
		}

	}

	static class ScopeBeside {

		@RateLimited(value = "known", scope = "ip")
		public void call() {
		}

	}

	static class ConditionBeside {

		@RateLimited(value = "known", condition = "ip != null")
		public void call() {
		}

	}

	@Test
	void mistakesBesideTheIdOfARuleNameTheAttribute() {
		assertThat(problems(Beside.class, "tierlimit.rules.log.rate=5/s", "tierlimit.rules.log.algorithm=sliding-log"))
			.containsExactlyInAnyOrder(HERE
					+ "Beside.log has max-wait, but algorithm sliding-log knows of no permits to come. Choose token-bucket, leaky-bucket or fixed-window, or remove maxWait in it.",
					HERE + "Beside.word has max-wait 'soon', but it is a time such as 500ms, 10s or 5m. Correct maxWait in it.",
					HERE + "Beside.past: Requests wait from 0s to 3650d, but not for PT-1S. Correct maxWait in it.",
					HERE + "Beside.key: A caller has no 'usr', but method, path, pattern, ip, user, plan, authorities, header('name'), param('name') and claim('name'). Correct key in it.");
	}

	static class Beside {

		@RateLimited(value = "log", maxWait = "5s")
		public void log() {
		}

		@RateLimited(value = "known", maxWait = "soon")
		public void word() {
		}

		@RateLimited(value = "known", maxWait = "-1s")
		public void past() {
		}

		@RateLimited(value = "known", key = "usr")
		public void key() {
		}

	}

	@Test
	void whatNoProxyInterceptsIsReported() {
		assertThat(problems(Uninterceptable.class)).containsExactlyInAnyOrder(
				cannot("Uninterceptable.secret", "its calls", "the method is private"),
				cannot("Uninterceptable.fixed", "its calls", "the method is final"),
				cannot("Uninterceptable.shared", "its calls", "the method is static"));
		assertThat(problems(FinalMethod.class)).containsExactly(cannot("FinalMethod",
				"calls of " + AnnotationStartTests.class.getName() + "$FinalMethod.fixed", "the method is final"));
		assertThat(problems(FinalImplementation.class)).containsExactly(cannot("AnnotatedInterface",
				"calls of " + AnnotationStartTests.class.getName() + "$FinalImplementation.run",
				"the method is final"));
		assertThat(problems(FinalClass.class))
			.containsExactly(cannot("FinalClass.held", "its calls", "its class is final"));
	}

	private static String cannot(String place, String calls, String why) {
		return HERE + place + " cannot limit " + calls + ": " + why
				+ ", so no proxy intercepts it. Make it neither private, static nor final, or move the method to another bean.";
	}

	@Test
	void annotationThatIsNotKnownBeforeTheBeanIsMadeIsCheckedThen() {
		this.runner.withUserConfiguration(Late.class)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(InvalidRulesException.class)
				.hasMessageContaining("names rule 'late'"));
		this.runner.withUserConfiguration(LazyLate.class).run((context) -> {
			assertThat(context).hasNotFailed();
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> context.getBean(Runnable.class))
					.havingRootCause()
					.withMessageContaining("names rule 'late'");
			}
		});
	}

	@Test
	void beanThatIsNotProxiedIsSaid(CapturedOutput output) {
		this.runner.withUserConfiguration(Early.class)
			.run((context) -> assertThat(output).contains(HERE.replace("@RateLimited on ", "")
					+ "Held holds no call of the bean 'held': it was made without a proxy"));
	}

	@Test
	void methodsAreCounted(CapturedOutput output) {
		this.runner.withUserConfiguration(Fine.class)
			.run((context) -> assertThat(output)
				.containsOnlyOnce(
						"Tierlimit holds calls of 2 annotated methods to 1 rule, with buckets in InMemoryBucketStore.")
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
				fine.held();
			}
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(fine::held)
				.withMessageStartingWith("Over the limit of 'known'");
		});
	}

	@Test
	void annotationOnTheClassIsHeldBehindAProxyOfItsInterface() {
		this.runner.withBean(Runnable.class, KnownRunnable::new)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> {
				Runnable held = context.getBean(Runnable.class);
				for (int i = 0; i < 5; i++) {
					held.run();
				}
				assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(held::run);
			});
	}

	@Test
	void interfaceThatAnotherProxyImplementsIsHeldWithWhatItInherits() {
		this.runner.withBean(AnnotatedInterface.class, AnnotationStartTests::repository).run((context) -> {
			AnnotatedInterface held = context.getBean(AnnotatedInterface.class);
			for (int i = 0; i < 5; i++) {
				held.run();
			}
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(held::run);
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
	void switchedOffTheAnnotationIsIdle() {
		this.runner.withUserConfiguration(Mistakes.class)
			.withPropertyValues("tierlimit.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private List<String> problems(Class<?> bean, String... properties) {
		List<String> problems = new ArrayList<>();
		this.runner.withUserConfiguration(bean).withPropertyValues(properties).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOfSatisfying(InvalidRulesException.class, (ex) -> problems.addAll(ex.problems()));
		});
		return problems;
	}

	static class Mistakes {

		@RateLimited("knwon")
		void unknown() {
		}

		@RateLimited(scope = "ip")
		void neither() {
		}

		@RateLimited(value = "known", rate = "1/s")
		void both() {
		}

		@RateLimited(rate = "5")
		void rate() {
		}

		@RateLimited(rate = "5/s", burst = "0")
		void burst() {
		}

		@RateLimited(rate = "5/s", scope = "tenant")
		void scope() {
		}

		@RateLimited(rate = "5/s", key = "#tenant")
		void key(String id) {
		}

		@RateLimited(value = "known", cost = "6")
		void cost() {
		}

		@RateLimited("${no.such}")
		void placeholder() {
		}

		@RateLimited(rate = "5/s", name = "twice")
		void first() {
		}

		@RateLimited(rate = "5/s", name = "twice")
		void second() {
		}

		@RateLimited(rate = "5/s", name = "known")
		void taken() {
		}

		@RateLimited(rate = "5/s", name = "a b")
		void named() {
		}

		@RateLimited(value = "known", cost = "1")
		@RateLimited(value = "known", cost = "2")
		void doubled() {
		}

		@RateLimited("off")
		void off() {
		}

	}

	static class Uninterceptable {

		@RateLimited("known")
		private void secret() {
		}

		@RateLimited("known")
		final void fixed() {
		}

		@RateLimited("known")
		static void shared() {
		}

		@RateLimited("known")
		void held() {
			secret();
		}

	}

	@RateLimited("known")
	static class FinalMethod {

		final void fixed() {
			internal();
		}

		private void internal() {
		}

		@Override
		public final String toString() {
			return "fixed";
		}

	}

	@RateLimited("known")
	interface AnnotatedInterface extends Runnable {

	}

	static class Implementation implements Runnable {

		@Override
		public void run() {
		}

	}

	static class FinalImplementation implements AnnotatedInterface {

		@Override
		public final void run() {
		}

	}

	static class KnownRunnable implements Runnable {

		@RateLimited("known")
		@Override
		public void run() {
		}

	}

	static final class FinalClass {

		@RateLimited("known")
		void held() {
		}

	}

	static class Fine {

		@RateLimited("known")
		void held() {
		}

		@RateLimited("known")
		void heldToo() {
		}

	}

	static class Held {

		@RateLimited("known")
		void held() {
		}

	}

	static class LateRunnable implements Runnable {

		@RateLimited("late")
		@Override
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Late {

		@Bean
		Runnable late() {
			return new LateRunnable();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyLate {

		@Lazy
		@Bean
		Runnable late() {
			return new LateRunnable();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Early {

		@Bean
		static Held held() {
			return new Held();
		}

		@Bean
		static First processor(Held held) {
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
