package io.tierlimit.key;

import java.util.List;

import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.spi.PlanResolver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
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
	void blankStringIsNotAPlan() {
		assertThat(resolve("free", (caller) -> "", (caller) -> " ", (caller) -> "pro")).isEqualTo("pro");
		assertThat(resolve("free", (caller) -> "")).isEqualTo("free");
	}

	@Test
	void failingResolverIsSkippedAndLoggedOnce(CapturedOutput output) {
		PlanResolver failing = (caller) -> {
			throw new IllegalStateException("session");
		};
		PlanResolver resolver = new CompositePlanResolver(List.of(failing, (caller) -> "pro"), "free");
		for (int i = 0; i < 3; i++) {
			assertThat(resolver.resolve(SimpleCaller.ANONYMOUS)).isEqualTo("pro");
		}
		assertThat(output).containsOnlyOnce("A source of plans failed, so the next source decides")
			.contains("IllegalStateException: session");
		assertThat(resolve("free", failing)).isEqualTo("free");
	}

	/**
	 * The request is invalid. Otherwise, a client could choose its plan by such a fact.
	 */
	@Test
	void factThatCannotBeReadIsNotSkipped() {
		InvalidRequestValueException invalid = new InvalidRequestValueException("body", null);
		assertThatExceptionOfType(InvalidRequestValueException.class).isThrownBy(() -> resolve("free", (caller) -> {
			throw new IllegalStateException(invalid);
		}, (caller) -> "pro")).isSameAs(invalid);
	}

	private static @Nullable String resolve(@Nullable String defaultPlan, PlanResolver... resolvers) {
		return new CompositePlanResolver(List.of(resolvers), defaultPlan).resolve(SimpleCaller.ANONYMOUS);
	}

}
