package io.tierlimit.sample;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import io.tierlimit.test.SimulatedTicker;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.Trigger;

/**
 * Runs due tasks while a test advances the clock, on the thread of the test.
 */
public final class SimulatedScheduler implements TaskScheduler {

	private final PriorityBlockingQueue<Task> tasks = new PriorityBlockingQueue<>();

	private final SimulatedTicker ticker;

	SimulatedScheduler(SimulatedTicker ticker) {
		this.ticker = ticker;
	}

	/**
	 * Advances the clock, and stops it at each time at which a task is due.
	 * @param time the time until the end
	 */
	public void advance(Duration time) {
		Instant end = now().plus(time);
		for (Task task = due(end); task != null; task = due(end)) {
			if (task.start.isAfter(now())) {
				this.ticker.advance(Duration.between(now(), task.start));
			}
			task.run();
		}
		this.ticker.advance(Duration.between(now(), end));
	}

	private @Nullable Task due(Instant end) {
		Task next = this.tasks.peek();
		return (next != null && !next.start.isAfter(end)) ? this.tasks.poll() : null;
	}

	private Instant now() {
		return this.ticker.instant();
	}

	@Override
	public Clock getClock() {
		InstantSource source = this::now;
		return source.withZone(ZoneOffset.UTC);
	}

	@Override
	public ScheduledFuture<?> schedule(Runnable task, Instant startTime) {
		Task scheduled = new Task(task, startTime);
		this.tasks.add(scheduled);
		return scheduled;
	}

	@Override
	public @Nullable ScheduledFuture<?> schedule(Runnable task, Trigger trigger) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Instant startTime, Duration period) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Duration period) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Instant startTime, Duration delay) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Duration delay) {
		throw new UnsupportedOperationException();
	}

	private final class Task extends FutureTask<@Nullable Void> implements ScheduledFuture<@Nullable Void> {

		private final Instant start;

		private Task(Runnable task, Instant start) {
			super(task, null);
			this.start = start;
		}

		@Override
		protected void setException(Throwable ex) {
			throw new AssertionError("A task failed", ex);
		}

		@Override
		public long getDelay(TimeUnit unit) {
			return unit.convert(Duration.between(now(), this.start));
		}

		@Override
		public int compareTo(Delayed other) {
			return Comparator.<Delayed>comparingLong((task) -> task.getDelay(TimeUnit.MICROSECONDS))
				.compare(this, other);
		}

	}

}
