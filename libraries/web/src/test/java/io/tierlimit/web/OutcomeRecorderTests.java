package io.tierlimit.web;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.rule.Account;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.RequestOutcome.Event;
import jakarta.servlet.ServletException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.multipart.MultipartException;

import static org.assertj.core.api.Assertions.assertThat;

class OutcomeRecorderTests {

	private final Exception error = new IllegalStateException("on purpose");

	private final MockHttpServletResponse response = new MockHttpServletResponse();

	private final OutcomeRecorder recorder = new OutcomeRecorder(this.response);

	/**
	 * The steps of a request, and the status and the events at its end. A number is a
	 * status that is set. {@code filter}, {@code async} and {@code handler} are where an
	 * exception is recorded.
	 */
	@ParameterizedTest(name = "{0}")
	@CsvSource(delimiter = '|', textBlock = """
			404                              | 404 | ''
			500                              | 500 | SERVER_FAILED
			501                              | 501 | ''
			201 filter:error                 | 500 | FAILED STATUS_HIDDEN SERVER_FAILED
			filter:multipart                 | 500 | FAILED STATUS_HIDDEN
			401 commit filter:error          | 401 | FAILED ENDED_EARLY
			commit filter:error              | 200 | FAILED ENDED_EARLY SERVER_FAILED
			commit filter:disconnect         | 200 | FAILED ENDED_EARLY STATUS_HIDDEN
			404 async:error                  | 404 | FAILED STATUS_HIDDEN
			async:unknown 503                | 503 | FAILED STATUS_HIDDEN SERVER_FAILED
			commit async:unknown             | 200 | FAILED ENDED_EARLY SERVER_FAILED
			handler:disconnect               | 200 | ENDED_EARLY STATUS_HIDDEN
			handler:unacceptable             | 200 | STATUS_HIDDEN
			handler:unwritable               | 200 | STATUS_HIDDEN
			500 handler:unwritable           | 500 | STATUS_HIDDEN SERVER_FAILED
			400 handler:error handler:unknown | 400 | ''
			commit handler:error             | 200 | ENDED_EARLY
			commit timeout                   | 200 | ENDED_EARLY STATUS_HIDDEN
			commit timeout dispatch          | 200 | ''
			timeout commit                   | 200 | ''
			timeout filter:error commit      | 500 | FAILED STATUS_HIDDEN SERVER_FAILED
			filter:error commit async:error  | 500 | FAILED STATUS_HIDDEN SERVER_FAILED
			filter:error commit async:unknown | 500 | FAILED STATUS_HIDDEN SERVER_FAILED ENDED_EARLY
			filter:error commit async:unwritable | 500 | FAILED STATUS_HIDDEN SERVER_FAILED ENDED_EARLY
			failed-write                     | 200 | ENDED_EARLY
			401                              | 401 | ''
			asynchronous 401                 | 401 | AUTHENTICATION_FAILED
			asynchronous 403                 | 403 | ''
			""")
	void outcomeFollowsFromTheStepsOfTheRequest(String steps, int status, String events) {
		for (String step : steps.split(" ", -1)) {
			take(step);
		}
		RequestOutcome outcome = this.recorder.result(false);
		assertThat(outcome.status()).isEqualTo(status);
		Set<Event> expected = Stream.of(events.split(" ", -1))
			.filter((event) -> !event.isEmpty())
			.map(Event::valueOf)
			.collect(Collectors.toSet());
		assertThat(outcome.events()).isEqualTo(expected);
	}

	private void take(String step) {
		switch (step) {
			case "commit" -> this.response.setCommitted(true);
			case "timeout" -> this.recorder.recordTimeout();
			case "dispatch" -> this.recorder.recordDispatch();
			case "asynchronous" -> this.recorder.recordAsynchronous();
			case "failed-write" -> this.recorder.recordFailedWrite();
			default -> {
				String[] words = step.split(":", 2);
				switch (words[0]) {
					case "filter" -> this.recorder.recordFailure(Objects.requireNonNull(failure(words[1])));
					case "async" -> this.recorder.recordAsynchronousFailure(failure(words[1]));
					case "handler" -> this.recorder.recordFailureOfHandler(failure(words[1]));
					default -> this.response.setStatus(Integer.parseInt(step));
				}
			}
		}
	}

	private @Nullable Exception failure(String name) {
		return switch (name) {
			case "error" -> new ServletException("of Spring MVC", new ExecutionException(this.error));
			case "disconnect" -> new IOException("Broken pipe");
			case "multipart" -> new ServletException(new MultipartException("no boundary"));
			case "unacceptable" -> new HttpMediaTypeNotAcceptableException(List.of());
			case "unwritable" -> new HttpMessageNotWritableException("the database has failed");
			default -> null;
		};
	}

	@Test
	void failureIsTheFirstExceptionWithoutItsWrappers() {
		take("handler:error");
		this.recorder.recordFailure(new IllegalStateException("of a filter"));
		assertThat(this.recorder.result(true).failure()).isSameAs(this.error);
	}

	@Test
	void wrapperWithoutACauseIsTheFailure() {
		Exception thrown = new ServletException("on purpose");
		this.recorder.recordFailure(thrown);
		assertThat(this.recorder.result(true).failure()).isSameAs(thrown);
	}

	@Test
	void requestThatIsAnsweredByAFilterHasReachedNoHandler() {
		assertThat(this.recorder.result(false).has(Event.HANDLER_REACHED)).isFalse();
		assertThat(this.recorder.result(true)).isEqualTo(RequestOutcome.answered(200));
		assertThat(OutcomeRecorder.result(this.response, false).has(Event.HANDLER_REACHED)).isFalse();
		assertThat(OutcomeRecorder.result(this.response, true).has(Event.HANDLER_REACHED)).isTrue();
	}

	@Test
	void authenticationsAreRecorded() {
		Account alice = new Account("alice", "alice");
		Account bob = new Account("bob", "bob");
		this.recorder.recordAuthentication(alice);
		this.recorder.recordAuthentication(bob);
		this.recorder.recordFailedAuthentication();
		assertThat(this.recorder.isAuthenticationFailed()).isTrue();
		assertThat(this.recorder.result(true).authenticated()).containsExactlyInAnyOrder(alice, bob);
		assertThat(this.recorder.result(true).has(Event.AUTHENTICATION_FAILED)).isTrue();
	}

	@Test
	void requestWithoutAResponseHasFailed() {
		assertThat(new OutcomeRecorder(null).result(true)).isEqualTo(RequestOutcome.answered(500));
	}

}
