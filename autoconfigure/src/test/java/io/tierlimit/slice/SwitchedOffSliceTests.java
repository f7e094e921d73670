package io.tierlimit.slice;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

@WebMvcTest(properties = { "tierlimit.enabled=false", "tierlimit.rules.all.rate=1/d" })
class SwitchedOffSliceTests {

	@Autowired
	private MockMvcTester mvc;

	@Test
	void sliceWithoutLimits() {
		for (int i = 0; i < 3; i++) {
			assertThat(this.mvc.get().uri("/greeting")).hasStatus(200).doesNotContainHeader("RateLimit-Limit");
		}
	}

}
