package com.example.slices;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.web.servlet.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

@WebMvcTest
@Import(TenantResolver.class)
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
