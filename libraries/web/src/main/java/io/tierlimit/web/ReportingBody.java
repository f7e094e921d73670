package io.tierlimit.web;

import java.io.IOException;
import java.util.function.IntConsumer;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;

/**
 * The body of a request, which reports the bytes that are read.
 */
final class ReportingBody extends ServletInputStream {

	private final ServletInputStream body;

	private final IntConsumer reads;

	/**
	 * Creates a stream.
	 * @param reads is notified of the number of bytes that a call has read, if it is
	 * positive
	 */
	ReportingBody(ServletInputStream body, IntConsumer reads) {
		this.body = body;
		this.reads = reads;
	}

	@Override
	public int read() throws IOException {
		int value = this.body.read();
		if (value >= 0) {
			this.reads.accept(1);
		}
		return value;
	}

	@Override
	public int read(byte[] bytes, int offset, int length) throws IOException {
		int count = this.body.read(bytes, offset, length);
		if (count > 0) {
			this.reads.accept(count);
		}
		return count;
	}

	@Override
	public int available() throws IOException {
		return this.body.available();
	}

	@Override
	public boolean isFinished() {
		return this.body.isFinished();
	}

	@Override
	public boolean isReady() {
		return this.body.isReady();
	}

	@Override
	public void setReadListener(ReadListener listener) {
		this.body.setReadListener(listener);
	}

	@Override
	public void close() throws IOException {
		this.body.close();
	}

}
