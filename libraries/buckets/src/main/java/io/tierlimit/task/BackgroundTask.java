package io.tierlimit.task;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A task that repeats its steps in its own daemon thread until it is stopped. Each start
 * begins a run of the task, and creates the thread. The run repeats its steps in a loop.
 * When the task is stopped, the current pause of the loop ends early:
 *
 * <pre>
 * new BackgroundTask("tierlimit-example", (run) -&gt; {
 *     while (run.pause(interval)) {
 *         step();
 *     }
 *     flush();
 * });
 * </pre>
 *
 * A step must catch its own exceptions, because an exception would end the run. After
 * that, the task can be started again.
 */
public final class BackgroundTask {

	private final String name;

	private final Consumer<Run> body;

	/** The lock of the run that makes steps. */
	private final Object steps = new Object();

	/** {@code null} before the first start. */
	private volatile @Nullable Run current;

	/**
	 * Creates a task, which has no thread before it is started.
	 * @param name the name of the thread
	 * @param body repeats the steps until the run is to end
	 */
	public BackgroundTask(String name, Consumer<Run> body) {
		this.name = name;
		this.body = body;
	}

	/** Begins a run, unless the task is running. */
	public synchronized void start() {
		if (!isRunning()) {
			Run started = new Run();
			started.thread.start();
			this.current = started;
		}
	}

	/**
	 * Whether the task was started, and was neither stopped nor has failed since.
	 * @return {@code false} even if the last step has not ended yet
	 */
	public boolean isRunning() {
		Run run = this.current;
		return run != null && !run.isEnding();
	}

	/**
	 * Stops the task, and waits until its run has ended. A step that takes longer than
	 * the wait continues.
	 * @param limit the maximum time of the wait
	 * @return {@code false} if the run has not ended. The wait also ends if the current
	 * thread is interrupted, and its interrupt status remains set
	 */
	public boolean stop(Duration limit) {
		Run run = this.current;
		if (run == null) {
			return true;
		}
		run.ending.countDown();
		try {
			TimeUnit.NANOSECONDS.timedJoin(run.thread, limit.toNanos());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return !run.thread.isAlive();
	}

	/**
	 * Stops the task and interrupts its current step, without waiting. No other method of
	 * this class interrupts the thread.
	 */
	public void interrupt() {
		Run run = this.current;
		if (run != null) {
			run.ending.countDown();
			run.thread.interrupt();
		}
	}

	/**
	 * One run of the task, from a start to a stop. If the last step of a run has not
	 * ended when the task is started again, the steps of the next run begin after it.
	 */
	public final class Run {

		private final CountDownLatch ending = new CountDownLatch(1);

		private final Thread thread = new Thread(this::run, BackgroundTask.this.name);

		private Run() {
			this.thread.setDaemon(true);
		}

		private void run() {
			try {
				synchronized (BackgroundTask.this.steps) {
					BackgroundTask.this.body.accept(this);
				}
			}
			finally {
				// A run that has failed is no longer running, so that the task can be
				// started again.
				this.ending.countDown();
			}
		}

		/**
		 * Whether this run was stopped. Then no further step must begin.
		 * @return {@code true} from the stop on
		 */
		public boolean isEnding() {
			return this.ending.getCount() == 0;
		}

		/**
		 * Waits until the next step.
		 * @param time the time to wait
		 * @return {@code true} after this time, for the next step; {@code false} as soon
		 * as the run was stopped
		 */
		public boolean pause(Duration time) {
			try {
				return !this.ending.await(time.toNanos(), TimeUnit.NANOSECONDS);
			}
			catch (InterruptedException ex) {
				if (isEnding()) {
					Thread.currentThread().interrupt();
					return false;
				}
				// A step has interrupted its own thread. This does not end the task.
				return pause(time);
			}
		}

	}

}
