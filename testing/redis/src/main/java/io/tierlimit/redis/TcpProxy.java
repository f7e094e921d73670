package io.tierlimit.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A network with faults: a proxy of a loopback port, whose faults affect old and new
 * connections alike, until {@link #heal()}.
 */
public final class TcpProxy implements AutoCloseable {

	private static final int PATIENCE_MILLIS = 60_000;

	private static final int NONE = -1;

	private final int port = LoopbackPorts.free();

	private final int target;

	private final Set<ProxiedConnection> connections = new HashSet<>();

	private final Set<Thread> threads = new HashSet<>();

	private ServerSocket listener;

	private boolean accepting;

	private Duration delay = Duration.ZERO;

	private boolean swallowing;

	/** The number of bytes of replies that are forwarded before the cut. */
	private int untilCut = NONE;

	/** Creates a proxy of a port, whose server may stop and start again. */
	public TcpProxy(int target) {
		this.target = target;
		this.listener = listen();
	}

	/**
	 * The port for clients. It does not change after {@link #reject()} and
	 * {@link #heal()}.
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Delays every reply. Replies that arrive during the delay follow together, after
	 * another delay.
	 */
	public synchronized void delay(Duration delay) {
		this.delay = delay;
		notifyAll();
	}

	/**
	 * Lets clients connect and send, but forwards nothing in either direction. As in a
	 * network without a route, nothing is lost: delayed bytes arrive late if the
	 * connection is healed before it is cut.
	 */
	public synchronized void swallow() {
		this.swallowing = true;
	}

	/** Closes the port and all connections. */
	public synchronized void reject() {
		close(this.listener);
		awaitClosedPort();
		cut();
	}

	/** Closes all connections now. New connections are accepted. */
	public synchronized void cut() {
		Set.copyOf(this.connections).forEach(ProxiedConnection::close);
	}

	/**
	 * Closes the connection of the next reply once, after {@code bytes} bytes of the
	 * reply. With 0, the server has executed the command, and the client receives no
	 * reply.
	 */
	public synchronized void cutAfter(int bytes) {
		this.untilCut = bytes;
	}

	/** Ends all faults; closed connections remain closed. */
	public synchronized void heal() {
		this.delay = Duration.ZERO;
		this.swallowing = false;
		this.untilCut = NONE;
		if (this.listener.isClosed()) {
			awaitClosedPort();
			this.listener = listen();
		}
		notifyAll();
	}

	/** Returns when the threads of the proxy have ended. */
	@Override
	public void close() {
		reject();
		try {
			for (List<Thread> left = threads(); !left.isEmpty(); left = threads()) {
				left.get(0).join(PATIENCE_MILLIS);
				if (left.get(0).isAlive()) {
					throw new IllegalStateException(left.get(0) + " does not end");
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private synchronized List<Thread> threads() {
		this.threads.removeIf((thread) -> !thread.isAlive());
		return List.copyOf(this.threads);
	}

	/** Runs a part of the proxy in a thread that {@link #close()} waits for. */
	synchronized void start(String name, Runnable part) {
		threads();
		Thread thread = new Thread(part, "proxy-" + this.port + "-" + name);
		thread.setDaemon(true);
		thread.start();
		this.threads.add(thread);
	}

	/**
	 * Waits until bytes that were just read may be forwarded, or until their connection
	 * is cut.
	 */
	synchronized void awaitForwarding(ProxiedConnection connection, boolean reply) throws InterruptedException {
		long start = System.nanoTime();
		while (!connection.isClosed()) {
			long wait = reply ? this.delay.toNanos() - (System.nanoTime() - start) : 0;
			if (this.swallowing) {
				wait();
			}
			else if (wait > 0) {
				TimeUnit.NANOSECONDS.timedWait(this, wait);
			}
			else {
				return;
			}
		}
	}

	/**
	 * How many of the next {@code bytes} of a reply are forwarded before the cut;
	 * negative without a cut.
	 */
	synchronized int cutWithin(int bytes) {
		int cut = this.untilCut;
		if (cut > bytes) {
			this.untilCut -= bytes;
			return NONE;
		}
		this.untilCut = NONE;
		return cut;
	}

	/** Removes a closed connection, and wakes the threads that wait for it. */
	synchronized void remove(ProxiedConnection connection) {
		this.connections.remove(connection);
		notifyAll();
	}

	private ServerSocket listen() {
		try {
			ServerSocket socket = new ServerSocket();
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.port));
			this.accepting = true;
			start("accept", () -> accept(socket));
			return socket;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Port " + this.port, ex);
		}
	}

	private void accept(ServerSocket socket) {
		try {
			while (true) {
				open(socket, socket.accept());
			}
		}
		catch (IOException ex) {
			close(socket); // unless its closing has ended the wait for clients
		}
		synchronized (this) {
			this.accepting = false;
			notifyAll();
		}
	}

	/**
	 * A socket accepts clients as long as a thread waits for them, even after it was
	 * closed.
	 */
	private synchronized void awaitClosedPort() {
		try {
			while (this.accepting) {
				wait();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	private synchronized void open(ServerSocket socket, Socket client) {
		ProxiedConnection connection = new ProxiedConnection(this, client, this.target);
		if (socket.isClosed()) {
			connection.close();
			return;
		}
		this.connections.add(connection);
		start("requests", connection::forwardRequests);
	}

	private static void close(ServerSocket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
