package io.tierlimit.redis;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One connection to a server with RESP 2. Unlike a client library, it neither interprets
 * replies nor reconnects.
 */
public final class RedisSocket implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final Socket socket;

	private final InputStream replies;

	public RedisSocket(int port) {
		this(port, TIMEOUT);
	}

	/** Connects to a port of this machine. The timeout also applies to every reply. */
	@SuppressWarnings("resource") // closed by close()
	public RedisSocket(int port, Duration timeout) {
		this.socket = new Socket();
		try {
			this.socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
					(int) timeout.toMillis());
			this.socket.setSoTimeout((int) timeout.toMillis());
			this.socket.setTcpNoDelay(true);
			this.replies = new BufferedInputStream(this.socket.getInputStream());
		}
		catch (IOException ex) {
			close();
			throw new UncheckedIOException("Port " + port, ex);
		}
	}

	/**
	 * Sends a command and returns its reply: an array has one line per element, nested or
	 * not, and nil is {@code (nil)}.
	 * @throws ErrorReply if the reply is an error
	 * @throws UncheckedIOException if there is no reply in time, or the connection is cut
	 */
	public String command(String... words) {
		send(words);
		return reply();
	}

	/** Sends a command without waiting: {@link #reply()} returns its reply. */
	public void send(String... words) {
		try {
			ByteArrayOutputStream command = new ByteArrayOutputStream();
			command.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.UTF_8));
			for (String word : words) {
				byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
				command.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.UTF_8));
				command.writeBytes(bytes);
				command.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
			}
			this.socket.getOutputStream().write(command.toByteArray());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** The next reply, as {@link #command} returns it. */
	public String reply() {
		try {
			List<String> lines = new ArrayList<>();
			boolean error = read(lines);
			String text = String.join("\n", lines);
			if (error) {
				throw new ErrorReply(text);
			}
			return text;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Reads a reply. Returns true for an error; an error inside an array is a line of the
	 * array.
	 */
	private boolean read(List<String> lines) throws IOException {
		String head = line();
		String rest = head.substring(1);
		switch (head.charAt(0)) {
			case '+', '-', ':' -> lines.add(rest);
			case '$' -> lines.add(bulk(Integer.parseInt(rest)));
			case '*' -> {
				int size = Integer.parseInt(rest);
				if (size < 0) {
					lines.add("(nil)");
				}
				for (int i = 0; i < size; i++) {
					read(lines);
				}
			}
			default -> throw new IOException("Not RESP 2: " + head);
		}
		return head.charAt(0) == '-';
	}

	private String bulk(int length) throws IOException {
		if (length < 0) {
			return "(nil)";
		}
		byte[] bytes = this.replies.readNBytes(length);
		if (bytes.length < length || !line().isEmpty()) {
			throw new EOFException("Cut in the middle of a reply");
		}
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private String line() throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		for (int next = this.replies.read(); next != '\n'; next = this.replies.read()) {
			if (next < 0) {
				throw new EOFException("Cut " + ((line.size() > 0) ? "in the middle of" : "before") + " a reply");
			}
			line.write(next);
		}
		return line.toString(StandardCharsets.UTF_8).stripTrailing();
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

	/**
	 * An error reply, with the message of Redis.
	 */
	public static final class ErrorReply extends RuntimeException {

		private static final long serialVersionUID = 1L;

		ErrorReply(String message) {
			super(message);
		}

	}

}
