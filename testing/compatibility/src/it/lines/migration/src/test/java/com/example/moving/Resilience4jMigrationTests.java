package com.example.moving;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.RateLimitExceededException;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The examples and the differences of {@code docs/migrating-from-resilience4j.md}. */
class Resilience4jMigrationTests extends MigrationTests {

	@Autowired
	private OldQuotes oldQuotes;

	@Autowired
	private NewQuotes newQuotes;

	@Autowired
	private SavedQuotes savedQuotes;

	@Autowired
	private MeterRegistry meters;

	@Test
	void callsAreLimitedAndRejectedCallsHaveAFallback() {
		List<String> quotes = List.of("new quote", "new quote", "new quote", "saved quote", "saved quote");
		assertThat(calls(this.oldQuotes::quote)).isEqualTo(quotes);
		assertThat(calls(this.savedQuotes::quote)).isEqualTo(quotes);
		assertThat(this.meters.get("resilience4j.ratelimiter.available.permissions")
			.tag("name", "quotes")
			.gauge()
			.value()).isZero();
		assertThat(this.meters.get("tierlimit.requests").tags("rule", "quotes", "outcome", "rejected").counter().count())
			.isEqualTo(2);
	}

	@Test
	void callConsumesItsPermitsInTierlimitOnly() {
		assertThat(calls(4, this.oldQuotes::batch)).hasSize(4);
		assertThatExceptionOfType(RequestNotPermitted.class).isThrownBy(this.oldQuotes::batch);
		assertThat(calls(2, this.newQuotes::batch)).hasSize(2);
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(this.newQuotes::batch);
	}

	@Test
	void callsWaitForTheirPermits() {
		assertThat(calls(this.oldQuotes::tick)).containsOnly("tick");
		assertThat(calls(this.newQuotes::tick)).containsOnly("tick");
		assertThat(this.meters.get("tierlimit.wait").tag("rule", "ticks").timer().count()).isPositive();
	}

	@Test
	void eachCustomerHasALimitAndARejectedCallIsAnErrorInTheOldLibraryAndA429InTierlimit() throws Exception {
		assertThat(statuses(3, "/old/offers/acme")).containsExactly(200, 200, 500);
		assertThat(statuses(3, "/new/offers/acme")).containsExactly(200, 200, 429);
		assertThat(statuses(1, "/old/offers/globex")).containsExactly(200);
		assertThat(statuses(1, "/new/offers/globex")).containsExactly(200);
		HttpResponse<String> rejection = get("/new/offers/acme");
		assertThat(rejection.headers().map()).containsKeys("Retry-After", "RateLimit");
		assertThat(rejection.body()).contains("\"violated-policies\":[\"offers-per-customer\"]");
	}

	@Test
	void callThatCannotGetAPermitInTimeWaitsInTheOldLibraryAndIsRejectedAtOnceInTierlimit() {
		calls(2, () -> this.oldQuotes.offer("initech"));
		calls(2, () -> this.newQuotes.offer("initech"));
		long start = System.nanoTime();
		assertThatExceptionOfType(RequestNotPermitted.class).isThrownBy(() -> this.oldQuotes.offer("initech"));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(100));
		// A wait in an interrupted thread would be a CancellationException.
		Thread.currentThread().interrupt();
		try {
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(() -> this.newQuotes.offer("initech"));
		}
		finally {
			assertThat(Thread.interrupted()).isTrue();
		}
	}

	private static List<String> calls(Supplier<String> method) {
		return calls(5, method);
	}

	private static List<String> calls(int number, Supplier<String> method) {
		return Stream.generate(method).limit(number).toList();
	}

}
