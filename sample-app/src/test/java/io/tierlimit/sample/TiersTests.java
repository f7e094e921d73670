package io.tierlimit.sample;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * Tests that an order is checked against rules of all scopes in a single step.
 */
@ShopTest
@Tag("slow")
class TiersTests {

	/** The buckets of an order by Fred, by rule. */
	private static final Map<String, String> BUCKETS = Map.of("shop", "", "per-address", Shop.HERE, "per-user",
			"fred|(none)", "per-plan", "(none)", "order-desk", "POST /api/orders", "orders-per-user",
			"POST /api/orders|fred");

	private final Shop shop;

	TiersTests(Shop shop) {
		this.shop = shop;
	}

	@Test
	void orderConsumesAPermitInEveryTier() {
		assertThat(this.shop.order("fred").status()).isEqualTo(201);
		assertThat(left()).containsOnly(entry("shop", 1999L), entry("per-address", 119L), entry("per-user", 19L),
				entry("per-plan", 59L), entry("order-desk", 39L), entry("orders-per-user", 5L));
	}

	@Test
	void burstEndsInRejectionsThatConsumeNothingInAnyTier() {
		for (int i = 0; i < 6; i++) {
			assertThat(this.shop.order("fred").status()).isEqualTo(201);
		}
		Map<String, Long> before = left();
		assertThat(before).containsOnly(entry("shop", 1994L), entry("per-address", 114L), entry("per-user", 14L),
				entry("per-plan", 54L), entry("order-desk", 34L), entry("orders-per-user", 0L));
		for (int i = 0; i < 30; i++) {
			assertThat(this.shop.order("fred")).isRateLimited().violates("orders-per-user");
		}
		assertThat(left()).isEqualTo(before);
	}

	@Test
	void everyTierCanRejectAndConsumesNothingInTheOthers() {
		BUCKETS.forEach((rule, key) -> {
			this.shop.nextDay();
			this.shop.consume(rule, key, this.shop.left(rule, key));
			Map<String, Long> before = left();
			assertThat(this.shop.order("fred")).as(rule).isRateLimited();
			assertThat(left()).as(rule).isEqualTo(before);
		});
	}

	@Test
	void rejectionNamesAllViolatedRulesAndTheLongestWait() {
		this.shop.consume("per-user", "fred|(none)", 20);
		this.shop.consume("orders-per-user", "POST /api/orders|fred", 6);
		Reply rejected = this.shop.order("fred");
		assertThat(rejected).isRateLimited().violates("per-user", "orders-per-user").retryAfter(Duration.ofMinutes(72));
		assertThat(rejected.body()).contains("\"violated-policies\":[\"per-user\",\"orders-per-user\"]");
		assertThat(rejected.field("RateLimit")).isEqualTo("\"per-user\";r=0;t=4320, \"orders-per-user\";r=0;t=600");
	}

	@Test
	void rejectionBeforeAuthenticationShowsOnlyItsRules() {
		this.shop.consume("per-user", "fred|(none)", 20);
		this.shop.consume("per-address", Shop.HERE, 120);
		assertThat(this.shop.order("fred")).isRateLimited().violates("per-address").retryAfter(Duration.ofMinutes(12));
	}

	@Test
	void clientThatWaitsForRetryAfterIsAllowedAndNotBefore() {
		this.shop.consume("per-user", "fred|(none)", 20);
		this.shop.consume("orders-per-user", "POST /api/orders|fred", 6);
		long seconds = this.shop.order("fred").retryAfter();
		this.shop.advance(Duration.ofSeconds(seconds).minusNanos(1000));
		assertThat(this.shop.order("fred")).isRateLimited().retryAfter(Duration.ofSeconds(1));
		this.shop.advance(Duration.ofNanos(1000));
		assertThat(this.shop.order("fred").status()).isEqualTo(201);
		assertThat(this.shop.order("fred")).isRateLimited();
	}

	@Test
	void clientThatAlwaysWaitsForRetryAfterIsNeverRejectedTwice() {
		for (int rejections = 0; rejections < 20;) {
			Reply reply = this.shop.get("/api/search?q=cup");
			if (reply.status() == 429) {
				rejections++;
				this.shop.advance(Duration.ofSeconds(reply.retryAfter()));
				assertThat(this.shop.get("/api/search?q=cup").status()).isEqualTo(200);
			}
		}
	}

	private Map<String, Long> left() {
		Map<String, Long> left = new LinkedHashMap<>();
		BUCKETS.forEach((rule, key) -> left.put(rule, this.shop.left(rule, key)));
		return left;
	}

}
