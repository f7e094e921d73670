package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One connection that all requests share. A separate thread connects, so that no request
 * waits longer than its timeout.
 *
 * @param <C> the type of connection
 */
final class SharedConnection<C> {

	private static final Log logger = LogFactory.getLog(SharedConnection.class);

	/** The minimum time from a failed attempt to connect until the next one. */
	private static final Duration RETRY_DELAY = Duration.ofMillis(100);

	/**
	 * The time for which a replaced connection stays open for the requests that use it.
	 */
	private static final Duration GRACE = Duration.ofSeconds(1);

	/** After the shutdown, the caller's thread runs a task, which does not connect. */
	private final ExecutorService thread = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS,
			new LinkedBlockingQueue<>(), (task) -> {
				Thread made = new Thread(task, "tierlimit-redis-connect");
				made.setDaemon(true);
				return made;
			}, (task, executor) -> task.run());

	private final Callable<C> connect;

	private final Consumer<C> disconnect;

	private final AtomicBoolean replacing = new AtomicBoolean();

	private volatile Attempt<C> attempt;

	private volatile boolean closed;

	SharedConnection(Callable<C> connect, Consumer<C> disconnect) {
		this.connect = connect;
		this.disconnect = disconnect;
		this.attempt = start();
	}

	/**
	 * The connection.
	 * @return a future that completes when the connection exists, or when the attempt to
	 * connect has failed
	 */
	CompletableFuture<C> get() {
		Attempt<C> current = this.attempt;
		if (current.isOver()) {
			replace(current);
		}
		return this.attempt.connection;
	}

	/** Returns the connection if it exists; does not connect. */
	@Nullable C present() {
		return connection(this.attempt);
	}

	/** Closes the connection, if it exists, and connects again. */
	void reconnect() {
		Attempt<C> current = this.attempt;
		if (connection(current) != null) {
			replace(current);
		}
	}

	/**
	 * Connects again, and replaces the connection, if it exists, when the new connection
	 * is established. Requests that use the old connection may continue for a second.
	 */
	void replaceGracefully() {
		Attempt<C> old = this.attempt;
		if (connection(old) == null || !this.replacing.compareAndSet(false, true)) {
			return;
		}
		Attempt<C> next = start();
		CompletableFuture<C> unused = next.connection.whenComplete((made, failure) -> {
			if (failure == null) {
				this.attempt = next;
				CompletableFuture.delayedExecutor(GRACE.toMillis(), TimeUnit.MILLISECONDS).execute(() -> retire(old));
			}
			this.replacing.set(false);
		});
	}

	private void retire(Attempt<C> old) {
		if (!this.closed) {
			release(old);
		}
	}

	private static <C> @Nullable C connection(Attempt<C> attempt) {
		CompletableFuture<C> connection = attempt.connection;
		return (connection.isDone() && !connection.isCompletedExceptionally()) ? connection.join() : null;
	}

	private synchronized void replace(Attempt<C> old) {
		if (this.attempt == old) {
			release(old);
			this.attempt = start();
		}
	}

	private Attempt<C> start() {
		Attempt<C> started = new Attempt<>();
		this.thread.execute(() -> run(started));
		return started;
	}

	private void run(Attempt<C> started) {
		if (this.closed) {
			started.connection.cancel(false);
			return;
		}
		try {
			started.connection.complete(this.connect.call());
		}
		catch (Throwable ex) {
			logger.debug("The connection to Redis failed", ex);
			started.failedAt = System.nanoTime();
			started.connection.completeExceptionally(ex);
		}
	}

	/** Stops connecting. An existing connection is closed by the client. */
	void close() {
		this.closed = true;
		this.thread.shutdown();
		Attempt<C> last = this.attempt;
		if (!last.connection.isDone()) {
			release(last);
		}
	}

	/** Closes a connection now or, if it is not established yet, as soon as it is. */
	private void release(Attempt<C> old) {
		CompletableFuture<Void> unused = old.connection.thenAccept(this.disconnect);
	}

	private static final class Attempt<C> {

		private final CompletableFuture<C> connection = new CompletableFuture<>();

		/** Set before the connection fails. */
		private long failedAt;

		private boolean isOver() {
			return this.connection.isCompletedExceptionally()
					&& System.nanoTime() - this.failedAt > RETRY_DELAY.toNanos();
		}

	}

}
