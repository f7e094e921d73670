package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One connection that all requests share. It is made by a thread of its own, so that no
 * request ever waits for more than it wants to.
 *
 * @param <C> the type of connection
 */
final class SharedConnection<C> {

	private static final Log logger = LogFactory.getLog(SharedConnection.class);

	/** How long a failed attempt stands for the next ones. */
	private static final Duration PAUSE = Duration.ofMillis(100);

	/** How long a connection is kept that nobody begins to use any more. */
	private static final Duration GRACE = Duration.ofSeconds(1);

	private final ExecutorService thread = Executors.newSingleThreadExecutor((task) -> {
		Thread made = new Thread(task, "tierlimit-redis-connect");
		made.setDaemon(true);
		return made;
	});

	private final Callable<C> connect;

	private final Consumer<C> disconnect;

	private final AtomicBoolean exchanging = new AtomicBoolean();

	private volatile Attempt<C> attempt;

	private volatile boolean closed;

	SharedConnection(Callable<C> connect, Consumer<C> disconnect) {
		this.connect = connect;
		this.disconnect = disconnect;
		this.attempt = start();
	}

	/**
	 * The connection.
	 * @return what is completed when there is one, or it can't be made
	 */
	CompletableFuture<C> get() {
		Attempt<C> current = this.attempt;
		if (!current.isOver()) {
			return current.connection;
		}
		replace(current);
		return this.attempt.connection;
	}

	/** The connection, if there is one already; doesn't try to make one. */
	@Nullable C present() {
		return made(this.attempt);
	}

	/** Gives up the connection, if there is one, and makes another one. */
	void renew() {
		Attempt<C> current = this.attempt;
		if (made(current) != null) {
			replace(current);
		}
	}

	/**
	 * Makes another connection. If there is one already, it serves until then, and those
	 * who are just using it may go on for a while.
	 */
	void exchange() {
		Attempt<C> current = this.attempt;
		if (made(current) == null || !this.exchanging.compareAndSet(false, true)) {
			return;
		}
		try {
			this.thread.execute(() -> exchange(current));
		}
		catch (RejectedExecutionException ex) {
			logger.debug("The connection is closed", ex);
		}
	}

	private void exchange(Attempt<C> old) {
		try {
			Attempt<C> next = new Attempt<>();
			run(next);
			if (made(next) != null) {
				this.attempt = next;
				CompletableFuture.delayedExecutor(GRACE.toMillis(), TimeUnit.MILLISECONDS).execute(() -> retire(old));
			}
		}
		finally {
			this.exchanging.set(false);
		}
	}

	private void retire(Attempt<C> old) {
		if (!this.closed) {
			release(old);
		}
	}

	private static <C> @Nullable C made(Attempt<C> attempt) {
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
		try {
			this.thread.execute(() -> run(started));
		}
		catch (RejectedExecutionException ex) {
			started.connection.completeExceptionally(ex);
		}
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
			logger.debug("Redis can't be connected to", ex);
			started.failedAt = System.nanoTime();
			started.connection.completeExceptionally(ex);
		}
	}

	/** Makes no more connections; the present one is for its client to close. */
	void close() {
		this.closed = true;
		this.thread.shutdown();
		Attempt<C> last = this.attempt;
		if (!last.connection.isDone()) {
			release(last);
		}
	}

	/** Disconnects now or, if it is being connected, then. */
	private void release(Attempt<C> old) {
		CompletableFuture<Void> unused = old.connection.thenAccept(this.disconnect);
	}

	private static final class Attempt<C> {

		private final CompletableFuture<C> connection = new CompletableFuture<>();

		/** Set before the connection fails. */
		private long failedAt;

		private boolean isOver() {
			return this.connection.isCompletedExceptionally() && System.nanoTime() - this.failedAt > PAUSE.toNanos();
		}

	}

}
