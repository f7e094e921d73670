package io.tierlimit.sample;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the endpoints of the shop for customers, and limits of methods and of code.
 */
@ShopTest
@Tag("slow")
class ShopTests {

	private final Shop shop;

	ShopTests(Shop shop) {
		this.shop = shop;
	}

	@Test
	void productsAreListedAndFound() {
		assertThat(this.shop.get("/api/products").body()).contains("Espresso cup", "Tea cup");
		assertThat(this.shop.get("/api/products/1").body())
			.isEqualTo("{\"id\":1,\"name\":\"Espresso cup\",\"price\":9.50}");
		assertThat(this.shop.get("/api/products/99").status()).isEqualTo(404);
		assertThat(this.shop.get("/api/search?q=CUP").body()).contains("Espresso cup", "Tea cup")
			.doesNotContain("Saucer");
	}

	@Test
	void orderIsForTheCustomerWhoPlacedIt() {
		Reply placed = this.shop.order("fred");
		assertThat(placed.status()).isEqualTo(201);
		assertThat(placed.body()).contains("\"customer\":\"fred\"", "\"price\":19.00");
		String order = placed.fields().firstValue("Location").orElseThrow();
		assertThat(this.shop.getAs("fred", order).body()).isEqualTo(placed.body());
		assertThat(this.shop.getAs("flora", order).status()).isEqualTo(404);
		assertThat(this.shop.get(order).status()).isEqualTo(401);
	}

	@Test
	void orderOfNothingIsRejected() {
		assertThat(this.shop.post("/api/orders", "{}").status()).isEqualTo(401);
		assertThat(this.shop.orderOf("fred", "{\"product\":1,\"quantity\":0}").status()).isEqualTo(400);
		assertThat(this.shop.orderOf("fred", "{\"product\":99,\"quantity\":1}").status()).isEqualTo(400);
	}

	@Test
	void loginChecksThePassword() {
		assertThat(this.shop.login("fred", "secret").status()).isEqualTo(204);
		assertThat(this.shop.login("fred", "wrong").status()).isEqualTo(401);
		assertThat(this.shop.login("unknown", "secret").status()).isEqualTo(401);
		assertThat(this.shop.post("/api/login", "{}").status()).isEqualTo(403);
	}

	@Test
	void pageListsTheEndpoints() {
		assertThat(this.shop.get("/").body()).contains("<h1>Shop</h1>");
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
