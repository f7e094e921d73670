package io.tierlimit.key;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class AuthorityPlanResolverTests {

	/** The order of authorities does not select the plan. */
	@ParameterizedTest
	@CsvSource({ "TARIFF:, 'ROLE_USER,TARIFF:pro', pro", "TARIFF:, ROLE_USER, ", "PLAN_, 'PLAN_b,PLAN_a', a",
			"PLAN_, 'PLAN_a,PLAN_b', a", "PLAN_, 'PLAN_,PLAN_ ,PLAN_pro', pro", "PLAN_, PLAN_, " })
	void planFollowsThePrefix(String prefix, String authorities, @Nullable String plan) {
		assertThat(new AuthorityPlanResolver(prefix).resolve(SimpleCaller.at("::1").with(authorities.split(",", -1))))
			.isEqualTo(plan);
	}

}
