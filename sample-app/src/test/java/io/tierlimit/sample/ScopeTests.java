package io.tierlimit.sample;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.tierlimit.PermitRequest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * Tests every scope of {@code application.yml}.
 */
@ShopTest
@Tag("slow")
class ScopeTests {

	private final Shop shop;

	ScopeTests(Shop shop) {
		this.shop = shop;
	}

	@Test
	void globalRuleLimitsAllCallersAndIsHidden() {
		this.shop.consume("shop", "", 1999);
		Reply last = this.shop.get("/");
		assertThat(last.status()).isEqualTo(200);
		assertThat(last.fields().map()).doesNotContainKeys("ratelimit", "ratelimit-policy", "ratelimit-limit");
		Reply rejected = this.shop.getAs("emma", "/api/products");
		assertThat(rejected).isRateLimited().violates().retryAfter(Duration.ofSeconds(1));
		assertThat(rejected.body()).contains("\"violated-policies\":[]");
		assertThat(rejected.field("RateLimit-Policy")).isEqualTo("\"per-address\";q=120;w=86400");
	}

	@Test
	void allCallersAtAnAddressShareItsBucket() {
		this.shop.consume("per-address", Shop.HERE, 117);
		assertThat(this.shop.get("/api/products").status()).isEqualTo(200);
		assertThat(this.shop.getAs("fred", "/api/products").status()).isEqualTo(200);
		assertThat(this.shop.getAs("emma", "/api/products").status()).isEqualTo(200);
		assertViolates(this.shop.get("/api/products"), "per-address");
		assertThat(this.shop.left("per-address", "127.0.0.2")).isEqualTo(120);
		assertThat(this.shop.get("/index.html").status()).isEqualTo(200);
	}

	@Test
	void userHasTheLimitOfThePlan() {
		assertThat(this.shop.getAs("fred", "/api/products").field("RateLimit-Policy"))
			.isEqualTo("\"per-address\";q=120;w=86400, \"per-user\";q=20;w=86400");
		assertThat(this.shop.getAs("paula", "/api/products").field("RateLimit-Policy"))
			.isEqualTo("\"per-address\";q=120;w=86400, \"per-user\";q=100;w=86400");
		assertThat(this.shop.getAs("emma", "/api/products").field("RateLimit-Policy"))
			.isEqualTo("\"per-address\";q=120;w=86400");
	}

	@Test
	void userConsumesNoPermitsOfOtherUsers() {
		assertThat(times(20, () -> this.shop.getAs("fred", "/api/products"))).containsOnly(200);
		assertViolates(this.shop.getAs("fred", "/api/products"), "per-user");
		assertThat(this.shop.getAs("flora", "/api/products").remaining()).contains(entry("per-user", 19L));
		assertThat(this.shop.getAs("paula", "/api/products").remaining()).contains(entry("per-user", 99L));
		assertThat(this.shop.getAs("emma", "/api/products").status()).isEqualTo(200);
		assertThat(this.shop.get("/api/products").remaining()).doesNotContainKey("per-user");
	}

	@Test
	void customersOfPlanShareItsBucket() {
		assertThat(this.shop.order("fred").remaining()).contains(entry("per-plan", 59L));
		assertThat(this.shop.order("flora").remaining()).contains(entry("per-plan", 58L));
		assertThat(this.shop.order("paula").remaining()).contains(entry("per-plan", 89L));
		assertThat(this.shop.order("emma").remaining()).doesNotContainKey("per-plan");
	}

	@Test
	void endpointHasOneBucketForAll() {
		assertThat(times(3, () -> this.shop.get("/api/search?q=cup"))).containsOnly(200);
		assertThat(times(2, () -> this.shop.getAs("emma", "/api/search?q=pot"))).containsOnly(200);
		assertViolates(this.shop.get("/api/search?q=jug"), "search");
		assertThat(this.shop.get("/api/products").status()).isEqualTo(200);
	}

	@Test
	void everyUserHasBucketForOrdering() {
		assertThat(times(6, () -> this.shop.order("fred"))).containsOnly(201);
		assertViolates(this.shop.order("fred"), "orders-per-user");
		assertThat(this.shop.order("flora").remaining()).contains(entry("orders-per-user", 5L));
		assertThat(this.shop.getAs("fred", "/api/products").status()).isEqualTo(200);
	}

	@Test
	void expressOrderCostsThree() {
		assertThat(this.shop.orderAt("fred", "/api/orders?express").remaining()).contains(entry("orders-per-user", 3L),
				entry("order-desk", 39L));
		assertThat(this.shop.orderAt("fred", "/api/orders?express=no").remaining())
			.contains(entry("orders-per-user", 0L));
		assertViolates(this.shop.order("fred"), "orders-per-user");
	}

	@Test
	void partnerHasBucketOfItsKeyAndAnInventedKeyHasNone() {
		Reply acme = this.shop.get("/api/products", "X-Partner-Key", "k-3141");
		assertThat(acme.remaining()).containsOnly(entry("per-address", 119L), entry("per-partner", 29L));
		Reply globex = this.shop.get("/api/products", "X-Partner-Key", "k-2718");
		assertThat(globex.remaining()).contains(entry("per-partner", 29L));
		Reply invented = this.shop.get("/api/products", "X-Partner-Key", "k-0000");
		assertThat(invented.remaining()).containsOnlyKeys("per-address");
		this.shop.consume(PermitRequest.of("per-partner").part("partner", "acme").cost(29));
		assertViolates(this.shop.get("/api/products", "X-Partner-Key", "k-3141"), "per-partner");
	}

	@Test
	void exportIsDeniedToAnonymousCallersWithoutACharge() {
		Reply denied = this.shop.get("/api/products/export");
		assertThat(denied.status()).isEqualTo(403);
		assertThat(denied.field("Content-Type")).isEqualTo("application/problem+json");
		assertThat(this.shop.left("per-address", Shop.HERE)).isEqualTo(120);
		assertThat(times(2, () -> this.shop.getAs("fred", "/api/products/export"))).containsOnly(200);
		assertViolates(this.shop.getAs("fred", "/api/products/export"), "export");
		assertThat(this.shop.getAs("emma", "/api/products/export").status()).isEqualTo(200);
	}

	@Test
	void shadowRuleCountsAndRejectsNothing() {
		assertThat(times(12, () -> this.shop.get("/api/products/1"))).containsOnly(200);
		assertThat(this.shop.left("bulk-reading", Shop.HERE)).isZero();
		assertThat(this.shop.get("/api/products/1").remaining()).containsOnly(entry("per-address", 107L));
	}

	private static List<Integer> times(int count, Supplier<Reply> request) {
		return Stream.generate(request).limit(count).map(Reply::status).toList();
	}

	private static void assertViolates(Reply reply, String rule) {
		assertThat(reply).isRateLimited().violates(rule).hasRemaining(rule, 0);
		assertThat(reply.body()).contains("\"retry-after\":" + reply.retryAfter());
	}

}
