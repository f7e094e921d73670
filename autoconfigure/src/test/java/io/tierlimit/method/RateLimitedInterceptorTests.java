package io.tierlimit.method;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.CurrentRequest;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.MethodRules;
import io.tierlimit.evaluation.MethodRulesLookup;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.evaluation.TestEvaluators;
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

	private static final MethodRules RULES = rules();

	private final Target target = new Target();

	private final List<List<Object>> evaluated = new ArrayList<>();

	@Test
	void allowedCallProceedsAfterItIsEvaluatedWithItsArguments() {
		assertThat(proxy(RULES, Verdict.UNLIMITED).greet("ada")).isEqualTo("hello ada");
		assertThat(this.evaluated).containsExactly(List.of(RULES, "ada"));
		assertThat(this.target.calls).isOne();
	}

	@Test
	void rejectedCallThrowsItsVerdictAndDoesNotProceed() {
		Greeting greeting = proxy(RULES, REJECTION);
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> greeting.greet("ada"))
			.satisfies((ex) -> assertThat(ex.verdict()).isSameAs(REJECTION));
		assertThat(this.target.calls).isZero();
	}

	@Test
	void methodWithoutRulesProceedsAndIsNotEvaluated() {
		assertThat(proxy(MethodRules.NONE, REJECTION).greet("ada")).isEqualTo("hello ada");
		assertThat(this.evaluated).isEmpty();
	}

	@Test
	void exceptionOfTheMethodIsPassedOn() {
		Greeting greeting = proxy(RULES, Verdict.UNLIMITED);
		assertThatIllegalArgumentException().isThrownBy(() -> greeting.greet("")).withMessage("no name");
	}

	@Test
	void rulesAreThoseOfTheClassOfTheTarget() {
		List<Class<?>> types = new ArrayList<>();
		proxy(this.target, types).greet("ada");
		assertThat(types).containsExactly(Target.class);
	}

	@Test
	void rulesOfATargetBehindAClassProxyAreThoseOfItsClass() {
		ProxyFactory inner = new ProxyFactory(this.target);
		inner.setProxyTargetClass(true);
		List<Class<?>> types = new ArrayList<>();
		proxy(inner.getProxy(), types).greet("ada");
		assertThat(types).containsExactly(Target.class);
	}

	@Test
	void rulesOfATargetBehindAnInterfaceProxyAreThoseOfTheProxy() {
		Object inner = new ProxyFactory(this.target).getProxy();
		List<Class<?>> types = new ArrayList<>();
		proxy(inner, types).greet("ada");
		assertThat(types).containsExactly(inner.getClass());
	}

	private Greeting proxy(MethodRules rules, Verdict verdict) {
		CurrentRequest request = (called, arguments) -> {
			List<Object> call = new ArrayList<>(List.of(called));
			call.addAll(List.of(arguments));
			this.evaluated.add(call);
			return verdict;
		};
		return proxy(this.target,
				new RateLimitedInterceptor(() -> new SameForAll(rules, new ArrayList<>()), () -> request));
	}

	private Greeting proxy(Object target, List<Class<?>> types) {
		return proxy(target, new RateLimitedInterceptor(() -> new SameForAll(MethodRules.NONE, types),
				() -> (rules, arguments) -> Verdict.UNLIMITED));
	}

	private static Greeting proxy(Object target, RateLimitedInterceptor interceptor) {
		ProxyFactory factory = new ProxyFactory(Greeting.class, interceptor);
		factory.setTarget(target);
		return (Greeting) factory.getProxy();
	}

	private static MethodRules rules() {
		CompiledRule rule = TestEvaluators.of(TestRules.rule("calls", 10)).rules().get(0);
		return new MethodRules(List.of(new MatchedRule(rule, null)), Map.of());
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

	private record SameForAll(MethodRules rules, List<Class<?>> types) implements MethodRulesLookup {

		@Override
		public MethodRules of(Method method, Class<?> type) {
			this.types.add(type);
			return this.rules;
		}

		@Override
		public boolean isEmpty() {
			return false;
		}

	}

}
