package io.tierlimit.key;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AuthorityPlanResolverTests {

	@Test
	void planFollowsThePrefix() {
		AuthorityPlanResolver resolver = new AuthorityPlanResolver("TARIFF:");
		assertThat(resolver.resolve(SimpleCaller.at("::1").with("ROLE_USER", "TARIFF:pro"))).isEqualTo("pro");
		assertThat(resolver.resolve(SimpleCaller.at("::1").with("ROLE_USER"))).isNull();
	}

	@Test
	void orderOfAuthoritiesDoesNotSelectThePlan() {
		AuthorityPlanResolver resolver = new AuthorityPlanResolver("PLAN_");
		assertThat(resolver.resolve(SimpleCaller.at("::1").with("PLAN_b", "PLAN_a"))).isEqualTo("a");
		assertThat(resolver.resolve(SimpleCaller.at("::1").with("PLAN_a", "PLAN_b"))).isEqualTo("a");
	}

	@Test
	void authorityWithoutTheNameOfAPlanHidesNoOther() {
		AuthorityPlanResolver resolver = new AuthorityPlanResolver("PLAN_");
		assertThat(resolver.resolve(SimpleCaller.at("::1").with("PLAN_", "PLAN_ ", "PLAN_pro"))).isEqualTo("pro");
		assertThat(resolver.resolve(SimpleCaller.at("::1").with("PLAN_"))).isNull();
	}

}
