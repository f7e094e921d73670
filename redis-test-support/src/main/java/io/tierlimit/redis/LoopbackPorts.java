package io.tierlimit.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Provides free ports below those that systems use for outgoing connections. So a server
 * that restarts on its port never finds it occupied, and a client that reconnects to the
 * port of a dead server never connects to itself.
 */
final class LoopbackPorts {

	private static final int LOWEST = 12_000;

	private static final int COUNT = 10_000;

	/** The distance of a cluster node's second port, the bus, from its first. */
	private static final int BUS_OFFSET = 10_000;

	private static int next = ThreadLocalRandom.current().nextInt(COUNT);

	private LoopbackPorts() {
	}

	/** A free port whose cluster bus port is also free. */
	static synchronized int free() {
		for (int tries = 0; tries < COUNT; tries++) {
			int port = LOWEST + next;
			next = (next + 1) % COUNT;
			if (isFree(port) && isFree(port + BUS_OFFSET)) {
				return port;
			}
		}
		throw new IllegalStateException("No free port from " + LOWEST + " to " + (LOWEST + COUNT - 1));
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket()) {
			socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

}
