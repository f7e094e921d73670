package io.tierlimit.actuate;

import java.math.BigDecimal;

import io.tierlimit.store.StoreStatus.LocalShare;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RateLimitHealth}.
 */
class RateLimitHealthTests {

	@ParameterizedTest
	@CsvSource(delimiter = ';', nullValues = "-", textBlock = """
			1; -; -; {share=100%}
			0.25; -; -; {share=25%}
			0.000125; -; -; {share=0.0125%}
			0.333333333333333333333333333334; 3; -; {share=33.3%, instances=3}
			1; -; NOPERM; {share=100%, problem=NOPERM}
			0.5; 2; no reply in time; {share=50%, instances=2, problem=no reply in time}
			""")
	void shareIsAPercentageWithTheNumberOfInstances(BigDecimal share, @Nullable Integer instances,
			@Nullable String problem, String expected) {
		assertThat(RateLimitHealth.localShare(new LocalShare(share, instances, problem))).hasToString(expected);
	}

}
