package io.tierlimit.sample;

import java.time.Duration;

import io.tierlimit.test.AutoConfigureSimulatedTicker;
import io.tierlimit.test.ResetRateLimits;
import io.tierlimit.test.SimulatedTicker;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static io.tierlimit.test.RateLimitAssertions.assertThat;

/**
 * The test in docs/testing.md.
 */
@SpringBootTest
@AutoConfigureMockMvc
@AutoConfigureSimulatedTicker
@ResetRateLimits
class SearchLimitTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private SimulatedTicker clock;

	@Test
	void searchIsLimited() {
		for (int remaining = 4; remaining >= 0; remaining--) {
			assertThat(this.mvc.get().uri("/api/search?q=cup")).hasStatus(200).hasRemaining("search", remaining);
		}
		assertThat(this.mvc.get().uri("/api/search?q=cup")).isRateLimited()
			.violates("search")
			.retryAfter(Duration.ofMinutes(12));
		this.clock.advance(Duration.ofMinutes(12));
		assertThat(this.mvc.get().uri("/api/search?q=cup")).isNotRateLimited();
	}

}
