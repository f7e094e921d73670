package io.tierlimit.application;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.cumulative.CumulativeTimer;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.tierlimit.RateLimitRejectedEvent;
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

	/** The part that fails. */
	enum Part {

		OBSERVATION_HANDLER, METERS, EVENT_LISTENER

	}

	@Configuration(proxyBeanMethods = false)
	@Import(TestApplication.class)
	static class WatchedApplication implements ObservationHandler<Observation.Context> {

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
			return "tierlimit.evaluation".equals(context.getName());
		}

		@Override
		public void onStart(Observation.Context context) {
			failAs(Part.OBSERVATION_HANDLER);
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
