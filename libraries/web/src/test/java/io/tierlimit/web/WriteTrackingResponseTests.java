package io.tierlimit.web;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;
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

	@Test
	void bodyIsWritten() throws Exception {
		MockHttpServletResponse response = new MockHttpServletResponse();
		WriteTrackingResponse tracked = tracked(response);
		tracked.getOutputStream().write("ab".getBytes(StandardCharsets.UTF_8));
		tracked.getOutputStream().write('c');
		tracked.getOutputStream().flush();
		assertThat(response.getContentAsString()).isEqualTo("abc");
		assertThat(response.isCommitted()).isTrue();
		assertThat(this.failures).isEmpty();
		assertThat(this.bytes).hasValue(3);
	}

	@Test
	void everyMethodOfTheStreamIsCounted() throws Exception {
		ServletOutputStream output = tracked(new MockHttpServletResponse()).getOutputStream();
		output.write(new byte[9], 2, 5);
		output.write(ByteBuffer.allocate(10));
		output.print("100");
		assertThat(this.bytes).hasValue(18);
	}

	@Test
	void textIsWritten() throws Exception {
		MockHttpServletResponse response = new MockHttpServletResponse();
		WriteTrackingResponse tracked = tracked(response);
		tracked.getWriter().print("text");
		tracked.getWriter().flush();
		assertThat(response.getContentAsString()).isEqualTo("text");
		assertThat(this.failures).isEmpty();
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
	void discardedBytesAreNotCounted(Change change) throws Exception {
		WriteTrackingResponse tracked = tracked(new MockHttpServletResponse());
		tracked.getWriter().print("discarded");
		change.to(tracked);
		assertThat(this.bytes).hasValue(0);
	}

	static List<Change> discardedBytesAreNotCounted() {
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
	void failedWriteIsReported(Write write) {
		WriteTrackingResponse tracked = tracked(new Disconnected());
		assertThatIOException().isThrownBy(() -> write.to(tracked.getOutputStream())).withMessage("Broken pipe");
		assertThat(this.failures).singleElement().isInstanceOf(IOException.class);
		assertThat(this.bytes).hasValue(0);
	}

	static List<Write> failedWriteIsReported() {
		return List.of((output) -> output.write(1), (output) -> output.write(new byte[1]),
				(output) -> output.write(new byte[2], 0, 1), OutputStream::flush, OutputStream::close,
				(output) -> ((ServletOutputStream) output).write(ByteBuffer.allocate(1)));
	}

	@Test
	void failureOfTheWriterIsReportedWhenItIsFlushed() throws Exception {
		WriteTrackingResponse tracked = tracked(new Disconnected());
		tracked.getWriter().print("text");
		tracked.getWriter().flush();
		assertThat(this.failures).hasSize(1);
		assertThat(tracked.getWriter().checkError()).isTrue();
	}

	@Test
	void failedFlushOfTheResponseIsReported() {
		WriteTrackingResponse tracked = tracked(new Disconnected());
		assertThatIOException().isThrownBy(tracked::flushBuffer);
		assertThat(this.failures).hasSize(1);
	}

	@Test
	void failureOfANonBlockingWriteIsReported() throws Exception {
		Disconnected response = new Disconnected();
		List<Throwable> seen = new ArrayList<>();
		WriteTrackingResponse tracked = tracked(response);
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
		WriteListener listener = Objects.requireNonNull(response.listener);
		listener.onWritePossible();
		assertThat(this.failures).isEmpty();
		listener.onError(new IOException("Broken pipe"));
		assertThat(this.failures).singleElement().isSameAs(seen.get(1));
	}

	private WriteTrackingResponse tracked(HttpServletResponse response) {
		return new WriteTrackingResponse(response, this.failures::add, this.bytes);
	}

	@FunctionalInterface
	interface Change {

		void to(HttpServletResponse response) throws IOException;

	}

	@FunctionalInterface
	interface Write {

		void to(OutputStream output) throws IOException;

	}

	/** A response whose client has disconnected. */
	private static final class Disconnected extends HttpServletResponseWrapper {

		private @Nullable WriteListener listener;

		private final ServletOutputStream output = new ServletOutputStream() {

			@Override
			public void write(int value) throws IOException {
				throw new IOException("Broken pipe");
			}

			@Override
			public void write(ByteBuffer buffer) throws IOException {
				write(0);
			}

			@Override
			public void flush() throws IOException {
				write(0);
			}

			@Override
			public void close() throws IOException {
				write(0);
			}

			@Override
			public boolean isReady() {
				return true;
			}

			@Override
			public void setWriteListener(WriteListener writeListener) {
				Disconnected.this.listener = writeListener;
			}

		};

		private Disconnected() {
			super(new MockHttpServletResponse());
		}

		@Override
		public ServletOutputStream getOutputStream() {
			return this.output;
		}

		@Override
		public PrintWriter getWriter() {
			return new PrintWriter(this.output, false, StandardCharsets.UTF_8);
		}

		@Override
		public void flushBuffer() throws IOException {
			this.output.flush();
		}

	}

}
