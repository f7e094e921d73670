package io.tierlimit.rule;

import java.util.List;

import io.tierlimit.MissingKeyPolicy;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests the parts of keys.
 */
class ScopeTests {

	@Test
	void partsHaveTheOrderOfStoredKeys() {
		Scope scope = new Scope(List.of("user", "plan", "tenant", "endpoint"), "header('X')", MissingKeyPolicy.IP);
		assertThat(scope.keyParts()).containsExactly("endpoint", "tenant", "user", "key");
		assertThat(scope).hasToString("endpoint+plan+tenant+user+key");
	}

	@Test
	void scopeMustNotHaveTheNameOfTheExpression() {
		assertThatIllegalArgumentException().isThrownBy(() -> Scope.of("user", Scope.KEY))
			.withMessage("scope must not name 'key', which is the name of the key expression (was [user, key])");
	}

}
