package io.tierlimit.metrics;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tierlimit.Verdict;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link TimedEvaluations}.
 */
class TimedEvaluationsTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final TimedEvaluations evaluations = new TimedEvaluations(this.registry, "redis");

	@Test
	void evaluationIsTimedAndItsVerdictReturned() {
		assertThat(timer().count()).isZero();
		assertThat(this.evaluations.observe(() -> Verdict.UNLIMITED)).isSameAs(Verdict.UNLIMITED);
		assertThat(timer().count()).isOne();
		assertThatIllegalStateException().isThrownBy(() -> this.evaluations.observe(() -> {
			throw new IllegalStateException("on purpose");
		}));
		assertThat(timer().count()).isEqualTo(2);
	}

	private Timer timer() {
		return this.registry.get("tierlimit.evaluation").tags("store", "redis", "error", "none").timer();
	}

}
