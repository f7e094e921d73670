package io.tierlimit.sample;

import java.util.List;

import io.tierlimit.HeaderVisibility;
import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.Scope;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.test.context.ActiveProfiles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

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

	@Test
	void profileChangesOnlyTheRatesOfARule() {
		Rule perUser = this.shop.rule("per-user");
		assertThat(perUser.scope()).isEqualTo(new Scope(List.of("user"), null, MissingKeyPolicy.SKIP));
		assertThat(perUser.selection().paths()).containsExactly("/api/**");
		assertThat(perUser.limits().standard()).isEqualTo(limit("5/s"));
		assertThat(perUser.limits().plans()).containsOnly(entry("pro", new PlanLimit(limit("50/s"))),
				entry("enterprise", PlanLimit.UNLIMITED));
		Rule orders = this.shop.rule("orders-per-user");
		assertThat(orders.cost()).isEqualTo("param('express') != null ? 3 : 1");
		assertThat(orders.limits()).isEqualTo(new RuleLimits(limit("10/m")));
		assertThat(this.shop.rule("bulk-reading").isShadow()).isTrue();
	}

	@Test
	void rulesThatTheProfileDoesNotNameAreUnchanged() {
		assertThat(this.shop.rule("login-failures-per-account").limits()).isEqualTo(new RuleLimits(limit("5/h")));
		assertThat(this.shop.rule("shop").options().visibility()).isEqualTo(HeaderVisibility.HIDDEN);
		assertThat(this.shop.rule("shop").limits())
			.isEqualTo(new RuleLimits(new TokenBucket(Rate.parse("1000/s"), 2000)));
	}

	private static TokenBucket limit(String rate) {
		return new TokenBucket(Rate.parse(rate));
	}

}
