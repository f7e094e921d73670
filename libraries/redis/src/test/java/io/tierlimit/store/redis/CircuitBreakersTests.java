package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class CircuitBreakersTests {

	private final AtomicLong nanoTime = new AtomicLong();

	private final CircuitBreakers breakers = new CircuitBreakers((server) -> true, () -> {
	}, CircuitBreakers.withClock(this.nanoTime::get));

	/** Each letter is a call: ok or failed. */
	@ParameterizedTest
	@CsvSource({ "ffff, true", "fffff, false", "ffooo, true", "fffoo, false", "oooff, true", "ooofff, false",
			"oooooooooo, true", "ooooooooooffff, true", "ooooooooooofffff, false", "ffooooooooooffff, true" })
	void breakerOpensIfHalfOfTheLastTenCallsOfFiveOrMoreHaveFailed(String calls, boolean closed) throws StoreFailure {
		call(calls);
		assertThat(this.breakers.areClosed()).isEqualTo(closed);
	}

	@Test
	void oneCallTriesAgainAfterOneSecond() throws StoreFailure {
		call("fffff");
		this.nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
		assertThatExceptionOfType(StoreFailure.CallSkipped.class).isThrownBy(() -> call("o"));
		this.nanoTime.addAndGet(1);
		call("f");
		assertThatExceptionOfType(StoreFailure.CallSkipped.class).isThrownBy(() -> call("o"));
		this.nanoTime.addAndGet(Duration.ofSeconds(1).toNanos() + 1);
		List<CircuitBreakers.Permit> trial = this.breakers.permits(List.of(""));
		assertThatExceptionOfType(StoreFailure.CallSkipped.class).isThrownBy(() -> call("o"));
		trial.get(0).end(true);
		assertThat(this.breakers.areClosed()).isTrue();
		call("oooo");
	}

	private void call(String calls) throws StoreFailure {
		for (int i = 0; i < calls.length(); i++) {
			CircuitBreakers.Permit permit = this.breakers.permits(List.of("")).get(0);
			if (calls.charAt(i) == 'f') {
				permit.recordFailure(new StoreFailure.CallSkipped("skipped"));
			}
			permit.end(true);
		}
	}

}
