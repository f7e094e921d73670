package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * How those who are held let time pass. A test replaces it by one of its own.
 */
public interface Pause {

	/**
	 * The clock by which they are held.
	 * @return nanoseconds since any fixed moment
	 */
	long nanoTime();

	/**
	 * Returns when so much time has passed.
	 * @param time how long
	 * @throws InterruptedException if the thread is interrupted before
	 */
	void await(Duration time) throws InterruptedException;

	/**
	 * Returns at once, and goes on elsewhere when so much time has passed.
	 * @param time how long
	 * @param next what to do then
	 */
	void thenRun(Duration time, Runnable next);

	/**
	 * Lets time pass by the system's clock.
	 * @return a pause that parks threads where it has to
	 */
	static Pause system() {
		return new Pause() {

			@Override
			public long nanoTime() {
				return System.nanoTime();
			}

			@Override
			public void await(Duration time) throws InterruptedException {
				TimeUnit.NANOSECONDS.sleep(time.toNanos());
			}

			@Override
			public void thenRun(Duration time, Runnable next) {
				CompletableFuture.delayedExecutor(time.toNanos(), TimeUnit.NANOSECONDS).execute(next);
			}

		};
	}

}
