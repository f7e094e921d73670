package io.tierlimit.replay;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;

import org.jspecify.annotations.Nullable;

/**
 * The lines of a file or a stream, which may be compressed by gzip. Lines that are longer
 * than {@link #MAX_LENGTH} are not kept in memory.
 */
final class LogLines implements Closeable {

	/** The maximum length of a line in bytes. */
	static final int MAX_LENGTH = 64 * 1024;

	private static final int BUFFER = 64 * 1024;

	private final InputStream input;

	private final byte[] buffer = new byte[BUFFER];

	private int start;

	private int end;

	private final byte[] line = new byte[MAX_LENGTH];

	/**
	 * Opens the lines.
	 * @param raw the stream
	 * @param read counts the bytes that were read from the stream
	 */
	LogLines(InputStream raw, AtomicLong read) throws IOException {
		BufferedInputStream counted = new BufferedInputStream(new CountingInputStream(raw, read), BUFFER);
		counted.mark(2);
		boolean compressed = counted.read() == 0x1f && counted.read() == 0x8b;
		counted.reset();
		this.input = compressed ? new GZIPInputStream(counted, BUFFER) : counted;
	}

	/**
	 * The next line.
	 * @return the line without its line break, or {@code null} after the last line
	 * @throws InvalidLineException if the line is too long
	 */
	@Nullable String next() throws IOException, InvalidLineException {
		int next = read();
		if (next < 0) {
			return null;
		}
		int length = 0;
		while (next >= 0 && next != '\n') {
			if (length < MAX_LENGTH) {
				this.line[length] = (byte) next;
			}
			length = Math.min(length + 1, MAX_LENGTH + 1);
			next = read();
		}
		return text(length);
	}

	/**
	 * The next byte; -1 at the end. A {@code BufferedInputStream} would lock each time.
	 */
	private int read() throws IOException {
		if (this.start == this.end) {
			this.start = 0;
			this.end = Math.max(0, this.input.read(this.buffer));
			if (this.end == 0) {
				return -1;
			}
		}
		return this.buffer[this.start++] & 0xff;
	}

	private String text(int length) throws InvalidLineException {
		if (length > MAX_LENGTH) {
			throw new InvalidLineException("longer than " + MAX_LENGTH + " bytes");
		}
		boolean carriageReturn = length > 0 && this.line[length - 1] == '\r';
		return new String(this.line, 0, carriageReturn ? length - 1 : length, StandardCharsets.UTF_8);
	}

	@Override
	public void close() throws IOException {
		this.input.close();
	}

	/** Counts the bytes that a {@code BufferedInputStream} reads. */
	private static final class CountingInputStream extends FilterInputStream {

		private final AtomicLong count;

		CountingInputStream(InputStream input, AtomicLong count) {
			super(input);
			this.count = count;
		}

		@Override
		public int read(byte[] bytes, int offset, int length) throws IOException {
			int read = super.read(bytes, offset, length);
			this.count.addAndGet(Math.max(0, read));
			return read;
		}

	}

}
