package io.tierlimit.key;

import java.util.List;

import io.tierlimit.spi.PlanResolver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CompositePlanResolverTests {

	private static final PlanResolver UNREACHED = (caller) -> {
		throw new AssertionError();
	};

	@Test
	void firstResolverWithAPlanDecides() {
		assertThat(resolve("free", (caller) -> null, (caller) -> "pro", UNREACHED)).isEqualTo("pro");
	}

	@Test
	void callerWithoutAPlanHasTheDefaultPlan() {
		assertThat(resolve("free", (caller) -> null)).isEqualTo("free");
		assertThat(resolve(null, (caller) -> null)).isNull();
	}

	@Test
	void blankTextIsNotAPlan() {
		assertThat(resolve("free", (caller) -> "", (caller) -> " ", (caller) -> "pro")).isEqualTo("pro");
		assertThat(resolve("free", (caller) -> "")).isEqualTo("free");
	}

	private static @Nullable String resolve(@Nullable String defaultPlan, PlanResolver... resolvers) {
		return new CompositePlanResolver(List.of(resolvers), defaultPlan).resolve(SimpleCaller.ANONYMOUS);
	}

}
