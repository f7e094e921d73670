package io.tierlimit.explorer.holder;

import java.util.ArrayList;
import java.util.List;

/**
 * A request that acquires one permit, and holds it until its response is complete.
 *
 * @param phase what it does
 * @param known whether its instance renews its holder
 * @param loss why its holder has ended before the response was complete
 * @param changed whether the rule has changed since it was acquired
 * @param ended the ticks since it has ended, up to a maximum
 * @param late the calls that may be executed later, in their order
 */
record HoldingRequest(Phase phase, boolean known, Loss loss, boolean changed, int ended, List<Call> late) {

	static final HoldingRequest NEW = new HoldingRequest(Phase.ACQUIRING, false, Loss.NONE, false, 0, List.of());

	HoldingRequest phase(Phase next) {
		return new HoldingRequest(next, this.known, this.loss, this.changed, this.ended, this.late);
	}

	HoldingRequest known(boolean value) {
		return new HoldingRequest(this.phase, value, this.loss, this.changed, this.ended, this.late);
	}

	HoldingRequest lose(Loss reason) {
		return new HoldingRequest(this.phase, this.known, reason, this.changed, this.ended, this.late);
	}

	HoldingRequest change() {
		return new HoldingRequest(this.phase, this.known, this.loss, true, this.ended, this.late);
	}

	HoldingRequest tick(int most) {
		return !this.phase.isLast() ? this : new HoldingRequest(this.phase, this.known, this.loss, this.changed,
				Math.min(most, this.ended + 1), this.late);
	}

	/** Counts the time since the end again, because a call was executed after it. */
	HoldingRequest endAgain() {
		return new HoldingRequest(this.phase, this.known, this.loss, this.changed, 0, this.late);
	}

	HoldingRequest later(Call call) {
		List<Call> more = new ArrayList<>(this.late);
		more.add(call);
		return new HoldingRequest(this.phase, this.known, this.loss, this.changed, this.ended, List.copyOf(more));
	}

	HoldingRequest withoutFirst() {
		return new HoldingRequest(this.phase, this.known, this.loss, this.changed, this.ended,
				this.late.subList(1, this.late.size()));
	}

	/** Whether the response is not complete, and the holder has not ended. */
	boolean counts() {
		return this.phase == Phase.HOLDING && this.loss == Loss.NONE;
	}

	enum Loss {

		NONE,
		/** The request is longer in flight than the maximum duration. */
		TOO_LONG,
		/** A renewal has not arrived in time. */
		FAULT,
		/** The holder has ended although there was no fault. */
		NO_FAULT

	}

	enum Call {

		ACQUIRE, RELEASE

	}

	enum Phase {

		/** Its call is sent. */
		ACQUIRING,
		/** Its call was executed, and has acquired a permit. */
		ACQUIRED,
		/** Its call was executed, and has acquired nothing. */
		UNAVAILABLE,
		/** It is in flight. */
		HOLDING,
		/** Its release is sent. */
		RELEASING, RELEASED, REJECTED,
		/** It has no reply to its acquisition. */
		UNDECIDED,
		/** It has no reply to its release, or a call of it was lost. */
		UNKNOWN,
		/** Its instance has stopped. */
		CRASHED;

		boolean isLast() {
			return compareTo(RELEASED) >= 0;
		}

	}

}
