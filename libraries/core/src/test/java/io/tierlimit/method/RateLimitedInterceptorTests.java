package io.tierlimit.method;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.CurrentRequest;
import io.tierlimit.evaluation.RunningCall;
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

	private final CompletableFuture<String> exported = new CompletableFuture<>();

	private final Job job = new Job();

	private int ended;

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
	void callEndsWhenTheMethodReturns() {
		Exporting exports = exports();
		assertThat(exports.export("report")).isEqualTo("report");
		assertThat(this.ended).isOne();
	}

	@Test
	void callEndsWhenTheMethodThrows() {
		Exporting exports = exports();
		assertThatIllegalArgumentException().isThrownBy(() -> exports.export(""));
		assertThat(this.ended).isOne();
	}

	@Test
	void callThatReturnsAFutureEndsWhenTheFutureCompletes() {
		CompletableFuture<String> returned = exports().later();
		assertThat(this.ended).isZero();
		CompletableFuture<Integer> endedBefore = returned.thenApply((value) -> this.ended);
		this.exported.complete("report");
		assertThat(endedBefore).as("when the caller continues").isCompletedWithValue(1);
		assertThat(returned).isCompletedWithValue("report");
		assertThat(this.ended).isOne();
	}

	@Test
	void callThatReturnsAFutureEndsWhenTheFutureFails() {
		CompletableFuture<String> returned = exports().later();
		IllegalStateException failure = new IllegalStateException("on purpose");
		CompletableFuture<Throwable> seen = returned.handle((value, ex) -> ex);
		this.exported.completeExceptionally(failure);
		assertThat(seen).as("without a wrapper").isCompletedWithValue(failure);
		assertThat(this.ended).isOne();
	}

	@Test
	void callEndsWhenTheCallerCancelsItsFuture() {
		CompletableFuture<String> returned = exports().later();
		returned.cancel(true);
		assertThat(this.exported).isCancelled();
		assertThat(this.ended).isOne();
	}

	@Test
	void callEndsWhenTheMethodCancelsItsFuture() {
		CompletableFuture<String> returned = exports().later();
		this.exported.cancel(true);
		assertThat(returned).isCancelled();
		assertThat(this.ended).isOne();
	}

	@Test
	void callThatReturnsACompletedFutureHasEnded() {
		this.exported.complete("report");
		assertThat(exports().later()).isCompletedWithValue("report");
		assertThat(this.ended).isOne();
	}

	@Test
	void futureOfAnotherTypeIsReturnedAsItIs() {
		Job returned = exports().job();
		assertThat(returned).isSameAs(this.job);
		assertThat(this.ended).isZero();
		this.job.complete("report");
		assertThat(this.ended).isOne();
	}

	@Test
	void callWithoutPermitsReturnsTheFutureOfTheMethod() {
		Exporting exports = exports(RunningCall.WITHOUT_PERMITS);
		assertThat(exports.later()).isSameAs(this.exported);
	}

	private Exporting exports() {
		return exports(() -> this.ended++);
	}

	private Exporting exports(RunningCall call) {
		ProxyFactory factory = new ProxyFactory(Exporting.class,
				new RateLimitedInterceptor(() -> (method, type, arguments) -> call));
		factory.setTarget(new Exporting() {

			@Override
			public String export(String name) {
				assertThat(RateLimitedInterceptorTests.this.ended).isZero();
				if (name.isEmpty()) {
					throw new IllegalArgumentException("no name");
				}
				return name;
			}

			@Override
			public CompletableFuture<String> later() {
				return RateLimitedInterceptorTests.this.exported;
			}

			@Override
			public Job job() {
				return RateLimitedInterceptorTests.this.job;
			}

		});
		return (Exporting) factory.getProxy();
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
			if (!verdict.allowed()) {
				throw new RateLimitExceededException(verdict);
			}
			return RunningCall.WITHOUT_PERMITS;
		};
		return proxy(this.target, new RateLimitedInterceptor(() -> request));
	}

	private Greeting proxy(Object target, List<Class<?>> types) {
		return proxy(target, new RateLimitedInterceptor(() -> (method, type, arguments) -> {
			types.add(type);
			return RunningCall.WITHOUT_PERMITS;
		}));
	}

	private static Greeting proxy(Object target, RateLimitedInterceptor interceptor) {
		ProxyFactory factory = new ProxyFactory(Greeting.class, interceptor);
		factory.setTarget(target);
		return (Greeting) factory.getProxy();
	}

	interface Exporting {

		String export(String name);

		CompletableFuture<String> later();

		Job job();

	}

	static final class Job extends CompletableFuture<String> {

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
