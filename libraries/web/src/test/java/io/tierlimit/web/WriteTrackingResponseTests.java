package io.tierlimit.web;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class WriteTrackingResponseTests {

	private final List<Throwable> failures = new ArrayList<>();

	private final AtomicLong bytes = new AtomicLong();

	private final DisconnectedResponse disconnected = new DisconnectedResponse(new MockHttpServletResponse());

	@ParameterizedTest
	@MethodSource
	void bodyIsWrittenAndCounted(Action write) throws Exception {
		MockHttpServletResponse response = new MockHttpServletResponse();
		WriteTrackingResponse tracked = tracked(response);
		write.on(tracked);
		assertThat(this.bytes).hasValue(response.getContentAsByteArray().length).hasPositiveValue();
		tracked.flushBuffer();
		assertThat(response.isCommitted()).isTrue();
		assertThat(this.failures).isEmpty();
	}

	static List<Action> bodyIsWrittenAndCounted() {
		return List.of((response) -> {
			response.getOutputStream().write('c');
			response.getOutputStream().flush();
		}, (response) -> response.getOutputStream().write(new byte[3]),
				(response) -> response.getOutputStream().write(new byte[9], 2, 5),
				(response) -> response.getOutputStream().write(ByteBuffer.allocate(10)),
				(response) -> response.getOutputStream().print("100"), (response) -> {
					response.getWriter().print("text");
					response.getWriter().flush();
				}, (response) -> response.getWriter().println("a"));
	}

	@ParameterizedTest
	@CsvSource({ "UTF-8, 9", "ISO-8859-1, 5", "UTF-16LE, 12", "UTF-16, 14" })
	void charactersAreCountedInTheEncodingOfTheResponse(String encoding, int expected) throws Exception {
		MockHttpServletResponse response = new MockHttpServletResponse();
		response.setCharacterEncoding(encoding);
		PrintWriter writer = tracked(response).getWriter();
		String face = Character.toString(0x1F600);
		writer.append('\u00e9').print(1);
		writer.write(face.charAt(0));
		writer.write(face, 1, 1);
		writer.write(new char[] { 'a', 'b' }, 1, 1);
		writer.printf("%s", "");
		writer.append("c");
		assertThat(this.bytes).hasValue(response.getContentAsByteArray().length).hasValue(expected);
	}

	@Test
	void endsOfLinesAreCounted() throws Exception {
		MockHttpServletResponse response = new MockHttpServletResponse();
		tracked(response).getWriter().println("a");
		assertThat(this.bytes).hasValue(response.getContentAsByteArray().length).hasValue(2);
	}

	@Test
	void wrappersOfOneResponseHaveOneCount() throws Exception {
		MockHttpServletResponse response = new MockHttpServletResponse();
		tracked(response).getWriter().print("a");
		tracked(response).getWriter().print("b");
		assertThat(this.bytes).hasValue(2);
	}

	@ParameterizedTest
	@MethodSource
	void discardedBytesAreNotCounted(Action change) throws Exception {
		WriteTrackingResponse tracked = tracked(new MockHttpServletResponse());
		tracked.getWriter().print("discarded");
		change.on(tracked);
		assertThat(this.bytes).hasValue(0);
	}

	static List<Action> discardedBytesAreNotCounted() {
		return List.of(HttpServletResponse::reset, HttpServletResponse::resetBuffer,
				(response) -> response.sendError(500), (response) -> response.sendError(500, "on purpose"));
	}

	@Test
	void bytesOfACommittedResponseAreNotDiscarded() throws Exception {
		WriteTrackingResponse tracked = tracked(new MockHttpServletResponse());
		tracked.getWriter().print("sent");
		tracked.flushBuffer();
		assertThatIllegalStateException().isThrownBy(tracked::resetBuffer);
		assertThatIllegalStateException().isThrownBy(() -> tracked.sendError(500));
		assertThat(this.bytes).hasValue(4);
	}

	@Test
	void responseThatIsResetCanBeWrittenAgain() throws Exception {
		MockHttpServletResponse response = new MockHttpServletResponse();
		WriteTrackingResponse tracked = tracked(response);
		tracked.getWriter().print("first");
		tracked.reset();
		tracked.getOutputStream().write("second".getBytes(StandardCharsets.UTF_8));
		assertThat(response.getContentAsString()).isEqualTo("second");
		assertThat(this.bytes).hasValue(6);
	}

	@ParameterizedTest
	@MethodSource
	void failedWriteIsReported(Action write) {
		WriteTrackingResponse tracked = tracked(this.disconnected);
		assertThatIOException().isThrownBy(() -> write.on(tracked)).withMessage("Broken pipe");
		assertThat(this.failures).singleElement().isInstanceOf(IOException.class);
		assertThat(this.bytes).hasValue(0);
	}

	static List<Action> failedWriteIsReported() {
		return List.of((response) -> response.getOutputStream().write(1),
				(response) -> response.getOutputStream().write(new byte[1]),
				(response) -> response.getOutputStream().write(new byte[2], 0, 1),
				(response) -> response.getOutputStream().write(ByteBuffer.allocate(1)),
				(response) -> response.getOutputStream().flush(), (response) -> response.getOutputStream().close(),
				HttpServletResponse::flushBuffer);
	}

	@Test
	void failureOfTheWriterIsReportedWhenItIsFlushed() throws Exception {
		WriteTrackingResponse tracked = tracked(this.disconnected);
		tracked.getWriter().print("text");
		tracked.getWriter().flush();
		assertThat(this.failures).hasSize(1);
		assertThat(tracked.getWriter().checkError()).isTrue();
	}

	@Test
	void failureOfANonBlockingWriteIsReported() throws Exception {
		List<Throwable> seen = new ArrayList<>();
		WriteTrackingResponse tracked = tracked(this.disconnected);
		tracked.getOutputStream().setWriteListener(new WriteListener() {

			@Override
			public void onWritePossible() {
				seen.add(new IllegalStateException("possible"));
			}

			@Override
			public void onError(Throwable failure) {
				seen.add(failure);
			}

		});
		WriteListener listener = Objects.requireNonNull(this.disconnected.listener);
		listener.onWritePossible();
		assertThat(this.failures).isEmpty();
		listener.onError(new IOException("Broken pipe"));
		assertThat(this.failures).singleElement().isSameAs(seen.get(1));
	}

	private WriteTrackingResponse tracked(HttpServletResponse response) {
		return new WriteTrackingResponse(response, this.failures::add, this.bytes);
	}

	@FunctionalInterface
	interface Action {

		void on(HttpServletResponse response) throws IOException;

	}

}
