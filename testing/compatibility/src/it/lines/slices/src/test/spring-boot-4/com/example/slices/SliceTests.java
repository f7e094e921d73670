package com.example.slices;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

@WebMvcTest
class SliceTests {

	@Autowired
	private MockMvcTester mvc;

	@Test
	void sliceHasTheFilterAndTheKeyResolver() {
		assertThat(this.mvc.get().uri("/rooms").header("X-Tenant", "a")).hasStatus(200)
			.hasHeader("RateLimit-Remaining", "0");
		assertThat(this.mvc.get().uri("/rooms").header("X-Tenant", "a")).hasStatus(429);
		assertThat(this.mvc.get().uri("/rooms").header("X-Tenant", "b")).hasStatus(200);
	}

}
