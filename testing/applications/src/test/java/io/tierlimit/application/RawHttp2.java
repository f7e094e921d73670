package io.tierlimit.application;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A connection with HTTP/2 whose requests do not end, or are reset: no client library
 * sends these.
 */
final class RawHttp2 implements AutoCloseable {

	private static final int TIMEOUT_MILLIS = 60_000;

	private static final int HEADERS = 1;

	private static final int RST_STREAM = 3;

	private static final int SETTINGS = 4;

	private static final int ACKNOWLEDGED = 1;

	private static final int END_OF_HEADERS = 4;

	private static final int AUTHORITY = 1;

	private static final int METHOD = 2;

	private static final int PATH = 4;

	private static final int SCHEME_IS_HTTP = 0x86;

	private static final byte[] CANCEL = { 0, 0, 0, 8 };

	private final Socket socket;

	private final DataInputStream input;

	private final DataOutputStream output;

	private int stream = -1;

	RawHttp2(int port) {
		try {
			this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
			this.socket.setSoTimeout(TIMEOUT_MILLIS);
			this.input = new DataInputStream(this.socket.getInputStream());
			this.output = new DataOutputStream(this.socket.getOutputStream());
			this.output.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
			write(SETTINGS, 0, 0, new byte[0]);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Sends the headers of a request whose stream stays open, as if a body followed.
	 * Returns the stream.
	 */
	int begin(String method, String path, String... headers) {
		this.stream += 2;
		ByteArrayOutputStream block = new ByteArrayOutputStream();
		add(block, METHOD, method);
		block.write(SCHEME_IS_HTTP);
		add(block, AUTHORITY, "localhost");
		add(block, PATH, path);
		for (int i = 0; i < headers.length; i += 2) {
			block.write(0);
			addText(block, headers[i]);
			addText(block, headers[i + 1]);
		}
		write(HEADERS, END_OF_HEADERS, this.stream, block.toByteArray());
		return this.stream;
	}

	/** Adds a header whose name is in the static table. */
	private static void add(ByteArrayOutputStream block, int name, String value) {
		block.write(name);
		addText(block, value);
	}

	private static void addText(ByteArrayOutputStream block, String text) {
		block.write(text.length());
		block.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
	}

	/** Cancels the request of a stream. */
	void reset(int stream) {
		write(RST_STREAM, 0, stream, CANCEL);
	}

	/** Reads frames until the headers of a response have arrived. */
	void awaitResponse(int stream) {
		try {
			while (true) {
				int length = this.input.readUnsignedShort() << 8 | this.input.readUnsignedByte();
				int type = this.input.readUnsignedByte();
				int flags = this.input.readUnsignedByte();
				int sender = this.input.readInt();
				byte[] payload = this.input.readNBytes(length);
				if (type == SETTINGS && flags != ACKNOWLEDGED) {
					write(SETTINGS, ACKNOWLEDGED, 0, new byte[0]);
				}
				if (type == HEADERS && sender == stream) {
					return;
				}
				if (type == RST_STREAM && sender == stream) {
					throw new IllegalStateException("The server has reset the stream: error " + payload[3]);
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void write(int type, int flags, int stream, byte[] payload) {
		try {
			this.output.writeInt(payload.length << 8 | type);
			this.output.writeByte(flags);
			this.output.writeInt(stream);
			this.output.write(payload);
			this.output.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
