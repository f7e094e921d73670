package io.tierlimit.web;

import java.io.IOException;
import java.util.Objects;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.DispatcherType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.mock.web.MockAsyncContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests the end of asynchronous requests.
 */
class AsynchronousRequestTests {

	private final ChargedRequest charged = new ChargedRequest();

	@BeforeEach
	void begin() throws Exception {
		this.charged.request.setAsyncSupported(true);
		this.charged.filter((request, response) -> request.startAsync());
	}

	@Test
	void asynchronousRequestCompletesOnce() throws Exception {
		assertThat(this.charged.remaining()).isEqualTo(9);
		assertThat(this.charged.published).isEmpty();
		asyncContext().complete();
		assertThat(this.charged.remaining()).isEqualTo(10);
		assertThat(this.charged.published).hasSize(1);
		asyncContext().complete();
		assertThat(this.charged.remaining()).isEqualTo(10);
		assertThat(this.charged.published).hasSize(1);
	}

	@Test
	void asynchronousDispatchDoesNotCompleteTheRequest() throws Exception {
		this.charged.dispatch(DispatcherType.ASYNC, (request, response) -> this.charged.response.setStatus(503));
		assertThat(this.charged.published).isEmpty();
		asyncContext().complete();
		assertThat(this.charged.remaining()).isEqualTo(9);
		assertThat(this.charged.published).hasSize(1);
	}

	@ParameterizedTest
	@MethodSource("io.tierlimit.web.ChargedRequest#failures")
	void exceptionOfAnAsynchronousDispatchIsAFailure(Throwable failure) throws Exception {
		assertThat(catchThrowable(() -> this.charged.dispatch(DispatcherType.ASYNC, ChargedRequest.failing(failure))))
			.isSameAs(failure);
		asyncContext().complete();
		assertThat(this.charged.remaining()).isEqualTo(9);
	}

	@Test
	void rejectionThatAnAsynchronousDispatchThrowsBecomesTheResponse() throws Exception {
		this.charged.dispatch(DispatcherType.ASYNC, ChargedRequest.failing(ChargedRequest.rejection()));
		assertThat(this.charged.response.getStatus()).isEqualTo(429);
		asyncContext().complete();
		assertThat(this.charged.remaining()).as("429 is not a failure").isEqualTo(10);
	}

	@Test
	void errorThatTheContainerReportsIsAFailure() throws Exception {
		end().onError(new AsyncEvent(asyncContext(), new IllegalStateException("on purpose")));
		asyncContext().complete();
		assertThat(this.charged.remaining()).isEqualTo(9);
	}

	@Test
	void errorAfterTheResponseWasCommittedCompletesTheTransactionOnce() throws Exception {
		this.charged.response.setCommitted(true);
		end().onError(new AsyncEvent(asyncContext(), new IOException("Broken pipe")));
		assertThat(this.charged.published).hasSize(1);
		this.charged.dispatch(DispatcherType.ASYNC, (request, response) -> {
		});
		asyncContext().complete();
		assertThat(this.charged.remaining()).isEqualTo(9);
		assertThat(this.charged.published).hasSize(1);
	}

	@Test
	void timeoutAfterTheResponseWasCommittedIsCharged() throws Exception {
		this.charged.response.setCommitted(true);
		end().onTimeout(new AsyncEvent(asyncContext()));
		asyncContext().complete();
		assertThat(this.charged.remaining()).isEqualTo(9);
	}

	@Test
	void timeoutBeforeTheResponseIsCommittedHasTheStatusOfTheResponse() throws Exception {
		end().onTimeout(new AsyncEvent(asyncContext()));
		asyncContext().complete();
		assertThat(this.charged.remaining()).isEqualTo(10);
	}

	@Test
	void timeoutThatTheApplicationHandlesByADispatchHasTheStatusOfTheResponse() throws Exception {
		this.charged.response.setCommitted(true);
		end().onTimeout(new AsyncEvent(asyncContext()));
		this.charged.dispatch(DispatcherType.ASYNC, (request, response) -> {
		});
		asyncContext().complete();
		assertThat(this.charged.remaining()).isEqualTo(10);
	}

	@Test
	void unauthorizedIsAFailedAuthenticationOfAnAsynchronousRequest() throws Exception {
		this.charged.response.setStatus(401);
		asyncContext().complete();
		assertThat(this.charged.remaining()).isEqualTo(9);
	}

	@Test
	void requestThatStartsAnotherAsynchronousRoundCompletesAfterIt() throws Exception {
		MockAsyncContext next = new MockAsyncContext(this.charged.request, this.charged.response);
		end().onStartAsync(new AsyncEvent(next));
		this.charged.response.setStatus(503);
		next.complete();
		assertThat(this.charged.remaining()).isEqualTo(9);
		assertThat(this.charged.published).hasSize(1);
	}

	private AsynchronousEnd end() {
		return new AsynchronousEnd(Objects.requireNonNull(RateLimitExchange.of(this.charged.request)));
	}

	private MockAsyncContext asyncContext() {
		return Objects.requireNonNull((MockAsyncContext) this.charged.request.getAsyncContext());
	}

}
