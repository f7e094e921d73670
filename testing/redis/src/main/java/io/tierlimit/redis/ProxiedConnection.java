package io.tierlimit.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A client's connection to a {@link TcpProxy}, and the proxy's connection to the server.
 * If one connection ends, the other is closed.
 */
final class ProxiedConnection {

	private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

	private static final int BUFFER_BYTES = 16 * 1024;

	private final TcpProxy proxy;

	private final Socket client;

	private final Socket server = new Socket();

	private final int target;

	ProxiedConnection(TcpProxy proxy, Socket client, int target) {
		this.proxy = proxy;
		this.client = client;
		this.target = target;
	}

	void forwardRequests() {
		try {
			this.client.setTcpNoDelay(true);
			this.server.setTcpNoDelay(true);
			this.server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.target),
					CONNECT_TIMEOUT_MILLIS);
			this.proxy.start("replies", () -> forward(this.server, this.client));
		}
		catch (IOException ex) {
			close();
		}
		forward(this.client, this.server);
	}

	private void forward(Socket from, Socket to) {
		boolean reply = (from == this.server);
		byte[] buffer = new byte[BUFFER_BYTES];
		try {
			InputStream input = from.getInputStream();
			for (int length = input.read(buffer); length >= 0; length = input.read(buffer)) {
				this.proxy.awaitForwarding(this, reply);
				int cut = reply ? this.proxy.cutWithin(length) : -1;
				to.getOutputStream().write(buffer, 0, (cut < 0) ? length : cut);
				if (cut >= 0) {
					break;
				}
			}
		}
		catch (IOException ex) {
			// One connection is closed, so the other is closed below.
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		close();
	}

	boolean isClosed() {
		return this.client.isClosed();
	}

	void close() {
		closeQuietly(this.client);
		closeQuietly(this.server);
		this.proxy.remove(this);
	}

	private static void closeQuietly(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// The socket is useless even if it cannot be closed.
		}
	}

}
