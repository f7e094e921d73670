package io.tierlimit.store.redis;

import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class CircuitBreakersTests {

	private final CircuitBreakers breakers = new CircuitBreakers((server) -> true, () -> {
	});

	/** Each letter is a call: ok or failed. */
	@ParameterizedTest
	@CsvSource({ "ffff, true", "fffff, false", "ffooo, true", "fffoo, false", "oooff, true", "ooofff, false",
			"oooooooooo, true", "ooooooooooffff, true", "ooooooooooofffff, false", "ffooooooooooffff, true" })
	void breakerOpensIfHalfOfTheLastTenCallsOfFiveOrMoreHaveFailed(String calls, boolean closed) throws StoreFailure {
		for (int i = 0; i < calls.length(); i++) {
			CircuitBreakers.Permit permit = this.breakers.permits(List.of("")).get(0);
			if (calls.charAt(i) == 'f') {
				permit.recordFailure(new StoreFailure.CallSkipped());
			}
			permit.reportOutcome();
		}
		assertThat(this.breakers.areClosed()).isEqualTo(closed);
	}

}
