package io.tierlimit.search;

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

@SpringBootTest(properties = { "tierlimit.rules.search.paths=/api/search", "tierlimit.rules.search.rate=2/h" })
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
		assertThat(this.mvc.get().uri("/api/search?q=cup")).hasStatus(200).hasRemaining("search", 1);
		assertThat(this.mvc.get().uri("/api/search?q=cup")).hasStatus(200).hasRemaining("search", 0);
		assertThat(this.mvc.get().uri("/api/search?q=cup")).isRateLimited()
			.violates("search")
			.retryAfter(Duration.ofMinutes(30));
		this.clock.advance(Duration.ofMinutes(30));
		assertThat(this.mvc.get().uri("/api/search?q=cup")).isNotRateLimited();
	}

}
