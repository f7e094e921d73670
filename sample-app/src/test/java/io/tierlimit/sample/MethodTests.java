package io.tierlimit.sample;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests limits of methods and of code.
 */
@ShopTest
@Tag("slow")
class MethodTests {

	private final Shop shop;

	MethodTests(Shop shop) {
		this.shop = shop;
	}

	@Test
	void reviewsAreLimitedByProduct() {
		assertThat(this.shop.post("/api/products/1/reviews", "1").status()).isEqualTo(201);
		assertThat(this.shop.post("/api/products/1/reviews", "2").status()).isEqualTo(201);
		assertThat(this.shop.post("/api/products/1/reviews", "3")).isRateLimited().violates("reviews");
		assertThat(this.shop.left("per-address", Shop.HERE)).as("its body was read").isEqualTo(117);
		assertThat(this.shop.post("/api/products/2/reviews", "1").status()).isEqualTo(201);
	}

	@Test
	void callsOfTheCourierAreLimited() {
		String order = this.shop.order("fred").fields().firstValue("Location").orElseThrow();
		for (int i = 0; i < 3; i++) {
			assertThat(this.shop.getAs("fred", order + "/parcel").body()).endsWith("is on its way.");
		}
		assertThat(this.shop.getAs("fred", order + "/parcel")).isRateLimited();
		assertThat(this.shop.left("courier", "")).isZero();
	}

}
