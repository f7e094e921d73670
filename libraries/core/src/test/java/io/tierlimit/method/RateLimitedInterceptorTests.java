package io.tierlimit.method;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.CurrentRequest;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.rule.TestRules;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link RateLimitedInterceptor}.
 */
class RateLimitedInterceptorTests {

	private static final Verdict REJECTION = new Verdict(Outcome.REJECTED,
			List.of(TestDecision.rejected(TestRules.rule("calls", 10))));

	private final Target target = new Target();

	private final List<List<Object>> evaluated = new ArrayList<>();

	@Test
	void allowedCallProceedsAfterItIsEvaluatedWithItsArguments() {
		assertThat(proxy(Verdict.UNLIMITED).greet("ada")).isEqualTo("hello ada");
		assertThat(this.evaluated).containsExactly(List.of("greet", "ada"));
		assertThat(this.target.calls).isOne();
	}

	@Test
	void rejectedCallThrowsItsVerdictAndDoesNotProceed() {
		Greeting greeting = proxy(REJECTION);
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> greeting.greet("ada"))
			.satisfies((ex) -> assertThat(ex.verdict()).isSameAs(REJECTION));
		assertThat(this.target.calls).isZero();
	}

	@Test
	void exceptionOfTheMethodIsPassedOn() {
		Greeting greeting = proxy(Verdict.UNLIMITED);
		assertThatIllegalArgumentException().isThrownBy(() -> greeting.greet("")).withMessage("no name");
	}

	@Test
	void rulesAreTheRulesOfTheClassOfTheTarget() {
		List<Class<?>> types = new ArrayList<>();
		proxy(this.target, types).greet("ada");
		assertThat(types).containsExactly(Target.class);
	}

	@Test
	void rulesOfATargetBehindAClassProxyAreTheRulesOfItsClass() {
		ProxyFactory inner = new ProxyFactory(this.target);
		inner.setProxyTargetClass(true);
		List<Class<?>> types = new ArrayList<>();
		proxy(inner.getProxy(), types).greet("ada");
		assertThat(types).containsExactly(Target.class);
	}

	@Test
	void rulesOfATargetBehindAnInterfaceProxyAreTheRulesOfTheProxy() {
		Object inner = new ProxyFactory(this.target).getProxy();
		List<Class<?>> types = new ArrayList<>();
		proxy(inner, types).greet("ada");
		assertThat(types).containsExactly(inner.getClass());
	}

	private Greeting proxy(Verdict verdict) {
		CurrentRequest request = (method, type, arguments) -> {
			List<Object> call = new ArrayList<>(List.of(method.getName()));
			call.addAll(List.of(arguments));
			this.evaluated.add(call);
			return verdict;
		};
		return proxy(this.target, new RateLimitedInterceptor(() -> request));
	}

	private Greeting proxy(Object target, List<Class<?>> types) {
		return proxy(target, new RateLimitedInterceptor(() -> (method, type, arguments) -> {
			types.add(type);
			return Verdict.UNLIMITED;
		}));
	}

	private static Greeting proxy(Object target, RateLimitedInterceptor interceptor) {
		ProxyFactory factory = new ProxyFactory(Greeting.class, interceptor);
		factory.setTarget(target);
		return (Greeting) factory.getProxy();
	}

	interface Greeting {

		String greet(String name);

	}

	static class Target implements Greeting {

		private int calls;

		@Override
		public String greet(String name) {
			this.calls++;
			if (name.isEmpty()) {
				throw new IllegalArgumentException("no name");
			}
			return "hello " + name;
		}

	}

}
