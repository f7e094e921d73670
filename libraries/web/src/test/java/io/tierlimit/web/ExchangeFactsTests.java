package io.tierlimit.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.RuleCompiler;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.rule.ExchangeFacts;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.TestRules;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.web.RecordedOutcomes.Recorded;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletResponse;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests which facts of an exchange its outcome contains.
 */
class ExchangeFactsTests {

	private static final Rule HOLDING = TestRules.rule("r", Concurrency.of(9, Duration.ofHours(1)));

	private final RecordedOutcomes outcomes = new RecordedOutcomes();

	private final SimulatedTicker clock = new SimulatedTicker();

	private final MockHttpServletRequest request = new MockHttpServletRequest("GET", "/orders");

	private MockHttpServletResponse response = new MockHttpServletResponse();

	ExchangeFactsTests() {
		this.request.setAsyncSupported(true);
		this.clock.set(7_000_000);
	}

	@Test
	void durationIsRoundedUpToMilliseconds() throws Exception {
		serve((request, response) -> this.clock.advance(1501));
		assertThat(recorded().duration()).isEqualTo(2);
	}

	@Test
	void durationIsNeverNegative() throws Exception {
		serve((request, response) -> this.clock.set(0));
		assertThat(recorded().duration()).isZero();
	}

	@Test
	void durationOfAnAsynchronousRequestLastsUntilItsEnd() throws Exception {
		serve((request, response) -> request.startAsync());
		this.clock.advance(3000);
		asyncContext().complete();
		assertThat(recorded().duration()).isEqualTo(3);
	}

	@Test
	void headerIsReadAtTheEnd() throws Exception {
		serve((request, response) -> this.response.setHeader(RecordedOutcomes.HEADER, "7"));
		assertThat(recorded().header()).isEqualTo("7");
	}

	@Test
	void headerOfAnAsynchronousResponseIsReadAtItsEnd() throws Exception {
		serve((request, response) -> request.startAsync());
		this.response.setHeader(RecordedOutcomes.HEADER, "7");
		asyncContext().complete();
		assertThat(recorded().header()).isEqualTo("7");
	}

	@Test
	void headerOfAResponseThatCannotBeReadIsUnknown() throws Exception {
		this.response = new MockHttpServletResponse() {

			@Override
			public String getHeader(String name) {
				throw new IllegalStateException("The response has ended");
			}

		};
		serve((request, response) -> {
		});
		assertThat(recorded().header()).isNull();
	}

	@Test
	void bytesOfTheResponseAreCounted() throws Exception {
		serve((request, response) -> response.getWriter().print("four"));
		assertThat(recorded().responseBytes()).isEqualTo(4);
	}

	@Test
	void dispatchWithoutTheWrappersContinuesTheCount() throws Exception {
		serve((request, response) -> {
			response.getOutputStream().write(1);
			request.startAsync();
		});
		this.request.setDispatcherType(DispatcherType.ASYNC);
		serve((request, response) -> response.getOutputStream().write(2));
		asyncContext().complete();
		assertThat(recorded().responseBytes()).isEqualTo(2);
		assertThat(this.response.getContentAsByteArray()).containsExactly(1, 2);
	}

	@Test
	void sizeOfARequestThatNoRuleReadsIsUnknown() throws Exception {
		serve((request, response) -> {
			assertThat(request).isSameAs(this.request);
			assertThat(response).isInstanceOf(WriteTrackingResponse.class);
		});
		assertThat(recorded().requestBytes()).isNull();
	}

	@Test
	void failureOfACommittedResponseHasTheFactsSoFar() throws Exception {
		serve((request, response) -> {
			response.getOutputStream().write("part".getBytes(StandardCharsets.UTF_8));
			response.flushBuffer();
			request.startAsync();
		});
		this.clock.advance(5000);
		RateLimitExchange exchange = Objects.requireNonNull(RateLimitExchange.of(this.request));
		new AsynchronousEnd(exchange).onError(new AsyncEvent(asyncContext(), new IOException("Broken pipe")));
		assertThat(recorded().duration()).isEqualTo(5);
		assertThat(recorded().responseBytes()).isEqualTo(4);
		assertThat(recorded().endedEarly()).isTrue();
	}

	@Test
	void failedWriteThatTheHandlerIgnoresEndsTheResponseEarly() throws Exception {
		serve(new DisconnectedResponse(this.response), (request, response) -> {
			try {
				response.getOutputStream().write(1);
			}
			catch (IOException ex) {
				// A handler may ignore that the client has disconnected.
			}
		});
		assertThat(recorded().endedEarly()).isTrue();
	}

	@Test
	void exceptionBeforeTheResponseIsCommittedDoesNotEndItEarly() throws Exception {
		assertThatIllegalStateException()
			.isThrownBy(() -> serve(ChargedRequest.failing(new IllegalStateException("on purpose"))));
		assertThat(recorded().endedEarly()).isFalse();
	}

	@Test
	void completeResponseDoesNotEndEarly() throws Exception {
		serve((request, response) -> response.flushBuffer());
		assertThat(recorded().endedEarly()).isFalse();
	}

	@Test
	void durationIsUnknownIfTheRuleIsAddedAfterTheArrival() throws Exception {
		TestEvaluator evaluator = evaluator(TestRules.rule("other", 9));
		RequestRateLimiter limiter = TestLimiters.of(evaluator, this.clock::ticks);
		TestLimiters.filter(Stage.BEFORE_AUTHENTICATION, limiter)
			.doFilter(this.request, this.response, (request, response) -> {
				evaluator.add(HOLDING, List.of());
				TestLimiters.filter(Stage.AFTER_AUTHENTICATION, limiter)
					.doFilter(request, response, (served, written) -> written.getOutputStream().write(1));
			});
		assertThat(recorded().duration()).isNull();
		assertThat(recorded().responseBytes()).isOne();
	}

	@Test
	void nothingIsMeasuredUnlessARuleRequiresIt() throws Exception {
		RequestRateLimiter limiter = TestLimiters.of(evaluator(TestRules.rule("r", 9)), () -> {
			throw new IllegalStateException("The clock is read");
		});
		TestLimiters.filter(Stage.ALL, limiter)
			.doFilter(this.request, this.response, (request, response) -> assertThat(response).isSameAs(this.response));
		assertThat(recorded().outcome().exchange()).isSameAs(ExchangeFacts.UNKNOWN);
	}

	private void serve(FilterChain chain) throws Exception {
		serve(this.response, chain);
	}

	private void serve(ServletResponse to, FilterChain chain) throws Exception {
		TestLimiters.filter(Stage.ALL, TestLimiters.of(evaluator(HOLDING), this.clock::ticks))
			.doFilter(this.request, to, chain);
	}

	private TestEvaluator evaluator(Rule rule) {
		RuleCompiler compiler = new RuleCompiler(Map.of(), TestEvaluators.PLAIN_KEYS, List.of(this.outcomes));
		return new TestEvaluator(new ActiveRules(compiler, new RuleSet(List.of(rule))),
				new RateLimitEvaluator(TestEvaluators.memory(100)));
	}

	/** The outcome of the one request that has ended. */
	private Recorded recorded() {
		assertThat(this.outcomes.all()).hasSize(1);
		return this.outcomes.all().get(0);
	}

	private MockAsyncContext asyncContext() {
		return Objects.requireNonNull((MockAsyncContext) this.request.getAsyncContext());
	}

}
