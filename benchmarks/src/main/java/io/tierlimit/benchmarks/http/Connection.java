package io.tierlimit.benchmarks.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * One connection that stays open for many requests. It reads only as much of a response
 * as is needed to find the status and the end, because the client shares the processors
 * with the server.
 */
final class Connection implements AutoCloseable {

	private static final byte[] LENGTH = ascii("\r\nContent-Length: ");

	private static final byte[] END_OF_HEAD = ascii("\r\n\r\n");

	private static final byte[] END_OF_CHUNKS = ascii("\r\n0\r\n\r\n");

	private final Socket socket;

	private final InputStream input;

	private final byte[] response = new byte[8192];

	private int received;

	Connection(int port) throws IOException {
		this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
		this.socket.setTcpNoDelay(true);
		this.input = this.socket.getInputStream();
	}

	static byte[] get(String path, String user) {
		return ascii("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nX-User: " + user + "\r\n\r\n");
	}

	/**
	 * Sends a request, and reads the whole response.
	 * @return its status
	 */
	int send(byte[] request) throws IOException {
		this.socket.getOutputStream().write(request);
		this.received = 0;
		int head = readUntil(END_OF_HEAD, 0);
		int length = indexOf(LENGTH, 0, head);
		if (length < 0) {
			readUntil(END_OF_CHUNKS, head - 2);
		}
		else {
			int end = head + number(length + LENGTH.length);
			while (this.received < end) {
				read();
			}
		}
		return number(ascii("HTTP/1.1 ").length);
	}

	/** Reads until a string has been received. Returns the position after the string. */
	private int readUntil(byte[] text, int from) throws IOException {
		while (true) {
			int index = indexOf(text, from, this.received);
			if (index >= 0) {
				return index + text.length;
			}
			read();
		}
	}

	private void read() throws IOException {
		int count = this.input.read(this.response, this.received, this.response.length - this.received);
		if (count <= 0) {
			throw new EOFException("The server closed the connection, or the response is longer than "
					+ this.response.length + " bytes.");
		}
		this.received += count;
	}

	private int indexOf(byte[] text, int from, int to) {
		for (int i = from; i <= to - text.length; i++) {
			int same = 0;
			while (same < text.length && this.response[i + same] == text[same]) {
				same++;
			}
			if (same == text.length) {
				return i;
			}
		}
		return -1;
	}

	private int number(int from) {
		int number = 0;
		for (int i = from; this.response[i] >= '0' && this.response[i] <= '9'; i++) {
			number = 10 * number + this.response[i] - '0';
		}
		return number;
	}

	private static byte[] ascii(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
