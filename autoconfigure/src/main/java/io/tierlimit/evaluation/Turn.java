package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * When somebody may go on who has to wait for his permits, and has a seat for that long.
 */
public final class Turn {

	private final WaitingRoom room;

	private final Pause pause;

	private long moment;

	private final AtomicBoolean left = new AtomicBoolean();

	Turn(WaitingRoom room, Pause pause, Duration timeToAct) {
		this.room = room;
		this.pause = pause;
		this.moment = pause.nanoTime() + timeToAct.toNanos();
	}

	/** Puts the turn off, if what else has to come takes longer. */
	void extend(Duration timeToAct) {
		long other = this.pause.nanoTime() + timeToAct.toNanos();
		this.moment = (other - this.moment > 0) ? other : this.moment;
	}

	/**
	 * Parks this thread until the turn has come.
	 * @throws InterruptedException if the thread is interrupted before
	 */
	public void await() throws InterruptedException {
		try {
			this.pause.await(timeLeft());
		}
		finally {
			leave();
		}
	}

	/**
	 * Goes on elsewhere when the turn has come.
	 * @param next what to do then
	 */
	public void thenRun(Runnable next) {
		this.pause.thenRun(timeLeft(), () -> {
			leave();
			next.run();
		});
	}

	private Duration timeLeft() {
		return Duration.ofNanos(Math.max(0, this.moment - this.pause.nanoTime()));
	}

	/**
	 * Leaves the seat to others. Done once, and by itself when the turn has come.
	 */
	public void leave() {
		if (this.left.compareAndSet(false, true)) {
			this.room.leave();
		}
	}

}
