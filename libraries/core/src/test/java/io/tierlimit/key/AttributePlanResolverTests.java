package io.tierlimit.key;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class AttributePlanResolverTests {

	@Test
	void textIsThePlan() {
		assertThat(resolve("pro")).isEqualTo("pro");
		assertThat(resolve(null)).isNull();
	}

	@Test
	void valueIsReadByItsName() {
		assertThat(new AttributePlanResolver("tierlimit.plan.claim", "https://example.com/plan",
				(caller, name) -> "the " + name)
			.resolve(SimpleCaller.ANONYMOUS)).isEqualTo("the https://example.com/plan");
		assertThat(new AttributePlanResolver("tierlimit.plan.claim", null, (caller, name) -> {
			throw new AssertionError();
		}).resolve(SimpleCaller.ANONYMOUS)).as("no name").isNull();
	}

	@Test
	void firstOfAListInAlphabeticalOrderIsThePlan() {
		assertThat(resolve(List.of("pro", "free"))).isEqualTo("free");
		assertThat(resolve(Set.of("free", "pro"))).isEqualTo("free");
		assertThat(resolve(List.of())).isNull();
		assertThat(resolve(Arrays.asList(null, "", "pro", 7))).isEqualTo("pro");
	}

	@Test
	void valueThatIsNotATextIsNotAPlanAndIsLoggedOnce(CapturedOutput output) {
		AttributePlanResolver resolver = new AttributePlanResolver("tierlimit.plan.claim", "plan",
				(caller, name) -> List.of(7, 8));
		for (int i = 0; i < 3; i++) {
			assertThat(resolver.resolve(SimpleCaller.ANONYMOUS)).isNull();
		}
		assertThat(output).containsOnlyOnce("A caller has no plan by tierlimit.plan.claim 'plan' because the value is "
				+ "not a text (java.lang.Integer)");
	}

	private static @Nullable String resolve(@Nullable Object value) {
		return new AttributePlanResolver("tierlimit.plan.claim", "plan", (caller, name) -> value)
			.resolve(SimpleCaller.ANONYMOUS);
	}

}
