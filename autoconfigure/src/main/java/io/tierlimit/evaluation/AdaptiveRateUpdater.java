package io.tierlimit.evaluation;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.tierlimit.adaptive.AdaptiveRates;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.spi.BucketStore;
import org.jspecify.annotations.Nullable;

/**
 * Updates the adaptive rates of the rules in force once per second, in a thread that
 * exists while a rule has such a rate.
 */
public final class AdaptiveRateUpdater implements AutoCloseable {

	/** How long {@link #close()} waits for an update. */
	private static final long CLOSE_SECONDS = 5;

	private final OnceLogger warnings = new OnceLogger(AdaptiveRateUpdater.class);

	private final RulesInForce rules;

	private final BucketStore store;

	/** {@code null} while no rate is adaptive. */
	private @Nullable ScheduledExecutorService scheduler;

	private boolean closed;

	/**
	 * Creates an updater, which does nothing before it is started.
	 * @param rules the rules in force
	 * @param store stores by how much the rates are reduced
	 */
	public AdaptiveRateUpdater(RulesInForce rules, BucketStore store) {
		this.rules = rules;
		this.store = store;
	}

	/** Starts the updates for the rules in force, and for those that replace them. */
	public void start() {
		this.rules.whenReplaced((replaced) -> schedule());
		schedule();
	}

	@SuppressWarnings("FutureReturnValueIgnored") // an update throws nothing
	private synchronized void schedule() {
		AdaptiveRates current = this.rules.current().adaptiveRates();
		current.whenAdded(this::schedule);
		boolean needed = !current.isEmpty() && !this.closed;
		if (needed && this.scheduler == null) {
			ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(AdaptiveRateUpdater::thread);
			started.scheduleWithFixedDelay(this::update, 0, 1, TimeUnit.SECONDS);
			this.scheduler = started;
		}
		else if (!needed && this.scheduler != null) {
			this.scheduler.shutdownNow();
			this.scheduler = null;
		}
	}

	private static Thread thread(Runnable updates) {
		Thread thread = new Thread(updates, "tierlimit-adaptive");
		thread.setDaemon(true);
		return thread;
	}

	/** Updates the rates once. A failure is logged. */
	public void update() {
		try {
			this.rules.current().adaptiveRates().update(this.store);
		}
		catch (Throwable ex) { // any exception would end the updates
			this.warnings.warn(this, "The adaptive rates were not updated. The next update follows.", ex);
		}
	}

	@Override
	public void close() {
		ScheduledExecutorService stopped;
		synchronized (this) {
			this.closed = true;
			stopped = this.scheduler;
			this.scheduler = null;
		}
		if (stopped != null) {
			stopped.shutdownNow();
			try {
				stopped.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
