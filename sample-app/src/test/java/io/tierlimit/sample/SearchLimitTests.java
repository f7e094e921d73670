package io.tierlimit.sample;

import java.time.Duration;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Bean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The test that docs/testing.md shows.
 */
@SpringBootTest
@AutoConfigureMockMvc
class SearchLimitTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private SimulatedTicker clock;

	@BeforeEach
	void fillAllBuckets() {
		this.clock.advance(Duration.ofDays(1));
	}

	@Test
	void searchIsLimited() {
		for (int i = 0; i < 5; i++) {
			assertThat(this.mvc.get().uri("/api/search?q=cup")).hasStatus(200);
		}
		assertThat(this.mvc.get().uri("/api/search?q=cup")).hasStatus(429).hasHeader("Retry-After", "720");
		this.clock.advance(Duration.ofMinutes(12));
		assertThat(this.mvc.get().uri("/api/search?q=cup")).hasStatus(200);
	}

	@TestConfiguration
	static class Clock {

		@Bean
		SimulatedTicker ticker() {
			return new SimulatedTicker();
		}

	}

}
