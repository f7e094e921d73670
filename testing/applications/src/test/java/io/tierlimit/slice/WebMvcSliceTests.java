package io.tierlimit.slice;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

@WebMvcTest(properties = { "tierlimit.rules.per-tenant.scope=tenant", "tierlimit.rules.per-tenant.rate=1/d" })
class WebMvcSliceTests {

	@Autowired
	private MockMvcTester mvc;

	@Test
	void sliceHasTheFilterAndTheKeyResolversOfTheApplication() {
		assertThat(this.mvc.get().uri("/greeting").header("X-Tenant", "a")).hasStatus(200)
			.hasHeader("RateLimit-Remaining", "0");
		assertThat(this.mvc.get().uri("/greeting").header("X-Tenant", "a")).hasStatus(429);
		assertThat(this.mvc.get().uri("/greeting").header("X-Tenant", "b")).hasStatus(200);
	}

}
