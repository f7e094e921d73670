package io.tierlimit.test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.ResponseEntity;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.test.web.servlet.client.EntityExchangeResult;
import org.springframework.test.web.servlet.client.RestTestClient;

import static io.tierlimit.test.RateLimitAssertions.assertThat;
import static io.tierlimit.test.RestTestClientAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the annotations and all kinds of responses, as tests of applications use them.
 * Redis is on the class path, but does not run.
 */
@LibraryTest
@AutoConfigureSimulatedTicker
@ResetRateLimits
class LibraryTests {

	private final MockMvcTester mvc;

	private final SimulatedTicker clock;

	LibraryTests(@Autowired MockMvcTester mvc, @Autowired SimulatedTicker clock) {
		this.mvc = mvc;
		this.clock = clock;
	}

	@Test
	void limitFillsRejectsAndRefills() {
		assertThat(books()).hasStatus(200).isNotRateLimited().hasRemaining("books", 1).hasRemaining("readers", 59);
		assertThat(books()).isNotRateLimited().hasRemaining("books", 0);
		assertThat(books()).isRateLimited().violates("books").retryAfter(Duration.ofMinutes(30));
		this.clock.advance(Duration.ofMinutes(30).minusNanos(1000));
		assertThat(books()).isRateLimited().retryAfter(Duration.ofSeconds(1));
		this.clock.advance(Duration.ofNanos(1000));
		assertThat(books()).isNotRateLimited();
	}

	@RepeatedTest(2)
	void bucketsAreFullAtTheStartOfEachTest() {
		assertThat(books()).hasRemaining("books", 1).hasRemaining("readers", 59);
		assertThat(this.mvc.get().uri("/returns")).isNotRateLimited().hasRemaining("returns", 0);
		assertThat(this.mvc.get().uri("/returns")).isRateLimited().violates("returns").retryAfter(Duration.ofHours(1));
	}

	@Test
	void applicationUsesTheSimulatedClockAndTheStoreInMemory(@Autowired Ticker ticker, @Autowired BucketStore store) {
		assertThat(ticker).isSameAs(this.clock);
		assertThat(store).isInstanceOf(InMemoryBucketStore.class);
	}

	@Test
	void responsesOfRestTestClient(@Autowired MockMvc mockMvc) {
		RestTestClient client = RestTestClient.bindTo(mockMvc).build();
		assertThat(client.get().uri("/books").exchange()).isNotRateLimited().hasRemaining("books", 1);
		EntityExchangeResult<String> result = client.get().uri("/books").exchange().returnResult(String.class);
		assertThat(result).isNotRateLimited().hasRemaining("books", 0);
		assertThat(client.get().uri("/books").exchange()).isRateLimited()
			.violates("books")
			.retryAfter(Duration.ofMinutes(30));
		assertThat(client.get().uri("/books").exchange().returnResult(String.class)).violates("books");
		assertThat(client.get().uri("/books").exchange().returnResult()).violates("books");
	}

	@Test
	void responseEntities() {
		ResponseEntity.BodyBuilder rejected = ResponseEntity.status(429)
			.header("Content-Type", "application/problem+json")
			.header("Retry-After", "7");
		String problem = "{\"violated-policies\":[\"books\"]}";
		assertThat(rejected.body(problem)).isRateLimited().violates("books").retryAfter(Duration.ofSeconds(7));
		assertThat(rejected.body(problem.getBytes(StandardCharsets.UTF_8))).violates("books");
		assertThat(rejected.header("RateLimit", "\"books\";r=0;t=7").body(List.of())).violates("books");
		assertThat(ResponseEntity.ok().header("RateLimit", "\"books\";r=1;t=7").build()).isNotRateLimited()
			.hasRemaining("books", 1);
	}

	@Test
	void assertionsOfSpringRemainAvailable() {
		MvcTestResult result = books();
		result.assertThat().hasStatusOk().bodyText().isEqualTo("Emma");
		assertThat(result.getResponse()).isNotRateLimited();
	}

	private MvcTestResult books() {
		return this.mvc.get().uri("/books").exchange();
	}

	@Nested
	class Inner {

		@RepeatedTest(2)
		void bucketsAreFullInNestedClassesToo() {
			assertThat(books()).hasRemaining("books", 1);
		}

	}

}
