package io.tierlimit.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class TickerTests {

	@Test
	void systemTickerCountsMicrosecondsSinceTheEpoch() {
		Instant shown = Instant.EPOCH.plus(Ticker.system().ticks(), ChronoUnit.MICROS);
		assertThat(shown).isCloseTo(Instant.now(), within(1, ChronoUnit.HOURS));
	}

	@Test
	void systemTickerNeverRunsBackwards() {
		Ticker ticker = Ticker.system();
		long first = ticker.ticks();
		long last = first;
		while (last < first + 100) {
			long next = ticker.ticks();
			assertThat(next).isGreaterThanOrEqualTo(last);
			last = next;
		}
	}

}
