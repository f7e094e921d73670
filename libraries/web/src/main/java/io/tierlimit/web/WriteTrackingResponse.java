package io.tierlimit.web;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UnsupportedEncodingException;
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

	private final AtomicLong bytes;

	private @Nullable ServletOutputStream stream;

	private @Nullable PrintWriter writer;

	/**
	 * Creates a response.
	 * @param failures is notified of each failed write
	 * @param bytes the number of written bytes, including bytes that the container has
	 * not sent yet
	 */
	WriteTrackingResponse(HttpServletResponse response, Consumer<Throwable> failures, AtomicLong bytes) {
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
			known = new Writer(output, new CountedText(output, getCharacterEncoding()));
			this.writer = known;
		}
		return known;
	}

	/** Afterwards, either the stream or the writer can be used. */
	@Override
	public void reset() {
		super.reset();
		this.bytes.set(0);
		this.stream = null;
		this.writer = null;
	}

	@Override
	public void resetBuffer() {
		super.resetBuffer();
		this.bytes.set(0);
	}

	/** The container discards what was written. */
	@Override
	public void sendError(int status) throws IOException {
		super.sendError(status);
		this.bytes.set(0);
	}

	/** The container discards what was written. */
	@Override
	public void sendError(int status, String message) throws IOException {
		super.sendError(status, message);
		this.bytes.set(0);
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
			WriteTrackingResponse.this.bytes.incrementAndGet();
		}

		@Override
		public void write(byte[] bytes, int offset, int length) throws IOException {
			report(() -> this.output.write(bytes, offset, length));
			WriteTrackingResponse.this.bytes.addAndGet(length);
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

		private Writer(PrintWriter output, CountedText counted) {
			super(counted);
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
	private final class CountedText extends java.io.Writer {

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
			WriteTrackingResponse.this.bytes.incrementAndGet();
		}

		@Override
		public void write(byte[] encoded, int offset, int length) {
			WriteTrackingResponse.this.bytes.addAndGet(length);
		}

	}

}
