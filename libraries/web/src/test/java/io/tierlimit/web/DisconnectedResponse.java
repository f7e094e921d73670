package io.tierlimit.web;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.mock.web.DelegatingServletOutputStream;

/**
 * A response whose client has disconnected.
 */
final class DisconnectedResponse extends HttpServletResponseWrapper {

	/** The listener of non-blocking writes; {@code null} until it is set. */
	@Nullable WriteListener listener;

	private final ServletOutputStream output = new DelegatingServletOutputStream(new BrokenPipe()) {

		@Override
		public void setWriteListener(WriteListener writeListener) {
			DisconnectedResponse.this.listener = writeListener;
		}

	};

	DisconnectedResponse(HttpServletResponse response) {
		super(response);
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

	private static final class BrokenPipe extends OutputStream {

		@Override
		public void write(int value) throws IOException {
			throw new IOException("Broken pipe");
		}

		@Override
		public void flush() throws IOException {
			write(0);
		}

		@Override
		public void close() throws IOException {
			write(0);
		}

	}

}
