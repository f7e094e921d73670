package io.tierlimit.sample;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.tierlimit.PermitRequest;
import io.tierlimit.junit.Poll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the answers of the language model. An answer consumes the estimate of 20 permits,
 * and costs one permit for each word. The model writes five words per second, and the
 * bucket of 30 permits refills one permit per second.
 */
@ShopTest
@Tag("slow")
class AnswerTests {

	private static final String ANSWER = "/live/answer?words=";

	private static final Duration WORD = Duration.ofMillis(200);

	private final Shop shop;

	private final int port;

	AnswerTests(Shop shop, @LocalServerPort int port) {
		this.shop = shop;
		this.port = port;
	}

	@Test
	void wordsAreStreamed() throws IOException {
		try (Download answer = this.shop.download("fred", ANSWER + 3)) {
			assertThat(answer.status()).isEqualTo(200);
			assertThat(answer.field("Content-Type")).isEqualTo("text/event-stream");
			assertThat(answer.field("RateLimit")).isEqualTo("\"live-tokens\";r=10;t=10");
			assertThat(answer.readLine()).isEqualTo("data:A");
			this.shop.advance(WORD);
			assertThat(answer.readLine()).isEmpty();
			assertThat(answer.readLine()).isEqualTo("data:good");
			this.shop.advance(WORD.multipliedBy(2));
			assertThat(answer.readAll()).isEqualTo("\ndata:espresso\n\nevent:complete\ndata:3\n\n");
		}
	}

	@Test
	void answerBelowTheEstimateRefundsTheDifference() throws IOException {
		try (Download answer = this.shop.download("fred", ANSWER + 5)) {
			assertThat(left("fred")).isEqualTo(10);
			this.shop.advance(WORD.multipliedBy(5));
			assertThat(answer.readAll()).endsWith("event:complete\ndata:5\n\n");
			awaitLeft("fred", 30 - 5 + 1);
		}
		assertThat(left("paula")).isEqualTo(30);
	}

	@Test
	void answerAboveTheEstimateConsumesTheDifference() throws IOException {
		try (Download answer = this.shop.download("fred", ANSWER + 25)) {
			this.shop.advance(WORD.multipliedBy(25));
			assertThat(answer.readAll()).endsWith("event:complete\ndata:25\n\n");
			awaitLeft("fred", 30 - 25 + 5);
		}
	}

	@Test
	void answerEndsWhenTheBucketOwesTheMaximumAndTheNextOneIsRejected() throws IOException {
		try (Download answer = this.shop.download("fred", ANSWER + 100_000)) {
			CompletableFuture<String> all = CompletableFuture.supplyAsync(() -> readAll(answer));
			// The difference is consumed in the background, at most once a second.
			Poll.until(() -> {
				this.shop.advance(WORD);
				return all.isDone();
			}, () -> "The answer has not ended");
			assertThat(all.join()).containsOnlyOnce("event:").contains("event:stopped");
		}
		Reply next = this.shop.getAs("fred", ANSWER + 1);
		assertThat(next).isRateLimited().violates("live-tokens").hasRemaining("live-tokens", 0);
		assertThat(Integer.parseInt(next.fields().firstValue("Retry-After").orElseThrow())).isBetween(21, 30);
	}

	private static String readAll(Download answer) {
		try {
			return answer.readAll();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void answerWhoseClientHasDisconnectedCostsTheWordsSoFar() throws IOException {
		try (Socket client = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			String request = "GET " + ANSWER + "100 HTTP/1.1\r\nHost: shop\r\nAuthorization: " + Shop.basic("fred")
					+ "\r\n\r\n";
			client.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
			BufferedReader response = new BufferedReader(
					new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
			assertThat(response.lines().anyMatch("data:A"::equals)).isTrue();
			assertThat(left("fred")).isEqualTo(10);
			// Resets the connection, instead of closing it.
			client.setSoLinger(true, 0);
		}
		this.shop.advance(WORD);
		awaitLeft("fred", 30 - 2);
	}

	@Test
	void anonymousCallersHaveNoAnswers() {
		assertThat(this.shop.get(ANSWER + 1).status()).isEqualTo(403);
	}

	private void awaitLeft(String user, long permits) {
		Poll.until(() -> left(user) == permits, () -> "Permits of " + user + ": " + left(user));
	}

	private long left(String user) {
		return this.shop.leftOf(PermitRequest.of("live-tokens").user(user));
	}

}
