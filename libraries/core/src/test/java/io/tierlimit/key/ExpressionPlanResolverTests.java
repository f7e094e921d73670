package io.tierlimit.key;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@ExtendWith(OutputCaptureExtension.class)
class ExpressionPlanResolverTests {

	@Test
	void stringIsThePlan() {
		assertThat(resolve("pro")).isEqualTo("pro");
		assertThat(resolve(Optional.of("pro"))).isEqualTo("pro");
		assertThat(resolve(null)).isNull();
		assertThat(resolve("x".repeat(200_000))).hasSize(200_000);
	}

	@Test
	void valueIsReadByItsWholeName() {
		assertThat(ExpressionPlanResolver.parse("claim('https://example.com/plan')").resolve(new FactsCaller(Map.of()) {

			@Override
			public Object claim(String name) {
				return "the " + name;
			}

		})).isEqualTo("the https://example.com/plan");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			claim('plan')                                            | of-claim
			requestAttribute('plan')                                 | of-request
			sessionAttribute('plan')                                 | of-session
			requestAttribute('none') ?: sessionAttribute('plan')     | of-session
			claim('plan').substring(3)                               | claim
			'tier-' + claim('plan')                                  | tier-of-claim
			authorities.contains('ROLE_A') ? 'a' : claim('plan')     | a
			authorities                                              | ROLE_A
			user == 'alice' ? 'of-user' : null                       | of-user
			requestAttribute('none')                                 |
			""")
	void planIsTheValueOfTheExpression(String key, @Nullable String plan) {
		Caller caller = new FactsCaller(
				Map.of("claim", "of-claim", "request", "of-request", "session", "of-session", "user", "alice"));
		assertThat(ExpressionPlanResolver.parse(key).resolve(caller)).isEqualTo(plan);
	}

	@Test
	void firstOfAListInAlphabeticalOrderIsThePlan() {
		assertThat(resolve(List.of("pro", "free"))).isEqualTo("free");
		assertThat(resolve(Set.of("free", "pro"))).isEqualTo("free");
		assertThat(resolve(List.of())).isNull();
		assertThat(resolve(Arrays.asList(null, "", "pro", 7))).isEqualTo("pro");
	}

	@Test
	void valueThatIsNotAStringIsNotAPlanAndIsLoggedOnce(CapturedOutput output) {
		ExpressionPlanResolver resolver = ExpressionPlanResolver.parse("claim('plan')");
		for (int i = 0; i < 3; i++) {
			assertThat(resolver.resolve(caller(List.of(7, 8)))).isNull();
		}
		assertThat(output).containsOnlyOnce("A caller has no plan by tierlimit.plan.key 'claim('plan')' because the "
				+ "value is not a string (java.lang.Integer)");
	}

	@Test
	void callerForWhichTheExpressionFailsHasNoPlanWhichIsLoggedOnce(CapturedOutput output) {
		ExpressionPlanResolver resolver = ExpressionPlanResolver.parse("claim('plan').trim()");
		for (int i = 0; i < 3; i++) {
			assertThat(resolver.resolve(caller(null))).isNull();
		}
		assertThat(output).containsOnlyOnce("A caller has no plan by tierlimit.plan.key 'claim('plan').trim()' "
				+ "because it failed: 'trim()' is a member of null");
		assertThat(resolver.resolve(caller(" pro "))).isEqualTo("pro");
	}

	/**
	 * Otherwise, a client could choose its plan by a value that the expression cannot
	 * process.
	 */
	@Test
	void valueThatIsTooLongForTheExpressionIsNotSkipped() {
		ExpressionPlanResolver resolver = ExpressionPlanResolver.parse("'tier-' + claim('plan')");
		assertThatExceptionOfType(InvalidRequestValueException.class)
			.isThrownBy(() -> resolver.resolve(caller("x".repeat(100_000))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "header('X-Plan')", "param('plan')", "claim('plan') ?: header('X-Plan')", "path",
			"method == 'GET' ? 'a' : claim('plan')", "pattern", "ip", "plan", "'pro'" })
	void expressionMustNotReadWhatAClientSends(String key) {
		assertThatIllegalArgumentException().isThrownBy(() -> ExpressionPlanResolver.parse(key))
			.withMessageContaining("'" + key + "' must read claim('name'), requestAttribute('name'), ")
			.withMessageContaining("a client could choose its plan")
			.withMessageContaining("define a PlanResolver bean");
	}

	@ParameterizedTest
	@ValueSource(strings = { "claim('plan') == 'pro'", "user.length()", "user.length() + 1" })
	void valueThatCannotBeAStringIsReported(String key) {
		assertThatIllegalArgumentException().isThrownBy(() -> ExpressionPlanResolver.parse(key))
			.withMessageContaining("a plan must be a string, or a list of strings");
	}

	@ParameterizedTest
	@ValueSource(strings = { "claim('plan').replace('a', 'b')", "#plan" })
	void unsupportedPartIsReportedWithAnAlternative(String key) {
		assertThatIllegalArgumentException().isThrownBy(() -> ExpressionPlanResolver.parse(key))
			.withMessageEndingWith("define a PlanResolver bean");
	}

	private static @Nullable String resolve(@Nullable Object value) {
		return ExpressionPlanResolver.parse("claim('plan')").resolve(caller(value));
	}

	private static Caller caller(@Nullable Object claim) {
		Map<String, @Nullable Object> facts = new HashMap<>();
		facts.put("claim", claim);
		return new FactsCaller(facts);
	}

	/** A caller with values of the name {@code plan}. */
	private static class FactsCaller implements Caller {

		private final Map<String, @Nullable Object> facts;

		FactsCaller(Map<String, @Nullable Object> facts) {
			this.facts = facts;
		}

		@Override
		public @Nullable String user() {
			return (String) this.facts.get("user");
		}

		@Override
		public Collection<String> authorities() {
			return List.of("ROLE_A");
		}

		@Override
		public @Nullable Object claim(String name) {
			return named(name, "claim");
		}

		@Override
		public @Nullable Object requestAttribute(String name) {
			return named(name, "request");
		}

		@Override
		public @Nullable Object sessionAttribute(String name) {
			return named(name, "session");
		}

		private @Nullable Object named(String name, String fact) {
			return name.equals("plan") ? this.facts.get(fact) : null;
		}

	}

}
