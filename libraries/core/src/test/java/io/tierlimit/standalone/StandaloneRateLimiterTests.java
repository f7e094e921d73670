package io.tierlimit.standalone;

import java.time.Duration;
import java.util.List;

import io.tierlimit.LimitDefinition;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleDefinition;
import io.tierlimit.rule.InvalidRulesException;
import io.tierlimit.store.SequentialBucketStore;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for {@link StandaloneRateLimiter}.
 */
class StandaloneRateLimiterTests {

	private final SimulatedTicker ticker = new SimulatedTicker();

	@Test
	void rulesAreDecidedTogether() {
		RateLimiter limiter = limiter(RuleDefinition.of("per-user").scope("user").rate(1, Duration.ofSeconds(1)),
				RuleDefinition.of("all").rate(3, Duration.ofHours(1)));
		PermitRequest all = PermitRequest.of("all");
		limiter.acquire(PermitRequest.of("per-user").user("a"), all);
		assertThatThrownBy(() -> limiter.acquire(PermitRequest.of("per-user").user("a"), all))
			.isInstanceOf(RateLimitExceededException.class);
		assertThat(limiter.tryAcquire(PermitRequest.of("per-user").user("b"), all).allowed()).isTrue();
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(limiter.tryAcquire(PermitRequest.of("per-user").user("a"), all).allowed()).isTrue();
		assertThat(limiter.tryAcquire(all).allowed()).isFalse();
	}

	@Test
	void callerHasTheLimitOfItsPlan() {
		RateLimiter limiter = limiter(RuleDefinition.of("searches")
			.scope("user")
			.rate(1, Duration.ofHours(1))
			.plan("pro", (plan) -> plan.rate(2, Duration.ofHours(1)))
			.plan("partner", LimitDefinition::unlimited));
		PermitRequest request = PermitRequest.of("searches").user("a");
		assertThat(limiter.tryAcquire(request.plan("pro").cost(2)).allowed()).isTrue();
		assertThat(limiter.tryAcquire(request.cost(2)).allowed()).isFalse();
		assertThat(limiter.tryAcquire(request.plan("partner").cost(9)).allowed()).isTrue();
	}

	@Test
	void ruleWithPlansRequiresARate() {
		assertThatThrownBy(() -> limiter(
				RuleDefinition.of("searches").scope("user").plan("pro", (plan) -> plan.rate(2, Duration.ofHours(1)))))
			.hasMessageContaining("Rule 'searches' has no rate. Set rate of rule 'searches' to permits per period");
	}

	@Test
	void algorithmThatTheStoreDoesNotSupportIsReported() {
		List<RuleDefinition> rules = List.of(RuleDefinition.of("exports").concurrency(2),
				RuleDefinition.of("calls")
					.rate(1, Duration.ofSeconds(1))
					.candidate((candidate) -> candidate.concurrency(2)));
		assertThat(StandaloneRateLimiter.of(new InMemoryBucketStore(this.ticker, 100), rules)).isNotNull();
		assertThatThrownBy(() -> StandaloneRateLimiter.of(new SequentialBucketStore(this.ticker), rules))
			.asInstanceOf(InstanceOfAssertFactories.type(InvalidRulesException.class))
			.extracting(InvalidRulesException::problems, InstanceOfAssertFactories.list(String.class))
			.containsExactly(
					"Rule 'exports': algorithm concurrency is not supported by the store 'SequentialBucketStore'. Set "
							+ "another algorithm in algorithm of rule 'exports', or use a store that supports it.",
					"Rule 'calls': candidate.algorithm concurrency is not supported by the store "
							+ "'SequentialBucketStore'. Set another algorithm in candidate.algorithm of rule 'calls', "
							+ "or use a store that supports it.");
	}

	@Test
	void ruleThatIsNotEnabledLimitsNothing() {
		RateLimiter limiter = limiter(RuleDefinition.of("a").rate(1, Duration.ofHours(1)).property("enabled", "false"));
		assertThat(limiter.tryAcquire(PermitRequest.of("a").cost(9)).allowed()).isTrue();
		assertThatThrownBy(() -> limiter.tryAcquire(PermitRequest.of("b")))
			.isInstanceOf(IllegalArgumentException.class);
	}

	@Test
	void allMistakesAreReportedTogether() {
		assertThatThrownBy(() -> limiter(RuleDefinition.of("fast").property("rate", "fast"),
				RuleDefinition.of("a-b").rate(1, Duration.ofHours(1)),
				RuleDefinition.of("aB").rate(1, Duration.ofHours(1)),
				RuleDefinition.of("typo").rate(1, Duration.ofHours(1)).property("bursts", "1")))
			.asInstanceOf(InstanceOfAssertFactories.type(InvalidRulesException.class))
			.extracting(InvalidRulesException::problems, InstanceOfAssertFactories.list(String.class))
			.satisfiesExactly((problem) -> assertThat(problem).startsWith("Rule 'fast': rate must be"),
					(problem) -> assertThat(problem)
						.isEqualTo("Rule 'aB': another rule has the same id. Set another id in rule 'aB'."),
					(problem) -> assertThat(problem)
						.isEqualTo("Rule 'typo': 'bursts' is not a property of rules without Spring Boot."
								+ " Correct or remove bursts of rule 'typo'."));
	}

	@ParameterizedTest
	@CsvSource({ "adaptive.min-rate,1/s", "charge-on,authentication-failure", "scope,tenant" })
	void propertyThatNeedsSpringBootIsNotValid(String name, String value) {
		assertThatThrownBy(() -> limiter(RuleDefinition.of("a").rate(1, Duration.ofHours(1)).property(name, value)))
			.isInstanceOf(InvalidRulesException.class)
			.hasMessageContaining(name.replaceFirst("\\..*", ""));
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void valueThatMayBeAMistakeIsLogged(CapturedOutput output) {
		limiter(RuleDefinition.of("a").rate(1, Duration.ofHours(1)).key("'x'"));
		assertThat(output).containsOnlyOnce("Rule 'a': key ''x'' is a constant, so all callers share one bucket");
	}

	@Test
	void optionsHaveTheirEffect() {
		RateLimiter limiter = limiter(RuleDefinition.of("a")
			.scope("user")
			.rate(1, Duration.ofSeconds(1))
			.property("ban.after", "2")
			.property("ban.within", "1m")
			.property("ban.for", "1h"));
		PermitRequest request = PermitRequest.of("a").user("caller");
		for (int i = 0; i < 3; i++) {
			limiter.tryAcquire(request);
		}
		this.ticker.advance(Duration.ofMinutes(2));
		assertThat(limiter.tryAcquire(request).banned()).isTrue();
	}

	private RateLimiter limiter(RuleDefinition... rules) {
		return RateLimiter.of(new InMemoryBucketStore(this.ticker, 100), rules);
	}

}
