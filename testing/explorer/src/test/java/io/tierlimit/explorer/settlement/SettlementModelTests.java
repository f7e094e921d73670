package io.tierlimit.explorer.settlement;

import java.util.Objects;
import java.util.stream.Stream;

import io.tierlimit.explorer.Explorer;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Explores {@link SettlementModel}.
 */
class SettlementModelTests {

	@ParameterizedTest(name = "{0} requests, {1} permits, use {2}, {3} ticks, {4} faults")
	@CsvSource({ "2, 3, 3, 0, 0", "2, 3, 3, 1, 0", "2, 3, 2, 2, 0", "2, 3, 3, 0, 1", "2, 2, 2, 2, 1", "2, 3, 2, 1, 2",
			"3, 3, 1, 0, 0", "3, 2, 1, 1, 0", "3, 2, 1, 0, 1" })
	void invariantsAreTrueInAllStates(int requests, int permits, int use, int ticks, int faults,
			TestReporter reporter) {
		Explorer<SettlementState, SettlementAction> explorer = Explorer
			.explore(new SettlementModel(requests, permits, use, ticks, faults));
		assertThat(explorer.violation()).isNull();
		assertThat(explorer.last()).isNotEmpty();
		reporter.publishEntry("states", Integer.toString(explorer.states()));
	}

	@ParameterizedTest
	@EnumSource
	void withoutAnyRuleAnInvariantIsViolated(SettlementRule rule) {
		assertThat(
				models().map((model) -> Explorer.explore(model.without(rule)).violation()).anyMatch(Objects::nonNull))
			.isTrue();
	}

	private static Stream<SettlementModel> models() {
		return Stream.of(new SettlementModel(2, 3, 2, 0, 0), new SettlementModel(2, 3, 2, 0, 1),
				new SettlementModel(2, 2, 2, 1, 0), new SettlementModel(2, 3, 3, 0, 0));
	}

	/** A bound of one permit less is violated. */
	@ParameterizedTest
	@CsvSource({ "DEBT, 2, 3, 3, 0, 0", "DEBT, 2, 3, 3, 1, 0", "DEBT, 2, 3, 3, 0, 1", "USE, 2, 3, 2, 0, 0",
			"USE, 3, 2, 1, 1, 0", "USE, 2, 3, 2, 0, 1" })
	void boundIsExact(SettlementBound bound, int requests, int permits, int use, int ticks, int faults) {
		SettlementModel model = new SettlementModel(requests, permits, use, ticks, faults);
		assertThat(Explorer.explore(model.tighter(bound)).violation()).contains(bound + " is ", "more than");
	}

}
