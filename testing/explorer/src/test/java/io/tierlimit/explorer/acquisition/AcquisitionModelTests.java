package io.tierlimit.explorer.acquisition;

import java.util.Objects;
import java.util.stream.Stream;

import io.tierlimit.explorer.Explorer;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Explores {@link AcquisitionModel}.
 */
class AcquisitionModelTests {

	@ParameterizedTest(name = "{0} requests, {1} permits, {2} ticks, {3} faults")
	@CsvSource({ "2, 1, 0, 0", "2, 1, 1, 0", "2, 1, 0, 1", "2, 1, 1, 1", "2, 2, 1, 1", "2, 1, 0, 2", "3, 1, 0, 0",
			"3, 2, 1, 0" })
	void invariantsAreTrueInAllStates(int requests, int permits, int ticks, int faults, TestReporter reporter) {
		Explorer<Acquisitions, Action> explorer = Explorer
			.explore(new AcquisitionModel(requests, permits, ticks, faults));
		assertThat(explorer.violation()).isNull();
		assertThat(explorer.last()).isNotEmpty();
		reporter.publishEntry("states", Integer.toString(explorer.states()));
	}

	@ParameterizedTest
	@EnumSource
	void withoutAnyRuleAnInvariantIsViolated(Rule rule) {
		assertThat(
				models().map((model) -> Explorer.explore(model.without(rule)).violation()).anyMatch(Objects::nonNull))
			.isTrue();
	}

	private static Stream<AcquisitionModel> models() {
		return Stream.of(new AcquisitionModel(2, 1, 0, 0), new AcquisitionModel(2, 1, 0, 1),
				new AcquisitionModel(3, 2, 0, 0), new AcquisitionModel(3, 2, 1, 0));
	}

	/** A bound of one request less is violated. */
	@ParameterizedTest
	@CsvSource({ "2, 1, 0, 0", "2, 1, 1, 0", "3, 2, 0, 0", "3, 1, 1, 0" })
	void boundIsExact(int requests, int permits, int ticks, int faults) {
		AcquisitionModel model = new AcquisitionModel(requests, permits, ticks, faults);
		assertThat(Explorer.explore(model.tighter(1)).violation()).contains("requests are admitted, more than");
	}

}
