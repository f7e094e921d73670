package io.tierlimit.option.adaptive;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.tierlimit.logging.OnceLogger;
import io.tierlimit.spi.BucketStore;
import org.jspecify.annotations.Nullable;

/**
 * Updates the adaptive rates of the current rules once per second, in a thread that
 * exists while a rule has such a rate.
 */
public final class AdaptiveRateUpdater implements AutoCloseable {

	/** How long {@link #close()} waits for an update. */
	private static final long CLOSE_SECONDS = 5;

	private final OnceLogger warnings = new OnceLogger(AdaptiveRateUpdater.class);

	private final Supplier<AdaptiveRates> rates;

	private final Consumer<Runnable> whenReplaced;

	private final BucketStore store;

	/** {@code null} while no rate is adaptive. */
	private @Nullable ScheduledExecutorService scheduler;

	private boolean closed;

	/**
	 * Creates an updater, which does nothing before it is started.
	 * @param rates the rates of the current rules
	 * @param whenReplaced adds an action that is run when the rules are replaced
	 * @param store stores by how much the rates are reduced
	 */
	public AdaptiveRateUpdater(Supplier<AdaptiveRates> rates, Consumer<Runnable> whenReplaced, BucketStore store) {
		this.rates = rates;
		this.whenReplaced = whenReplaced;
		this.store = store;
	}

	/** Starts the updates for the current rules, and for the rules that replace them. */
	public void start() {
		this.whenReplaced.accept(this::schedule);
		schedule();
	}

	@SuppressWarnings("FutureReturnValueIgnored") // an update throws nothing
	private synchronized void schedule() {
		AdaptiveRates current = this.rates.get();
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
			this.rates.get().update(this.store);
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
