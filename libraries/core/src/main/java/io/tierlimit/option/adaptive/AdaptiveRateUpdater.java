package io.tierlimit.option.adaptive;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.tierlimit.logging.OnceLogger;
import io.tierlimit.store.BucketStore;
import io.tierlimit.task.BackgroundTask;

/**
 * Updates the adaptive rates of the current rules once per second, in a thread that
 * exists while at least one rule has an adaptive rate.
 */
public final class AdaptiveRateUpdater implements AutoCloseable {

	/** The maximum time that {@link #close()} waits for an update. */
	private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private final OnceLogger warnings = new OnceLogger(AdaptiveRateUpdater.class);

	private final Supplier<AdaptiveRates> rates;

	private final Consumer<Runnable> whenReplaced;

	private final BucketStore store;

	/** Runs while at least one rule has an adaptive rate. */
	private final BackgroundTask task = new BackgroundTask("tierlimit-adaptive", this::run);

	private boolean closed;

	/**
	 * Creates an updater, which does nothing before it is started.
	 * @param rates the rates of the current rules
	 * @param whenReplaced adds an action that runs when the rules are replaced
	 * @param store stores the reductions of the rates
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

	private synchronized void schedule() {
		AdaptiveRates current = this.rates.get();
		current.whenAdded(this::schedule);
		if (current.isEmpty() || this.closed) {
			this.task.interrupt();
		}
		else {
			this.task.start();
		}
	}

	private void run(BackgroundTask.Run run) {
		while (!run.isEnding()) {
			update();
			run.pause(INTERVAL);
		}
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
		synchronized (this) {
			this.closed = true;
			this.task.interrupt();
		}
		this.task.stop(CLOSE_LIMIT);
	}

}
