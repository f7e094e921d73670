package io.tierlimit.slice;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

@WebMvcTest(properties = { "tierlimit.enabled=false", "tierlimit.rules.all.rate=1/d" })
class SwitchedOffSliceTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private RateLimiter limiter;

	@Test
	void sliceHasALimiterThatAllowsEverything() {
		assertThat(this.limiter.tryAcquire(PermitRequest.of("all").cost(2)).allowed()).isTrue();
	}

	@Test
	void sliceWithoutLimits() {
		for (int i = 0; i < 3; i++) {
			assertThat(this.mvc.get().uri("/greeting")).hasStatus(200).doesNotContainHeader("RateLimit-Limit");
		}
	}

}
