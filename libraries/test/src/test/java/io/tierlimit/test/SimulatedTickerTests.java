package io.tierlimit.test;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SimulatedTickerTests {

	@Test
	void standsStillUntilItIsAdvanced() {
		SimulatedTicker ticker = new SimulatedTicker();
		assertThat(ticker.ticks()).isZero();
		ticker.advance(Duration.ofSeconds(2));
		assertThat(ticker.ticks()).isEqualTo(2_000_000);
		ticker.advance(Duration.ofNanos(1999));
		assertThat(ticker.ticks()).isEqualTo(2_000_001);
	}

	@Test
	void startsAtAnyMoment() {
		SimulatedTicker ticker = new SimulatedTicker(Instant.parse("2026-03-01T00:00:00.000001Z"));
		assertThat(ticker.ticks()).isEqualTo(1_772_323_200_000_001L);
		ticker.advance(Duration.ofDays(1));
		assertThat(ticker.instant()).isEqualTo("2026-03-02T00:00:00.000001Z");
		assertThat(ticker).hasToString("2026-03-02T00:00:00.000001Z");
	}

	@Test
	void advancesByCenturies() {
		SimulatedTicker ticker = new SimulatedTicker();
		ticker.advance(Duration.ofDays(200_000));
		assertThat(ticker.instant()).isEqualTo(Instant.EPOCH.plus(Duration.ofDays(200_000)));
	}

	@Test
	void doesNotRunBackwards() {
		SimulatedTicker ticker = new SimulatedTicker();
		assertThatIllegalArgumentException().isThrownBy(() -> ticker.advance(Duration.ofSeconds(-1)))
			.withMessageContainingAll("must not be negative", "PT-1S");
		assertThat(ticker.ticks()).isZero();
	}

}
