package io.tierlimit.application;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Sends bytes that no client library would send.
 */
final class RawHttp {

	private static final int TIMEOUT_MILLIS = 30_000;

	private final int port;

	RawHttp(int port) {
		this.port = port;
	}

	/** Sends one request on a new connection. */
	Reply send(String requestLine, String headers, String body) {
		return exchange(requestLine, "Connection: close\r\n" + headers + "\r\n" + body,
				(socket) -> new Reply(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1)));
	}

	/**
	 * Sends the header of a request, and closes the connection after the status of the
	 * response.
	 */
	int statusOf(String requestLine, String headers) {
		return exchange(requestLine, headers + "\r\n", (socket) -> {
			BufferedReader answer = new BufferedReader(
					new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
			String line = answer.readLine();
			while (line != null && !(line.startsWith("HTTP/") && !line.startsWith("HTTP/1.1 100"))) {
				line = answer.readLine();
			}
			return (line != null) ? Integer.parseInt(line.substring(9, 12)) : 0;
		});
	}

	/** Sends a request, and resets the connection after an action. */
	void reset(String requestLine, Runnable action) {
		exchange(requestLine, "\r\n", (socket) -> {
			action.run();
			// The socket now answers all data with a reset.
			socket.setSoLinger(true, 0);
			return requestLine;
		});
	}

	private <T> T exchange(String requestLine, String rest, Reader<T> reader) {
		String request = requestLine + "\r\nHost: localhost\r\n" + rest;
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			socket.setSoTimeout(TIMEOUT_MILLIS);
			socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
			socket.getOutputStream().flush();
			return reader.read(socket);
		}
		catch (IOException ex) {
			throw new IllegalStateException(request, ex);
		}
	}

	private interface Reader<T> {

		T read(Socket socket) throws IOException;

	}

	/**
	 * A response.
	 *
	 * @param text the whole response
	 */
	record Reply(String text) {

		int status() {
			return (this.text.length() > 12) ? Integer.parseInt(this.text.substring(9, 12)) : 0;
		}

		String header(String name) {
			String head = "\r\n" + this.text.split("\r\n\r\n", 2)[0] + "\r\n";
			int start = head.toLowerCase(Locale.ROOT).indexOf("\r\n" + name.toLowerCase(Locale.ROOT) + ":");
			if (start < 0) {
				return "";
			}
			int value = start + name.length() + 3;
			return head.substring(value, head.indexOf("\r\n", value)).strip();
		}

	}

}
