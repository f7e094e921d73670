package io.tierlimit.sample;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the shop without limits: components that inject a {@code RateLimiter} still work.
 */
@SpringBootTest(properties = "tierlimit.enabled=false")
@AutoConfigureMockMvc
@Tag("slow")
class DisabledTests {

	@Autowired
	private MockMvcTester mvc;

	@Test
	void nothingIsLimited() {
		for (int i = 0; i < 10; i++) {
			assertThat(this.mvc.get().uri("/api/search?q=cup")).hasStatus(200).doesNotContainHeader("RateLimit");
		}
	}

	@Test
	void livePageShowsNoBuckets() {
		assertThat(this.mvc.get().uri("/live/buckets")).hasStatus(200)
			.bodyJson()
			.extractingPath("$")
			.asArray()
			.isEmpty();
	}

}
