package io.tierlimit.web;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.function.Consumer;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A response that reports failed writes. Another thread may write the response of an
 * asynchronous request. If the client has disconnected, Jetty throws an exception in that
 * thread, but does not notify the listeners of the request. The request then ends by a
 * timeout, or never.
 */
final class WriteTrackingResponse extends HttpServletResponseWrapper {

	private final Consumer<Throwable> failures;

	private @Nullable ServletOutputStream stream;

	private @Nullable PrintWriter writer;

	/**
	 * Creates a response.
	 * @param failures is notified of each failed write
	 */
	WriteTrackingResponse(HttpServletResponse response, Consumer<Throwable> failures) {
		super(response);
		this.failures = failures;
	}

	@Override
	public ServletOutputStream getOutputStream() throws IOException {
		ServletOutputStream known = this.stream;
		if (known == null) {
			known = new Stream(super.getOutputStream());
			this.stream = known;
		}
		return known;
	}

	@Override
	public PrintWriter getWriter() throws IOException {
		PrintWriter known = this.writer;
		if (known == null) {
			known = new Writer(super.getWriter());
			this.writer = known;
		}
		return known;
	}

	/** Afterwards, either the stream or the writer can be used. */
	@Override
	public void reset() {
		super.reset();
		this.stream = null;
		this.writer = null;
	}

	@Override
	public void flushBuffer() throws IOException {
		report(super::flushBuffer);
	}

	private void report(Write write) throws IOException {
		try {
			write.run();
		}
		catch (IOException ex) {
			this.failures.accept(ex);
			throw ex;
		}
	}

	@FunctionalInterface
	private interface Write {

		void run() throws IOException;

	}

	private final class Stream extends ServletOutputStream {

		private final ServletOutputStream output;

		private Stream(ServletOutputStream output) {
			this.output = output;
		}

		@Override
		public void write(int value) throws IOException {
			report(() -> this.output.write(value));
		}

		@Override
		public void write(byte[] bytes, int offset, int length) throws IOException {
			report(() -> this.output.write(bytes, offset, length));
		}

		@Override
		public void flush() throws IOException {
			report(this.output::flush);
		}

		@Override
		public void close() throws IOException {
			report(this.output::close);
		}

		@Override
		public boolean isReady() {
			return this.output.isReady();
		}

		@Override
		public void setWriteListener(WriteListener listener) {
			this.output.setWriteListener(new WriteListener() {

				@Override
				public void onWritePossible() throws IOException {
					listener.onWritePossible();
				}

				@Override
				public void onError(Throwable failure) {
					WriteTrackingResponse.this.failures.accept(failure);
					listener.onError(failure);
				}

			});
		}

	}

	/**
	 * Checks for failures when it flushes, because a {@code PrintWriter} throws no
	 * exceptions.
	 */
	private final class Writer extends PrintWriter {

		private final PrintWriter output;

		private Writer(PrintWriter output) {
			super(output);
			this.output = output;
		}

		@Override
		public void flush() {
			if (this.output.checkError()) {
				WriteTrackingResponse.this.failures.accept(new IOException("The response cannot be written"));
			}
		}

	}

}
