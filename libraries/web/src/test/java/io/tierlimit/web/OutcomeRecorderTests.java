package io.tierlimit.web;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;

import io.tierlimit.rule.Account;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.RequestOutcome.Event;
import jakarta.servlet.ServletException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.multipart.MultipartException;

import static org.assertj.core.api.Assertions.assertThat;

class OutcomeRecorderTests {

	private static final Account ACCOUNT = new Account("alice", "alice");

	private final MockHttpServletResponse response = new MockHttpServletResponse();

	private final OutcomeRecorder recorder = new OutcomeRecorder(this.response);

	@Test
	void answeredRequestHasTheStatusOfItsResponse() {
		this.response.setStatus(404);
		assertThat(this.recorder.result(true)).isEqualTo(RequestOutcome.answered(404));
	}

	@Test
	void uncaughtExceptionIsAnInternalErrorThatHidesTheStatus() {
		this.response.setStatus(201);
		this.recorder.recordFailure(new IllegalStateException("on purpose"));
		RequestOutcome outcome = this.recorder.result(true);
		assertThat(outcome.status()).isEqualTo(500);
		assertThat(outcome.has(Event.FAILED)).isTrue();
		assertThat(outcome.has(Event.STATUS_HIDDEN)).isTrue();
	}

	@Test
	void failureOfTheServerIsOneThatTheClientHasNotCaused() {
		this.response.setStatus(500);
		assertThat(this.recorder.result(true).has(Event.SERVER_FAILED)).isTrue();
		this.response.setStatus(501);
		assertThat(this.recorder.result(true).has(Event.SERVER_FAILED)).as("the client chooses the method").isFalse();
		this.response.setStatus(404);
		this.recorder.recordAsynchronousFailure(new IllegalStateException("on purpose"));
		assertThat(this.recorder.result(true).has(Event.SERVER_FAILED)).as("an error of the client").isFalse();
		this.response.setStatus(200);
		this.response.setCommitted(true);
		assertThat(this.recorder.result(true).has(Event.SERVER_FAILED)).as("half a response").isTrue();
		this.recorder.recordFailure(new IOException("Broken pipe"));
		assertThat(this.recorder.result(true).has(Event.SERVER_FAILED)).as("the client has disconnected").isFalse();
	}

	@Test
	void bodyThatCannotBeReadIsNotAFailureOfTheServer() {
		this.recorder.recordFailure(new ServletException(new MultipartException("no boundary")));
		assertThat(this.recorder.result(true).has(Event.SERVER_FAILED)).isFalse();
	}

	@Test
	void responseThatCannotBeWrittenIsAFailureOfTheServer() {
		this.response.setStatus(500);
		this.recorder.recordFailureOfHandler(new HttpMessageNotWritableException("the database has failed"));
		assertThat(this.recorder.result(true).has(Event.SERVER_FAILED)).isTrue();
	}

	@Test
	void committedResponseKeepsItsStatusAfterAnException() {
		this.response.setStatus(401);
		this.response.setCommitted(true);
		this.recorder.recordFailure(new IllegalStateException("on purpose"));
		RequestOutcome outcome = this.recorder.result(true);
		assertThat(outcome.status()).isEqualTo(401);
		assertThat(outcome.has(Event.FAILED)).isTrue();
		assertThat(outcome.has(Event.STATUS_HIDDEN)).isFalse();
	}

	@Test
	void asynchronousExceptionHasTheStatusThatTheContainerSetsAfterwards() {
		this.recorder.recordAsynchronousFailure(null);
		this.response.setStatus(503);
		RequestOutcome outcome = this.recorder.result(true);
		assertThat(outcome.status()).isEqualTo(503);
		assertThat(outcome.has(Event.FAILED)).isTrue();
		assertThat(outcome.has(Event.STATUS_HIDDEN)).isTrue();
	}

	@ParameterizedTest
	@MethodSource("failuresThatHideTheStatus")
	void clientThatCannotReadTheResponseHidesTheStatus(Exception failure) {
		this.recorder.recordFailureOfHandler(failure);
		RequestOutcome outcome = this.recorder.result(true);
		assertThat(outcome.has(Event.STATUS_HIDDEN)).isTrue();
		assertThat(outcome.has(Event.FAILED)).isFalse();
	}

	@Test
	void disconnectedClientHidesTheStatusOfACommittedResponse() {
		this.response.setCommitted(true);
		this.recorder.recordFailure(new IOException("Broken pipe"));
		assertThat(this.recorder.result(true).has(Event.STATUS_HIDDEN)).isTrue();
	}

	@Test
	void exceptionThatAHandlerResolvesHidesNothing() {
		this.response.setStatus(400);
		this.recorder.recordFailureOfHandler(new IllegalStateException("resolved"));
		this.recorder.recordFailureOfHandler(null);
		RequestOutcome outcome = this.recorder.result(true);
		assertThat(outcome.events()).isEqualTo(RequestOutcome.answered(400).events());
		assertThat(outcome.failure()).hasMessage("resolved");
	}

	@Test
	void failureIsTheFirstExceptionWithoutItsWrappers() {
		Exception thrown = new IllegalStateException("of the handler");
		this.recorder.recordFailureOfHandler(new ServletException("of Spring MVC", new ExecutionException(thrown)));
		this.recorder.recordFailure(new IllegalStateException("of a filter"));
		assertThat(this.recorder.result(true).failure()).isSameAs(thrown);
	}

	@Test
	void wrapperWithoutACauseIsTheFailure() {
		Exception thrown = new ServletException("on purpose");
		this.recorder.recordFailure(thrown);
		assertThat(this.recorder.result(true).failure()).isSameAs(thrown);
	}

	@Test
	void committedResponseEndsEarlyByAnException() {
		this.response.setCommitted(true);
		this.recorder.recordFailureOfHandler(new IllegalStateException("resolved"));
		assertThat(isEndedEarly()).isTrue();
	}

	@Test
	void committedResponseEndsEarlyByAFailureThatTheContainerReports() {
		this.response.setCommitted(true);
		this.recorder.recordAsynchronousFailure(null);
		assertThat(isEndedEarly()).isTrue();
	}

	@Test
	void committedResponseEndsEarlyByATimeoutUnlessTheApplicationContinues() {
		this.response.setCommitted(true);
		assertThat(isEndedEarly()).isFalse();
		this.recorder.recordTimeout();
		assertThat(isEndedEarly()).isTrue();
		this.recorder.recordDispatch();
		assertThat(isEndedEarly()).isFalse();
	}

	@Test
	void responseThatIsCommittedAfterAFailureIsComplete() {
		this.recorder.recordTimeout();
		this.recorder.recordFailure(new IllegalStateException("on purpose"));
		this.response.setCommitted(true);
		assertThat(isEndedEarly()).isFalse();
	}

	@Test
	void responseIsCompleteIfTheContainerReportsAKnownFailureAfterTheErrorPage() {
		IllegalStateException failure = new IllegalStateException("on purpose");
		this.recorder.recordFailure(failure);
		this.response.setCommitted(true);
		this.recorder.recordAsynchronousFailure(new ServletException(failure));
		assertThat(isEndedEarly()).isFalse();
		this.recorder.recordAsynchronousFailure(new IllegalStateException("another"));
		assertThat(isEndedEarly()).isTrue();
	}

	@Test
	void responseEndsEarlyByAFailedWrite() {
		this.recorder.recordFailedWrite();
		assertThat(isEndedEarly()).isTrue();
		assertThat(this.recorder.result(true).has(Event.FAILED)).as("the application may have continued").isFalse();
	}

	@Test
	void requestThatIsAnsweredByAFilterHasReachedNoHandler() {
		assertThat(this.recorder.result(false).has(Event.HANDLER_REACHED)).isFalse();
		assertThat(OutcomeRecorder.result(this.response, false).has(Event.HANDLER_REACHED)).isFalse();
		assertThat(OutcomeRecorder.result(this.response, true).has(Event.HANDLER_REACHED)).isTrue();
	}

	@Test
	void unauthorizedIsAFailedAuthenticationOnlyOfAnAsynchronousRequest() {
		this.response.setStatus(401);
		assertThat(this.recorder.result(true).has(Event.AUTHENTICATION_FAILED)).isFalse();
		this.recorder.recordAsynchronous();
		assertThat(this.recorder.result(true).has(Event.AUTHENTICATION_FAILED)).isTrue();
		this.response.setStatus(403);
		assertThat(this.recorder.result(true).has(Event.AUTHENTICATION_FAILED)).isFalse();
	}

	@Test
	void authenticationsAreRecorded() {
		Account other = new Account("bob", "bob");
		this.recorder.recordAuthentication(ACCOUNT);
		this.recorder.recordAuthentication(other);
		this.recorder.recordFailedAuthentication();
		assertThat(this.recorder.isAuthenticationFailed()).isTrue();
		assertThat(this.recorder.result(true).authenticated()).containsExactlyInAnyOrder(ACCOUNT, other);
		assertThat(this.recorder.result(true).has(Event.AUTHENTICATION_FAILED)).isTrue();
	}

	@Test
	void requestWithoutAResponseHasFailed() {
		assertThat(new OutcomeRecorder(null).result(true)).isEqualTo(RequestOutcome.answered(500));
	}

	private boolean isEndedEarly() {
		return this.recorder.result(true).has(Event.ENDED_EARLY);
	}

	private static List<Exception> failuresThatHideTheStatus() {
		return List.of(new IOException("Broken pipe"), new HttpMediaTypeNotAcceptableException(List.of()),
				new HttpMessageNotWritableException("on purpose"));
	}

}
