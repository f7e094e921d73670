package io.tierlimit.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Provides free ports below the usual range of ports for outgoing connections. No
 * outgoing connection therefore occupies the port of a server that restarts, and a client
 * that reconnects to the port of a stopped server never connects to itself.
 */
public final class LoopbackPorts {

	private static final int LOWEST_PORT = 12_000;

	private static final int COUNT = 10_000;

	/** The difference between the cluster bus port of a node and its port. */
	private static final int BUS_OFFSET = 10_000;

	private static int nextOffset = ThreadLocalRandom.current().nextInt(COUNT);

	private LoopbackPorts() {
	}

	/** Finds a free port whose cluster bus port is also free. */
	public static synchronized int free() {
		for (int tries = 0; tries < COUNT; tries++) {
			int port = LOWEST_PORT + nextOffset;
			nextOffset = (nextOffset + 1) % COUNT;
			if (isFree(port) && isFree(port + BUS_OFFSET)) {
				return port;
			}
		}
		throw new IllegalStateException("No free port from " + LOWEST_PORT + " to " + (LOWEST_PORT + COUNT - 1));
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
