package io.tierlimit.application;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.cumulative.CumulativeTimer;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationFilter;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationPredicate;
import io.tierlimit.RateLimitRejectedEvent;
import io.tierlimit.Verdict;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.VerdictListener;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests applications in which an observer of decisions fails.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class FailingObserverTests {

	private static final String MESSAGE = "a test's failure";

	@ParameterizedTest
	@EnumSource
	void failureNeitherFailsARequestNorChangesItsVerdict(Part part, CapturedOutput output) {
		try (RunningApplication application = RunningApplication.start(WatchedApplication.class, "failing=" + part,
				"tierlimit.metrics.observations=true", "tierlimit.rules.three.rate=3/d",
				"tierlimit.rejections.interval=0s")) {
			application.assertAllowed(3, 5, "/any");
			assertThat(application.consumed("three", "")).isEqualTo(3);
			assertThat(output).containsOnlyOnce("IllegalStateException: " + MESSAGE);
		}
	}

	private static void fail() {
		throw new IllegalStateException(MESSAGE);
	}

	private static boolean isOurs(Observation.Context context) {
		return "tierlimit.evaluation".equals(context.getName());
	}

	/** The part that fails. */
	enum Part {

		HANDLER_START, HANDLER_SCOPE_OPENED, HANDLER_SCOPE_CLOSED, HANDLER_STOP, PREDICATE, FILTER, CONVENTION, METERS,
		VERDICT_LISTENER, EVENT_LISTENER

	}

	@Configuration(proxyBeanMethods = false)
	@Import(TestApplication.class)
	static class WatchedApplication implements ObservationHandler<Observation.Context>, ObservationPredicate,
			ObservationFilter, VerdictListener {

		private final Part failing;

		WatchedApplication(@Value("${failing}") Part failing) {
			this.failing = failing;
		}

		private void failAs(Part part) {
			if (this.failing == part) {
				fail();
			}
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return isOurs(context);
		}

		@Override
		public void onStart(Observation.Context context) {
			failAs(Part.HANDLER_START);
		}

		@Override
		public void onScopeOpened(Observation.Context context) {
			failAs(Part.HANDLER_SCOPE_OPENED);
		}

		@Override
		public void onScopeClosed(Observation.Context context) {
			failAs(Part.HANDLER_SCOPE_CLOSED);
		}

		@Override
		public void onStop(Observation.Context context) {
			failAs(Part.HANDLER_STOP);
		}

		@Override
		public boolean test(String name, Observation.Context context) {
			if (name.equals("tierlimit.evaluation")) {
				failAs(Part.PREDICATE);
			}
			return true;
		}

		@Override
		public Observation.Context map(Observation.Context context) {
			if (isOurs(context)) {
				failAs(Part.FILTER);
			}
			return context;
		}

		@Override
		public void onVerdict(Verdict verdict, Caller caller) {
			failAs(Part.VERDICT_LISTENER);
		}

		@Bean
		GlobalObservationConvention<Observation.Context> convention() {
			return new GlobalObservationConvention<>() {

				@Override
				public boolean supportsContext(Observation.Context context) {
					if (isOurs(context)) {
						failAs(Part.CONVENTION);
					}
					return false;
				}

			};
		}

		@Bean
		SimpleMeterRegistry meters() {
			return (this.failing == Part.METERS) ? new FailingMeters() : new SimpleMeterRegistry();
		}

		@EventListener
		void rejected(RateLimitRejectedEvent event) {
			failAs(Part.EVENT_LISTENER);
		}

	}

	/**
	 * A registry whose timer of evaluations throws.
	 */
	private static final class FailingMeters extends SimpleMeterRegistry {

		@Override
		protected Timer newTimer(Meter.Id id, DistributionStatisticConfig config, PauseDetector pauses) {
			if (!id.getName().equals("tierlimit.evaluation")) {
				return super.newTimer(id, config, pauses);
			}
			return new CumulativeTimer(id, Clock.SYSTEM, config, pauses, TimeUnit.SECONDS) {

				@Override
				protected void recordNonNegative(long amount, TimeUnit unit) {
					fail();
				}

			};
		}

	}

}
