package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.concurrent.Semaphore;

/**
 * Where those are held whose permits have not come yet. It has so many seats: who finds
 * none is refused instead.
 */
public final class WaitingRoom {

	/** Nobody waits. */
	public static final WaitingRoom NONE = new WaitingRoom(0, Pause.system());

	private final Semaphore seats;

	private final Pause pause;

	/**
	 * Creates a waiting room.
	 * @param seats how many can be held at the same time, 0 or more
	 * @param pause lets time pass
	 */
	public WaitingRoom(int seats, Pause pause) {
		this.seats = new Semaphore(seats);
		this.pause = pause;
	}

	/** Whether somebody who came now would find a seat; another one may be faster. */
	boolean hasSeats() {
		return this.seats.availablePermits() > 0;
	}

	/** Takes a seat, to be left when a {@link Turn} has come. */
	boolean enter() {
		return this.seats.tryAcquire();
	}

	void leave() {
		this.seats.release();
	}

	/** The turn of somebody who has taken a seat. */
	Turn turn(Duration timeToAct) {
		return new Turn(this, this.pause, timeToAct);
	}

}
