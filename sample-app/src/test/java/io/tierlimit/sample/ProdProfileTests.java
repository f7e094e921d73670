package io.tierlimit.sample;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.test.context.ActiveProfiles;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@code application-prod.yml} changes only single values.
 */
@ShopTest
@ActiveProfiles("prod")
@Tag("slow")
class ProdProfileTests {

	private final Shop shop;

	ProdProfileTests(Shop shop) {
		this.shop = shop;
	}

	@Test
	void headersShowTheChangedLimits() {
		Reply reply = this.shop.getAs("paula", "/api/search?q=cup");
		assertThat(reply.field("RateLimit-Policy"))
			.isEqualTo("\"per-address\";q=100;w=5, \"search\";q=50;w=1, \"per-user\";q=50;w=1");
	}

}
