package io.tierlimit.key;

import java.security.Principal;
import java.util.List;
import java.util.Map;

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

@ExtendWith(OutputCaptureExtension.class)
class IdentityResolverTests {

	private static final Map<String, Object> CLAIMS = Map.of("sub", "4711", "level", 3);

	@Test
	void userIsThePrincipalsName() {
		assertThat(caller(null, "alice").user()).isEqualTo("alice");
		assertThat(caller(null, "").user()).isEmpty();
		assertThat(caller(null, null).user()).isNull();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			claim('sub')                                | 4711
			claim('level')                              | 3
			user.toUpperCase()                          | ALICE
			user + '/' + claim('sub')                   | alice/4711
			authorities.contains('A') ? claim('sub') : user | 4711
			""")
	void userIsTheValueOfItsKey(String key, String user) {
		assertThat(caller(key, "alice").user()).isEqualTo(user);
	}

	@ParameterizedTest
	@ValueSource(strings = { "claim('missing')", "claim('sub').size()" })
	void userWithoutAKeyHasThePrincipalsNameAndIsLoggedOnce(String key, CapturedOutput output) {
		IdentityResolver identities = identities(key);
		for (int i = 0; i < 3; i++) {
			assertThat(new NamedCaller(identities, "alice").user()).isEqualTo("alice");
		}
		assertThat(output).containsOnlyOnce("A user has the principal's name because tierlimit.user.key");
	}

	@Test
	void claimsAreReadByExpressionsAfterAuthentication() {
		CallerExpression expression = CallerExpression.parse("claim('sub')", ExpressionUse.KEY, Map.of());
		assertThat(expression.evaluate(caller(null, "alice"))).isEqualTo("4711");
		assertThat(expression.evaluate(SimpleCaller.ANONYMOUS)).isNull();
		assertThat(expression.reads(ExpressionFact.IDENTITY)).isTrue();
		assertThat(expression.reads(ExpressionFact.SENSITIVE)).isTrue();
		assertThat(expression.reads(ExpressionFact.MINIMUM_COST)).isFalse();
	}

	@Test
	void planThatNeedsAnUnreadableFactIsNotMissing() {
		IdentityResolver identities = new IdentityResolver(null, (principal) -> List.of(), (principal, claim) -> null,
				(caller) -> {
					throw new IllegalStateException(new InvalidRequestValueException("malformed", null));
				});
		Caller caller = new NamedCaller(identities, "alice");
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(InvalidRequestValueException.class).isThrownBy(caller::plan);
		}
	}

	private static Caller caller(@Nullable String key, @Nullable String name) {
		return new NamedCaller(identities(key), name);
	}

	private static IdentityResolver identities(@Nullable String key) {
		return new IdentityResolver((key != null) ? CallerExpression.parse(key, ExpressionUse.KEY, Map.of()) : null,
				(principal) -> List.of("A"), (principal, claim) -> CLAIMS.get(claim), (caller) -> null);
	}

	private static final class NamedCaller extends PrincipalCaller {

		private final @Nullable String name;

		private NamedCaller(IdentityResolver identities, @Nullable String name) {
			super(identities);
			this.name = name;
		}

		@Override
		protected Principal principal() {
			return () -> this.name;
		}

	}

}
