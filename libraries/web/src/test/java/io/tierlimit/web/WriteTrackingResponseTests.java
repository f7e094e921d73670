package io.tierlimit.web;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

class WriteTrackingResponseTests {

	private final List<Throwable> failures = new ArrayList<>();

	@Test
	void bodyIsWritten() throws Exception {
		MockHttpServletResponse response = new MockHttpServletResponse();
		WriteTrackingResponse tracked = new WriteTrackingResponse(response, this.failures::add);
		tracked.getOutputStream().write("ab".getBytes(StandardCharsets.UTF_8));
		tracked.getOutputStream().write('c');
		tracked.getOutputStream().flush();
		assertThat(response.getContentAsString()).isEqualTo("abc");
		assertThat(response.isCommitted()).isTrue();
		assertThat(this.failures).isEmpty();
	}

	@Test
	void textIsWritten() throws Exception {
		MockHttpServletResponse response = new MockHttpServletResponse();
		WriteTrackingResponse tracked = new WriteTrackingResponse(response, this.failures::add);
		tracked.getWriter().print("text");
		tracked.getWriter().flush();
		assertThat(response.getContentAsString()).isEqualTo("text");
		assertThat(this.failures).isEmpty();
	}

	@Test
	void responseThatIsResetCanBeWrittenAgain() throws Exception {
		MockHttpServletResponse response = new MockHttpServletResponse();
		WriteTrackingResponse tracked = new WriteTrackingResponse(response, this.failures::add);
		tracked.getWriter().print("first");
		tracked.reset();
		tracked.getOutputStream().write("second".getBytes(StandardCharsets.UTF_8));
		assertThat(response.getContentAsString()).isEqualTo("second");
	}

	@ParameterizedTest
	@MethodSource
	void failedWriteIsReported(Write write) {
		WriteTrackingResponse tracked = new WriteTrackingResponse(new Disconnected(), this.failures::add);
		assertThatIOException().isThrownBy(() -> write.to(tracked.getOutputStream())).withMessage("Broken pipe");
		assertThat(this.failures).singleElement().isInstanceOf(IOException.class);
	}

	static List<Write> failedWriteIsReported() {
		return List.of((output) -> output.write(1), (output) -> output.write(new byte[1]),
				(output) -> output.write(new byte[2], 0, 1), OutputStream::flush, OutputStream::close,
				(output) -> ((ServletOutputStream) output).write(ByteBuffer.allocate(1)));
	}

	@Test
	void failureOfTheWriterIsReportedWhenItIsFlushed() throws Exception {
		WriteTrackingResponse tracked = new WriteTrackingResponse(new Disconnected(), this.failures::add);
		tracked.getWriter().print("text");
		tracked.getWriter().flush();
		assertThat(this.failures).hasSize(1);
	}

	@Test
	void failedFlushOfTheResponseIsReported() {
		WriteTrackingResponse tracked = new WriteTrackingResponse(new Disconnected(), this.failures::add);
		assertThatIOException().isThrownBy(tracked::flushBuffer);
		assertThat(this.failures).hasSize(1);
	}

	@Test
	void failureOfANonBlockingWriteIsReported() throws Exception {
		Disconnected response = new Disconnected();
		List<Throwable> seen = new ArrayList<>();
		WriteTrackingResponse tracked = new WriteTrackingResponse(response, this.failures::add);
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
