package io.tierlimit.application;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Sends bytes to a server that no client library would send.
 */
final class RawHttp {

	private static final int TIMEOUT_MILLIS = 30_000;

	private final int port;

	RawHttp(int port) {
		this.port = port;
	}

	/** Sends one request on a new connection. */
	Reply send(String requestLine, String headers, String body) {
		String request = requestLine + "\r\nHost: localhost\r\nConnection: close\r\n" + headers + "\r\n" + body;
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			socket.setSoTimeout(TIMEOUT_MILLIS);
			socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
			socket.getOutputStream().flush();
			return new Reply(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1));
		}
		catch (IOException ex) {
			throw new IllegalStateException(request, ex);
		}
	}

	/**
	 * Sends the header of a request, and closes the connection after the status of the
	 * response.
	 */
	int statusOf(String requestLine, String headers) {
		String request = requestLine + "\r\nHost: localhost\r\n" + headers + "\r\n";
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			socket.setSoTimeout(TIMEOUT_MILLIS);
			socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
			socket.getOutputStream().flush();
			BufferedReader answer = new BufferedReader(
					new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
			String line = answer.readLine();
			while (line != null && !(line.startsWith("HTTP/") && !line.startsWith("HTTP/1.1 100"))) {
				line = answer.readLine();
			}
			return (line != null) ? Integer.parseInt(line.substring(9, 12)) : 0;
		}
		catch (IOException ex) {
			throw new IllegalStateException(request, ex);
		}
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
