package io.tierlimit.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.outcome.OutcomeCondition;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import jakarta.servlet.FilterChain;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a request has one rule set from its beginning to its end.
 */
class ReplacedRulesTests {

	private static final int REQUESTS = 1_000;

	/** Enough requests to use both rule sets on any machine. */
	private static final int MAX_REQUESTS = 1_000_000;

	private final TestEvaluator evaluator = TestEvaluators.of(TestEvaluators.memory(100), ruleSet(3_000));

	private final RequestRateLimiter limiter = TestLimiters.of(this.evaluator);

	/** Two rules before and one after authentication, all with the same limit. */
	private static Rule[] ruleSet(long permits) {
		return new Rule[] { TestRules.rule("first", permits), TestRules.rule("second", permits),
				TestRules.rule("third", permits).scope(Scope.of(Scope.USER)) };
	}

	@Test
	void stageAfterAReplacementHasTheRulesOfTheStageBeforeIt() throws Exception {
		MockHttpServletResponse response = filter((request, next) -> {
		}, () -> this.evaluator.replace(ruleSet(5)));
		assertThat(quotas(response)).containsExactly("3000", "3000", "3000");
		assertThat(quotas(filter((request, next) -> {
		}, () -> {
		}))).containsExactly("5", "5", "5");
	}

	@Test
	void noRequestIsDecidedByAMixtureOfRuleSets() throws Exception {
		Set<List<String>> seen = ConcurrentHashMap.newKeySet();
		AtomicBoolean done = new AtomicBoolean();
		ExecutorService threads = Executors.newFixedThreadPool(3);
		try {
			Future<?> replacing = threads.submit(() -> {
				for (long permits = 3_000; !done.get(); permits = 6_500 - permits) {
					this.evaluator.replace(ruleSet(permits));
				}
			});
			List<Future<?>> requests = new ArrayList<>();
			for (int thread = 0; thread < 2; thread++) {
				requests.add(threads.submit(() -> {
					for (int i = 0; i < REQUESTS || (seen.size() < 2 && i < MAX_REQUESTS); i++) {
						seen.add(quotas(filter((request, response) -> {
						}, () -> {
						})));
					}
					return null;
				}));
			}
			for (Future<?> request : requests) {
				request.get();
			}
			done.set(true);
			replacing.get();
		}
		finally {
			done.set(true);
			threads.shutdown();
		}
		assertThat(seen).containsExactlyInAnyOrder(List.of("3000", "3000", "3000"), List.of("3500", "3500", "3500"));
	}

	@Test
	void requestSettlesItsChargeUnderTheRuleThatMadeIt() throws Exception {
		Rule failures = TestRules.rule("failures", 10)
			.options((options) -> options.with(new ChargePolicy(List.of(OutcomeCondition.parse("401")), List.of())));
		this.evaluator.replace(failures);
		filter((request, response) -> {
			assertThat(this.evaluator.remaining("failures")).isEqualTo(9);
			this.evaluator.replace(ruleSet(5));
		}, () -> {
		});
		this.evaluator.replace(failures);
		assertThat(this.evaluator.remaining("failures")).as("refunded").isEqualTo(10);
	}

	@Test
	void changedLimitAppliesToStoredBuckets() throws Exception {
		this.evaluator.replace(TestRules.rule("first", 10));
		for (int i = 0; i < 4; i++) {
			filter((request, response) -> {
			}, () -> {
			});
		}
		this.evaluator.replace(TestRules.rule("first", 6));
		assertThat(this.evaluator.remaining("first")).isEqualTo(2);
		this.evaluator.replace(TestRules.rule("first", 3));
		assertThat(this.evaluator.remaining("first")).isZero();
	}

	private MockHttpServletResponse filter(FilterChain handler, Runnable authentication) throws Exception {
		return TestLimiters.serve(this.limiter, handler, authentication);
	}

	private static List<String> quotas(MockHttpServletResponse response) {
		List<String> quotas = new ArrayList<>();
		for (String policy : Objects.requireNonNull(response.getHeader("RateLimit-Policy")).split(", ", -1)) {
			quotas.add(policy.replaceAll(".*;q=(\\d+).*", "$1"));
		}
		return quotas;
	}

}
