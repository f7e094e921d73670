package io.tierlimit.evaluation;

import java.time.Duration;

/**
 * How whoever is held lets time pass. A test replaces it by one of its own.
 */
@FunctionalInterface
public interface Pause {

	/**
	 * Returns when so much time has passed.
	 * @param time how long
	 * @throws InterruptedException if the thread is interrupted before
	 */
	void await(Duration time) throws InterruptedException;

	/**
	 * Parks the thread, which costs a virtual thread next to nothing.
	 * @return a pause by the system's clock
	 */
	static Pause system() {
		return (time) -> Thread.sleep(time.toMillis(), time.toNanosPart() % 1_000_000);
	}

}
