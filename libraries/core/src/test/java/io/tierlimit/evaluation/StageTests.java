package io.tierlimit.evaluation;

import java.util.List;
import java.util.Map;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.KeyResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class StageTests {

	private static final TokenBucket LIMIT = new TokenBucket(Rate.parse("1/s"), 1);

	private static final Map<String, KeyResolver> RESOLVERS = Map.of("tenant", (caller) -> caller.user(), "device",
			KeyResolver.beforeAuthentication((caller) -> caller.header("X-Device")));

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			                  |                  |                          | 1                    | before
			ip                | header('X')      | method == 'GET'          | param('n')           | before
			ip,endpoint       | path             | pattern != null          | 2                    | before
			device            |                  |                          | 1                    | before
			user              |                  |                          | 1                    | after
			endpoint,user     |                  |                          | 1                    | after
			plan              |                  |                          | 1                    | after
			tenant            |                  |                          | 1                    | after
			device,tenant     |                  |                          | 1                    | after
			ip                | user             |                          | 1                    | after
			ip                | claim('sub')     |                          | 1                    | after
			ip                | requestAttribute('x') |                     | 1                    | after
			ip                |                  | sessionAttribute('x') == null | 1               | after
			ip                |                  |                          | requestAttribute('n') ?: 1 | after
			ip                |                  | authorities.contains('A')| 1                    | after
			ip                |                  |                          | plan == 'pro' ? 1 : 2| after
			""")
	void ruleIsEvaluatedAtTheFirstStageThatHasItsFacts(String scope, String key, String condition, String cost,
			String stage) {
		List<String> names = (scope != null) ? List.of(scope.split(",", -1)) : List.of();
		assertDecided(stage,
				TestRules.rule("r", LIMIT)
					.options(TestRules.where(condition))
					.scope(new Scope(names, key, MissingKeyPolicy.IP))
					.cost(cost));
	}

	@Test
	void ruleThatListsPlansIsEvaluatedAfterAuthentication() {
		assertDecided("after",
				TestRules.rule("r", new RuleLimits(LIMIT, Map.of("pro", new PlanLimit(LIMIT)))).scope(Scope.of("ip")));
	}

	private static void assertDecided(String stage, Rule rule) {
		TestEvaluator evaluator = TestEvaluator.of(List.of(rule), RESOLVERS, TestEvaluators.PLAIN_KEYS,
				TestEvaluators.memory(1));
		CompiledRule compiled = evaluator.rule("r");
		assertThat(Stage.BEFORE_AUTHENTICATION.decides(compiled)).isEqualTo(stage.equals("before"));
		assertThat(Stage.AFTER_AUTHENTICATION.decides(compiled)).isEqualTo(stage.equals("after"));
		assertThat(Stage.ALL.decides(compiled)).isTrue();
	}

}
