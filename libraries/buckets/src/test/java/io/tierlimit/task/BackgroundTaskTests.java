package io.tierlimit.task;

import java.lang.Thread.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.tierlimit.junit.Poll;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class BackgroundTaskTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final Duration NEVER = Duration.ofDays(1);

	private final BlockingQueue<Thread> steps = new LinkedBlockingQueue<>();

	private final BlockingQueue<Boolean> pauses = new LinkedBlockingQueue<>();

	private final CountDownLatch released = new CountDownLatch(1);

	private @Nullable BackgroundTask task;

	@AfterEach
	void release() {
		this.released.countDown();
		if (this.task != null) {
			this.task.interrupt();
		}
	}

	@Test
	void stepsRepeatInOneDaemonThreadWithTheName() throws InterruptedException {
		start((run) -> repeat(run, Duration.ofNanos(1)));
		Thread thread = this.steps.take();
		assertThat(thread.getName()).isEqualTo("tierlimit-test");
		assertThat(thread.isDaemon()).isTrue();
		assertThat(this.steps.take()).isSameAs(thread);
		assertThat(this.steps.take()).isSameAs(thread);
	}

	@Test
	void taskHasNoThreadBeforeTheStart() {
		BackgroundTask created = new BackgroundTask("tierlimit-test", (run) -> step());
		assertThat(created.isRunning()).isFalse();
		assertThat(created.stop(Duration.ZERO)).isTrue();
		created.interrupt();
		assertThat(this.steps).isEmpty();
	}

	@Test
	void pauseLastsUntilItsTimeIsOverOrTheTaskStops() throws InterruptedException {
		BackgroundTask started = start((run) -> {
			step();
			this.pauses.add(run.pause(Duration.ofNanos(1)));
			this.pauses.add(run.pause(NEVER));
			this.pauses.add(run.pause(NEVER));
		});
		this.steps.take();
		assertThat(this.pauses.take()).isTrue();
		assertThat(started.isRunning()).isTrue();
		assertThat(started.stop(PATIENCE)).isTrue();
		assertThat(this.pauses).containsExactly(false, false);
	}

	@Test
	void stopEndsThePauseAndWaitsForTheThread() throws InterruptedException {
		List<String> events = new ArrayList<>();
		BackgroundTask started = start((run) -> {
			repeat(run, NEVER);
			events.add("ending: " + run.isEnding() + ", interrupted: " + Thread.currentThread().isInterrupted());
		});
		Thread thread = this.steps.take();
		assertThat(started.stop(PATIENCE)).isTrue();
		assertThat(thread.isAlive()).isFalse();
		assertThat(started.isRunning()).isFalse();
		assertThat(events).containsExactly("ending: true, interrupted: false");
	}

	@Test
	void stopReturnsAfterItsLimitAndTheStepContinues() throws InterruptedException {
		BackgroundTask started = start((run) -> {
			step();
			await(this.released);
			step();
		});
		this.steps.take();
		assertThat(started.stop(Duration.ZERO)).isFalse();
		assertThat(started.isRunning()).isFalse();
		this.released.countDown();
		assertThat(started.stop(PATIENCE)).isTrue();
		assertThat(this.steps).as("the step was not interrupted").hasSize(1);
	}

	@Test
	void interruptedStopReturnsAndRemainsInterrupted() throws InterruptedException {
		BackgroundTask started = start((run) -> {
			step();
			await(this.released);
		});
		this.steps.take();
		Thread.currentThread().interrupt();
		boolean ended = started.stop(PATIENCE);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(ended).isFalse();
	}

	@Test
	void interruptEndsAStepAndItsRun() throws InterruptedException {
		List<String> events = new ArrayList<>();
		BackgroundTask started = start((run) -> {
			step();
			events.add(await(this.released) ? "released" : "interrupted");
			Thread.currentThread().interrupt();
			events.add("pause: " + run.pause(NEVER) + ", interrupted: " + Thread.currentThread().isInterrupted());
		});
		this.steps.take();
		started.interrupt();
		assertThat(started.isRunning()).isFalse();
		assertThat(started.stop(PATIENCE)).isTrue();
		assertThat(events).containsExactly("interrupted", "pause: false, interrupted: true");
	}

	/** A library that a step calls may leave the thread interrupted. */
	@Test
	void stepThatInterruptsItsThreadNeitherEndsTheTaskNorShortensThePause() throws InterruptedException {
		BackgroundTask started = start((run) -> {
			Thread.currentThread().interrupt();
			this.pauses.add(run.pause(Duration.ofNanos(1)));
			step();
			Thread.currentThread().interrupt();
			this.pauses.add(run.pause(NEVER));
		});
		assertThat(this.pauses.take()).isTrue();
		Thread thread = this.steps.take();
		Poll.until(PATIENCE, () -> thread.getState() == State.TIMED_WAITING, () -> "no pause");
		assertThat(started.stop(PATIENCE)).isTrue();
		assertThat(this.pauses).containsExactly(false);
	}

	@Test
	void startOfARunningTaskHasNoEffect() throws InterruptedException {
		BackgroundTask started = start((run) -> repeat(run, NEVER));
		started.start();
		this.steps.take();
		assertThat(started.stop(PATIENCE)).isTrue();
		assertThat(this.steps).isEmpty();
	}

	@Test
	void runThatFailsIsNotRunningAndTheTaskCanStartAgain() throws InterruptedException {
		BackgroundTask started = start((run) -> {
			step();
			Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> this.pauses.add(true));
			throw new StackOverflowError();
		});
		for (int i = 0; i < 2; i++) {
			this.steps.take();
			this.pauses.take();
			assertThat(started.isRunning()).isFalse();
			started.start();
		}
		this.steps.take();
	}

	@Test
	void runAfterARestartWaitsForTheLastStep() throws InterruptedException {
		BackgroundTask started = start((run) -> {
			step();
			await(this.released);
			this.pauses.add(run.pause(Duration.ofNanos(1)));
			run.pause(NEVER);
		});
		Thread first = this.steps.take();
		assertThat(started.stop(Duration.ZERO)).isFalse();
		started.start();
		Poll.until(PATIENCE,
				() -> Thread.getAllStackTraces()
					.keySet()
					.stream()
					.anyMatch((thread) -> thread != first && thread.getName().equals(first.getName())
							&& thread.getState() == State.BLOCKED),
				() -> "the second run does not wait");
		assertThat(started.isRunning()).isTrue();
		this.released.countDown();
		assertThat(this.pauses.take()).as("the first run was stopped").isFalse();
		assertThat(this.steps.take()).isNotSameAs(first);
		assertThat(this.pauses.take()).isTrue();
		assertThat(started.stop(PATIENCE)).isTrue();
	}

	private BackgroundTask start(Consumer<BackgroundTask.Run> body) {
		BackgroundTask started = new BackgroundTask("tierlimit-test", body);
		this.task = started;
		started.start();
		return started;
	}

	private void repeat(BackgroundTask.Run run, Duration pause) {
		do {
			step();
		}
		while (run.pause(pause));
	}

	private void step() {
		this.steps.add(Thread.currentThread());
	}

	private static boolean await(CountDownLatch latch) {
		try {
			return latch.await(60, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			return false;
		}
	}

}
