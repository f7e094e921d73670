package io.tierlimit.sample;

import java.io.IOException;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the streamed responses: exports of the catalog, and answers of the language
 * model. The tests of the page show their limits.
 */
@ShopTest
@Tag("slow")
class StreamTests {

	private static final Duration ROW = Duration.ofSeconds(2);

	private static final Duration WORD = Duration.ofMillis(200);

	private final Shop shop;

	StreamTests(Shop shop) {
		this.shop = shop;
	}

	@Test
	void rowsAreStreamed() throws IOException {
		try (Download export = this.shop.download("fred", "/live/export")) {
			assertThat(export.status()).isEqualTo(200);
			assertThat(export.field("Content-Type")).isEqualTo("text/csv");
			assertThat(export.field("RateLimit")).isEqualTo("\"live-exports\";r=1");
			assertThat(export.readLine()).isEqualTo("id,name,price");
			this.shop.advance(ROW);
			assertThat(export.readLine()).isEqualTo("1,Espresso cup,9.50");
			this.shop.advance(ROW);
			assertThat(export.readLine()).isEqualTo("2,Saucer,4.20");
			this.shop.advance(ROW.multipliedBy(3));
			assertThat(export.readAll()).isEqualTo("3,Milk jug,18.00\n4,Teapot,35.00\n5,Tea cup,11.00\n");
		}
	}

	@Test
	void wordsAreStreamed() throws IOException {
		try (Download answer = this.shop.download("fred", "/live/answer?words=3")) {
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

	@ParameterizedTest
	@ValueSource(strings = { "/live/export", "/live/answer?words=1" })
	void anonymousCallersHaveNoStreams(String path) {
		assertThat(this.shop.get(path).status()).isEqualTo(403);
	}

}
