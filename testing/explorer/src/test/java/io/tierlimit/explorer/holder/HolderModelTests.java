package io.tierlimit.explorer.holder;

import java.util.Objects;
import java.util.stream.Stream;

import io.tierlimit.explorer.Explorer;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Explores {@link HolderModel}.
 */
class HolderModelTests {

	@ParameterizedTest(name = "{0} requests, limit {1}, {2} faults")
	@CsvSource({ "2, 1, 0", "2, 1, 1", "2, 1, 2", "3, 1, 0", "3, 2, 0", "2, 2, 1" })
	void invariantsAreTrueInAllStates(int requests, int limit, int faults, TestReporter reporter) {
		Explorer<HolderState, HolderAction> explorer = Explorer.explore(new HolderModel(requests, limit, faults));
		assertThat(explorer.violation()).isNull();
		assertThat(explorer.last()).isNotEmpty();
		reporter.publishEntry("states", Integer.toString(explorer.states()));
	}

	@ParameterizedTest
	@EnumSource
	void withoutAnyRuleAnInvariantIsViolated(HolderRule rule) {
		assertThat(
				models().map((model) -> Explorer.explore(model.without(rule)).violation()).anyMatch(Objects::nonNull))
			.isTrue();
	}

	private static Stream<HolderModel> models() {
		return Stream.of(new HolderModel(2, 1, 0), new HolderModel(2, 1, 1), new HolderModel(2, 1, 2));
	}

	/** A bound of one permit less is violated. */
	@ParameterizedTest
	@CsvSource({ "2, 1, 0", "3, 2, 0", "2, 1, 1" })
	void boundIsExact(int requests, int limit, int faults) {
		HolderModel model = new HolderModel(requests, limit, faults);
		assertThat(Explorer.explore(model.tighter(1)).violation()).contains("permits are in use, more than");
	}

}
