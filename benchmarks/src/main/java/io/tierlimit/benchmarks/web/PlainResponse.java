package io.tierlimit.benchmarks.web;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.mock.web.MockHttpServletResponse;

/**
 * A response that discards its content, and whose methods do not allocate memory.
 */
final class PlainResponse extends HttpServletResponseWrapper {

	private int status = HttpServletResponse.SC_OK;

	private @Nullable String retryAfter;

	private int bytes;

	private final ServletOutputStream nowhere = new ServletOutputStream() {

		@Override
		public void write(int b) {
			PlainResponse.this.bytes++;
		}

		@Override
		public void write(byte[] all, int offset, int length) {
			PlainResponse.this.bytes += length;
		}

		@Override
		public boolean isReady() {
			return true;
		}

		@Override
		public void setWriteListener(WriteListener listener) {
			throw new UnsupportedOperationException();
		}

	};

	PlainResponse() {
		super(new MockHttpServletResponse());
	}

	/** Resets the status, for the next response. */
	PlainResponse recycled() {
		this.status = HttpServletResponse.SC_OK;
		this.retryAfter = null;
		this.bytes = 0;
		return this;
	}

	/** The number of characters and bytes that were written. */
	int written() {
		return this.bytes;
	}

	@Override
	public int getStatus() {
		return this.status;
	}

	@Override
	public void setStatus(int status) {
		this.status = status;
	}

	@Override
	public void setHeader(String name, @Nullable String value) {
		if (name.equals("Retry-After")) {
			this.retryAfter = value;
		}
		this.bytes += (value != null) ? value.length() : 0;
	}

	@Override
	public @Nullable String getHeader(String name) {
		return name.equals("Retry-After") ? this.retryAfter : null;
	}

	@Override
	public boolean isCommitted() {
		return false;
	}

	@Override
	public void setContentType(String type) {
		this.bytes += type.length();
	}

	@Override
	public void setContentLength(int length) {
		this.bytes++;
	}

	@Override
	public ServletOutputStream getOutputStream() {
		return this.nowhere;
	}

}
