package io.tierlimit.explorer.acquisition;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.tierlimit.explorer.acquisition.Call.Operation;

/**
 * A request that needs one permit of each slot.
 *
 * @param phase what it does
 * @param calls its last call to each slot
 * @param possessions what it really has of each slot, which it may not know
 * @param acquired whether each slot has confirmed a permit that was not refunded since
 * @param retries how often it has tried again
 * @param late calls to a slot that it no longer waits for, and that may be executed later
 * @param unknown whether it has given up on a call to each slot
 */
record Request(Phase phase, List<Call> calls, List<Possession> possessions, List<Boolean> acquired, int retries,
		List<Late> late, List<Boolean> unknown) {

	/** A request that has sent a call to each slot. */
	static Request of(int slots) {
		return new Request(Phase.PARALLEL, same(Call.of(Operation.ACQUIRE), slots), same(Possession.NONE, slots),
				same(false, slots), 0, List.of(), same(false, slots));
	}

	static <T> List<T> same(T value, int count) {
		return Collections.nCopies(count, value);
	}

	static <T> List<T> set(List<T> list, int index, T value) {
		List<T> changed = new ArrayList<>(list);
		changed.set(index, value);
		return changed;
	}

	Request phase(Phase next) {
		return new Request(next, this.calls, this.possessions, this.acquired, this.retries, this.late, this.unknown);
	}

	Request call(int slot, Call call) {
		return new Request(this.phase, set(this.calls, slot, call), this.possessions, this.acquired, this.retries,
				this.late, this.unknown);
	}

	Request possess(int slot, Possession possession) {
		return new Request(this.phase, this.calls, set(this.possessions, slot, possession), this.acquired, this.retries,
				this.late, this.unknown);
	}

	Request acquired(int slot, boolean value) {
		return new Request(this.phase, this.calls, this.possessions, set(this.acquired, slot, value), this.retries,
				this.late, this.unknown);
	}

	Request retry() {
		return new Request(this.phase, this.calls, this.possessions, this.acquired, this.retries + 1, this.late,
				this.unknown);
	}

	Request giveUpRetries(int most) {
		return new Request(this.phase, this.calls, this.possessions, this.acquired, most, this.late, this.unknown);
	}

	Request late(List<Late> other) {
		return new Request(this.phase, this.calls, this.possessions, this.acquired, this.retries, List.copyOf(other),
				this.unknown);
	}

	/** Leaves a call that is not executed yet to the slot. */
	Request abandon(int slot) {
		List<Late> more = new ArrayList<>(this.late);
		if (this.calls.get(slot).progress() == Call.Progress.SENT) {
			more.add(new Late(this.calls.get(slot).operation(), slot));
		}
		return new Request(this.phase, set(this.calls, slot, this.calls.get(slot).as(Call.Progress.GIVEN_UP)),
				this.possessions, this.acquired, this.retries, List.copyOf(more), set(this.unknown, slot, true));
	}

	boolean waits() {
		return this.calls.stream().anyMatch(Call::isOpen);
	}

	/** The permits that a request has of a slot. */
	enum Possession {

		NONE, TAKEN,
		/** The bucket has been full since. */
		REFILLED

	}

	/**
	 * A call that may be executed later.
	 */
	record Late(Operation operation, int slot) {

	}

	enum Phase {

		/** Waits for the replies to calls that were sent at once. */
		PARALLEL,
		/** Waits for the replies to refunds. */
		UNDOING,
		/** Looks whether the slots that have rejected it have permits now. */
		LOOKING,
		/** Waits for the reply of one slot after the other. */
		IN_ORDER, ADMITTED, REJECTED,
		/** Is decided without Redis. */
		FAILED,
		/** Its instance has stopped. */
		CRASHED;

		boolean isLast() {
			return compareTo(ADMITTED) >= 0;
		}

	}

}
