package io.tierlimit.metrics;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationRegistry.ObservationConfig;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.EvaluationObserver;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.rule.TestRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link ObservedEvaluations}.
 */
class ObservedEvaluationsTests {

	private static final Verdict REJECTION = new Verdict(Outcome.REJECTED,
			List.of(TestDecision.rejected(TestRules.rule("a", 10)),
					TestDecision.allowed(TestRules.rule("allows", 10), 9),
					TestDecision.rejected(TestRules.rule("b", 10))));

	private final List<Observation.Context> stopped = new ArrayList<>();

	private final ObservationRegistry registry = ObservationRegistry.create();

	private final ObservedEvaluations evaluations = evaluations(EvaluationObserver.NONE);

	@Test
	void evaluationIsAnObservationWithItsStoreAndOutcome() {
		recordObservations();
		assertThat(this.evaluations.observe(() -> Verdict.UNLIMITED)).isSameAs(Verdict.UNLIMITED);
		assertThat(this.stopped).singleElement().satisfies((context) -> {
			assertThat(context.getName()).isEqualTo("tierlimit.evaluation");
			assertThat(context.getContextualName()).isEqualTo("rate limit");
			assertThat(context.getLowCardinalityKeyValues()).containsExactly(KeyValue.of("store", "redis"));
			assertThat(context.getHighCardinalityKeyValues())
				.containsExactly(KeyValue.of("tierlimit.outcome", "allowed"));
		});
	}

	@Test
	void rejectionNamesTheViolatedRulesOnBothObservations() {
		recordObservations();
		Observation request = Observation.start("request", this.registry);
		request.scoped(() -> this.evaluations.observe(() -> REJECTION));
		KeyValue rules = KeyValue.of("tierlimit.rule", "a,b");
		assertThat(this.stopped).singleElement()
			.satisfies((context) -> assertThat(context.getHighCardinalityKeyValues())
				.containsExactlyInAnyOrder(KeyValue.of("tierlimit.outcome", "rejected"), rules));
		assertThat(request.getContext().getHighCardinalityKeyValues()).containsExactly(rules);
	}

	@Test
	void evaluationRunsInTheScopeOfItsObservation() {
		recordObservations();
		this.evaluations.observe(() -> {
			Observation current = Objects.requireNonNull(this.registry.getCurrentObservation());
			assertThat(current.getContext().getName()).isEqualTo("tierlimit.evaluation");
			return Verdict.UNLIMITED;
		});
		assertThat(this.registry.getCurrentObservationScope()).isNull();
		assertThat(this.stopped).hasSize(1);
	}

	@Test
	void observationCreatesTheSameTimerAsTimedEvaluations() {
		SimpleMeterRegistry observed = new SimpleMeterRegistry();
		this.registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(observed));
		this.evaluations.observe(() -> REJECTION);
		SimpleMeterRegistry timed = new SimpleMeterRegistry();
		new TimedEvaluations(timed, "redis").observe(() -> REJECTION);
		assertThat(observed.get("tierlimit.evaluation").timer().getId())
			.isEqualTo(timed.get("tierlimit.evaluation").timer().getId());
	}

	@Test
	void evaluationThatFailsIsAnObservationWithAnError() {
		recordObservations();
		assertThatIllegalStateException().isThrownBy(() -> this.evaluations.observe(() -> {
			throw new IllegalStateException("on purpose");
		}));
		assertThat(this.stopped).singleElement()
			.satisfies((context) -> assertThat(context.getError()).hasMessage("on purpose"));
		assertThat(this.registry.getCurrentObservationScope()).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "onStart", "onScopeOpened", "onScopeClosed", "onStop" })
	void handlerThatFailsLeavesNoScopeOpenAndNoObservationRunning(String method) {
		failingPartLeavesNoScopeOpen((config) -> config.observationHandler(failingHandler(method)));
		assertThat(this.stopped).hasSize(1);
	}

	@ParameterizedTest
	@MethodSource("failingParts")
	void failingPartLeavesNoScopeOpen(Consumer<ObservationConfig> part) {
		part.accept(this.registry.observationConfig());
		recordObservations();
		assertThatIllegalStateException().isThrownBy(() -> this.evaluations.observe(() -> Verdict.UNLIMITED));
		assertThat(this.registry.getCurrentObservationScope()).isNull();
	}

	static Stream<Consumer<ObservationConfig>> failingParts() {
		return Stream.of((config) -> config.observationPredicate((name, context) -> {
			throw failure();
		}), (config) -> config.observationFilter((context) -> {
			throw failure();
		}), (config) -> config.observationConvention(new FailingConvention()));
	}

	@Test
	void disabledObservationsUseTheOtherObserver() {
		recordObservations();
		this.registry.observationConfig().observationPredicate((name, context) -> false);
		List<String> observers = new ArrayList<>();
		Verdict verdict = evaluations((evaluation) -> {
			observers.add("other");
			return evaluation.get();
		}).observe(() -> REJECTION);
		assertThat(verdict).isSameAs(REJECTION);
		assertThat(observers).hasSize(1);
		assertThat(this.stopped).isEmpty();
	}

	private ObservedEvaluations evaluations(EvaluationObserver unobserved) {
		return new ObservedEvaluations(this.registry, "redis", unobserved);
	}

	private static IllegalStateException failure() {
		return new IllegalStateException("on purpose");
	}

	private void recordObservations() {
		this.registry.observationConfig().observationHandler(new RecordingHandler(this.stopped));
	}

	private record RecordingHandler(
			List<Observation.Context> stopped) implements ObservationHandler<Observation.Context> {

		@Override
		public void onStop(Observation.Context context) {
			this.stopped.add(context);
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

	private static ObservationHandler<?> failingHandler(String failing) {
		return (ObservationHandler<?>) Proxy.newProxyInstance(ObservationHandler.class.getClassLoader(),
				new Class<?>[] { ObservationHandler.class }, (proxy, method, arguments) -> {
					if (method.getName().equals(failing)) {
						throw failure();
					}
					return method.getName().equals("supportsContext") ? true : null;
				});
	}

	private static final class FailingConvention implements GlobalObservationConvention<Observation.Context> {

		@Override
		public boolean supportsContext(Observation.Context context) {
			throw failure();
		}

	}

}
