package io.tierlimit.key;

import io.tierlimit.spi.Caller;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AuthorityPlanResolverTests {

	@Test
	void planFollowsThePrefix() {
		AuthorityPlanResolver resolver = new AuthorityPlanResolver("TARIFF:", null);
		assertThat(resolver.resolve(SimpleCaller.at("::1").with("ROLE_USER", "TARIFF:pro"))).isEqualTo("pro");
	}

	@Test
	void callerWithoutSuchAnAuthorityHasTheDefaultPlan() {
		Caller caller = SimpleCaller.at("::1").with("ROLE_USER");
		assertThat(new AuthorityPlanResolver("PLAN_", "free").resolve(caller)).isEqualTo("free");
		assertThat(new AuthorityPlanResolver("PLAN_", null).resolve(caller)).isNull();
	}

	@Test
	void orderOfAuthoritiesDoesNotSelectThePlan() {
		AuthorityPlanResolver resolver = new AuthorityPlanResolver("PLAN_", null);
		assertThat(resolver.resolve(SimpleCaller.at("::1").with("PLAN_b", "PLAN_a"))).isEqualTo("a");
		assertThat(resolver.resolve(SimpleCaller.at("::1").with("PLAN_a", "PLAN_b"))).isEqualTo("a");
	}

}
