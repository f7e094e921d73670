package io.tierlimit.rule;

import java.util.List;
import java.util.Map;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RuleTests {

	private static final Limit LIMIT = new TokenBucket(Rate.parse("1/s"));

	@ParameterizedTest
	@ValueSource(strings = { "", "a\"b", "a b", "ä", "-a", ".a", "a;q=1", "a\nb", "a#", "#2", "a#b", "a#2#3" })
	void idThatIsNotValidInAHeaderIsRejected(String id) {
		assertThatIllegalArgumentException().isThrownBy(() -> TestRules.rule(id, LIMIT))
			.withMessageContaining("'" + id + "'");
	}

	@ParameterizedTest
	@ValueSource(strings = { "a", "per-user", "Orders.create", "Orders.create#2", "_x", "9", "a.b-c_d" })
	void ordinaryIdsAreAccepted(String id) {
		assertThat(TestRules.rule(id, LIMIT).id()).isEqualTo(id);
	}

	@Test
	void orderOfTheNamesOfAScopeDoesNotMatter() {
		assertThat(Scope.of("user", "endpoint")).isEqualTo(Scope.of("endpoint", "user")).hasToString("endpoint+user");
		assertThat(Scope.of("global")).isEqualTo(Scope.of()).hasToString("global");
	}

	@Test
	void scopeRejectsDuplicatesAndGlobalWithOthers() {
		assertThatIllegalArgumentException().isThrownBy(() -> Scope.of("ip", "ip")).withMessageContaining("[ip, ip]");
		assertThatIllegalArgumentException().isThrownBy(() -> Scope.of("global", "ip"))
			.withMessageContaining("cannot be combined");
	}

	@Test
	void planThatIsNotListedHasTheStandardLimit() {
		Limit pro = new TokenBucket(Rate.parse("9/s"));
		RuleLimits limits = new RuleLimits(LIMIT, Map.of("pro", new PlanLimit(pro), "enterprise", PlanLimit.UNLIMITED));
		assertThat(limits.of("pro")).isSameAs(pro);
		assertThat(limits.of("enterprise")).isNull();
		assertThat(limits.of("gold")).isSameAs(LIMIT);
		assertThat(limits.of(null)).isSameAs(LIMIT);
	}

	@Test
	void ruleSetRejectsTwoRulesWithTheSameName() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RuleSet(List.of(TestRules.rule("a", LIMIT), TestRules.rule("a", LIMIT))))
			.withMessageContaining("'a'");
	}

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
