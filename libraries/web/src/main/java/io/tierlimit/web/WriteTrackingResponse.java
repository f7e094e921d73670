package io.tierlimit.web;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UnsupportedEncodingException;
import java.io.Writer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A response that reports failed writes, and counts the bytes that are written. Another
 * thread may write the response of an asynchronous request. If the client has
 * disconnected, Jetty throws an exception in that thread, but does not notify the
 * listeners of the request. The request then ends by a timeout, or never.
 */
final class WriteTrackingResponse extends HttpServletResponseWrapper {

	private final Consumer<Throwable> failures;

	/** {@code null} if the bytes are not counted. */
	private final @Nullable AtomicLong bytes;

	private @Nullable ServletOutputStream stream;

	private @Nullable PrintWriter writer;

	/**
	 * Creates a response.
	 * @param failures is notified of each failed write
	 * @param bytes the number of written bytes, including bytes that the container has
	 * not sent yet; {@code null} if they are not counted
	 */
	WriteTrackingResponse(HttpServletResponse response, Consumer<Throwable> failures, @Nullable AtomicLong bytes) {
		super(response);
		this.failures = failures;
		this.bytes = bytes;
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
			PrintWriter output = super.getWriter();
			known = new TrackedWriter(output,
					(this.bytes != null) ? new CountedText(output, getCharacterEncoding()) : output);
			this.writer = known;
		}
		return known;
	}

	/** Afterwards, either the stream or the writer can be used. */
	@Override
	public void reset() {
		super.reset();
		restartCount();
		this.stream = null;
		this.writer = null;
	}

	@Override
	public void resetBuffer() {
		super.resetBuffer();
		restartCount();
	}

	/** The container discards what was written. */
	@Override
	public void sendError(int status) throws IOException {
		super.sendError(status);
		restartCount();
	}

	/** The container discards what was written. */
	@Override
	public void sendError(int status, String message) throws IOException {
		super.sendError(status, message);
		restartCount();
	}

	@Override
	public void flushBuffer() throws IOException {
		report(super::flushBuffer);
	}

	private void restartCount() {
		if (this.bytes != null) {
			this.bytes.set(0);
		}
	}

	private void count(int written) {
		if (this.bytes != null) {
			this.bytes.addAndGet(written);
		}
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
			count(1);
		}

		@Override
		public void write(byte[] bytes, int offset, int length) throws IOException {
			report(() -> this.output.write(bytes, offset, length));
			count(length);
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
	private final class TrackedWriter extends PrintWriter {

		private final PrintWriter output;

		private TrackedWriter(PrintWriter output, Writer written) {
			super(written);
			this.output = output;
		}

		@Override
		public void flush() {
			checkError();
		}

		@Override
		public boolean checkError() {
			boolean failed = this.output.checkError();
			if (failed) {
				WriteTrackingResponse.this.failures.accept(new IOException("The response cannot be written"));
			}
			return failed;
		}

	}

	/**
	 * Writes characters, and encodes them a second time to count their bytes.
	 */
	private final class CountedText extends Writer {

		private final PrintWriter output;

		private final OutputStreamWriter encoder;

		private CountedText(PrintWriter output, String encoding) throws UnsupportedEncodingException {
			this.output = output;
			this.encoder = new OutputStreamWriter(new Counter(), encoding);
		}

		@Override
		public void write(char[] text, int offset, int length) throws IOException {
			this.output.write(text, offset, length);
			this.encoder.write(text, offset, length);
			this.encoder.flush();
		}

		@Override
		public void flush() {
			this.output.flush();
		}

		@Override
		public void close() {
			this.output.close();
		}

	}

	private final class Counter extends OutputStream {

		@Override
		public void write(int value) {
			count(1);
		}

		@Override
		public void write(byte[] encoded, int offset, int length) {
			count(length);
		}

	}

}
