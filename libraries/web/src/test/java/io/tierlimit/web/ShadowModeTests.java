package io.tierlimit.web;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleMode;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.evaluation.VerdictPublisher;
import io.tierlimit.evaluation.WaitQueue;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests a change of all rules to shadow mode while requests are served.
 */
class ShadowModeTests {

	private final List<Duration> waits = new ArrayList<>();

	private final Rule few = TestRules.rule("few", 1);

	private final Rule waiting = TestRules.rule("waiting", new TokenBucket(Rate.parse("1/s"), 1))
		.options((options) -> options.with(new ReservationOptions(0, Duration.ofSeconds(9))));

	private final TestEvaluator evaluator = TestEvaluators.of(TestEvaluators.memory(100), VerdictPublisher.NONE,
			new WaitQueue(9, this.waits::add), this.few);

	private final RequestRateLimiter limiter = TestLimiters.of(this.evaluator);

	@Test
	void nextRequestIsNeitherRejectedNorHasHeaders() throws Exception {
		assertThat(send().getHeader("RateLimit")).isNotNull();
		assertThat(send().getStatus()).isEqualTo(429);
		shadow(this.few);
		MockHttpServletResponse response = send();
		assertThat(response.getStatus()).isEqualTo(200);
		assertThat(response.getHeaderNames()).isEmpty();
		assertThat(response.getContentAsString()).isEmpty();
		this.evaluator.replace(this.few);
		assertThat(send().getStatus()).as("enforced again").isEqualTo(429);
	}

	@Test
	void nextRequestDoesNotWait() throws Exception {
		this.evaluator.replace(this.waiting);
		send();
		send();
		assertThat(this.waits).hasSize(1);
		shadow(this.waiting);
		assertThat(send().getStatus()).isEqualTo(200);
		assertThat(this.waits).hasSize(1);
	}

	@Test
	void callerWithoutAPrincipalIsNotDenied() throws Exception {
		Rule users = TestRules.rule("users", 1)
			.scope(new Scope(Scope.of(Scope.USER).names(), null, MissingKeyPolicy.DENY));
		this.evaluator.replace(users);
		assertThat(send().getStatus()).isEqualTo(403);
		shadow(users);
		assertThat(send().getStatus()).isEqualTo(200);
	}

	@Test
	void requestThatHasBegunKeepsItsMode() throws Exception {
		Rule late = TestRules.rule("late", 1).scope(Scope.of(Scope.USER));
		this.evaluator.replace(late);
		send();
		MockHttpServletResponse response = send(() -> shadow(late));
		assertThat(response.getStatus()).isEqualTo(429);
		assertThat(send().getStatus()).isEqualTo(200);
	}

	@Test
	void callsAreNotRejectedAndDoNotWait() {
		RateLimiter limiter = this.evaluator.limiter();
		this.evaluator.replace(this.few, this.waiting);
		PermitRequest permit = PermitRequest.of("few");
		limiter.acquire(permit, PermitRequest.of("waiting"));
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> limiter.acquire(permit));
		shadow(this.few, this.waiting);
		assertThat(limiter.tryAcquire(permit).allowed()).isTrue();
		assertThat(limiter.peek(permit).allowed()).isTrue();
		limiter.acquire(permit);
		limiter.await(PermitRequest.of("waiting"));
		assertThat(limiter.reserve(PermitRequest.of("waiting")).delay()).isZero();
		assertThat(this.waits).isEmpty();
	}

	@Test
	void rulesAndVariantsThatAreAddedLaterAreInShadowModeToo() {
		shadow(this.few);
		assertThat(this.evaluator.add(this.waiting, List.of()).rule().isShadow()).isTrue();
		assertThat(this.evaluator.variant(this.few.cost("2"), List.of()).rule().isShadow()).isTrue();
	}

	private void shadow(Rule... rules) {
		this.evaluator.replace(new RuleSet(List.of(rules)).mode(RuleMode.SHADOW));
	}

	private MockHttpServletResponse send() throws Exception {
		return send(() -> {
		});
	}

	private MockHttpServletResponse send(Runnable authentication) throws Exception {
		return TestLimiters.serve(this.limiter, (request, response) -> {
		}, authentication);
	}

}
