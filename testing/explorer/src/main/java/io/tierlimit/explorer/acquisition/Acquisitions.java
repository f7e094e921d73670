package io.tierlimit.explorer.acquisition;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.explorer.acquisition.Call.Operation;
import io.tierlimit.explorer.acquisition.Request.Possession;

/**
 * The slots, and the requests that acquire permits from them.
 *
 * @param slots the bucket of each slot
 * @param requests the requests
 * @param ticks the ticks of the clock that are left; at each tick, each bucket earns a
 * permit
 * @param faults the faults that may still happen
 */
public record Acquisitions(List<Slot> slots, List<Request> requests, int ticks, int faults) {

	Acquisitions request(int index, Request request) {
		return new Acquisitions(this.slots, Request.set(this.requests, index, request), this.ticks, this.faults);
	}

	Acquisitions fault() {
		return new Acquisitions(this.slots, this.requests, this.ticks, this.faults - 1);
	}

	/** The number of admitted requests. */
	long admitted() {
		return this.requests.stream().filter((request) -> request.phase() == Request.Phase.ADMITTED).count();
	}

	/** Whether a request was admitted. */
	public boolean isAdmitted(int request) {
		return this.requests.get(request).phase() == Request.Phase.ADMITTED;
	}

	/** The permits that are left in a slot. */
	public int left(int slot) {
		return this.slots.get(slot).left();
	}

	int taken(int slot) {
		return (int) this.requests.stream()
			.filter((request) -> request.possessions().get(slot) == Possession.TAKEN)
			.count();
	}

	Acquisitions tick(int capacity) {
		Acquisitions next = new Acquisitions(this.slots.stream()
			.map((slot) -> (slot.left() < capacity) ? new Slot(slot.left() + 1, slot.earned() + 1) : slot)
			.toList(), this.requests, this.ticks - 1, this.faults);
		for (int slot = 0; slot < this.slots.size(); slot++) {
			next = next.refilled(slot, capacity);
		}
		return next;
	}

	/** Marks the charges before a bucket became full. */
	private Acquisitions refilled(int slot, int capacity) {
		if (left(slot) < capacity) {
			return this;
		}
		List<Request> changed = new ArrayList<>();
		for (Request request : this.requests) {
			changed.add((request.possessions().get(slot) == Possession.TAKEN)
					? request.possess(slot, Possession.REFILLED) : request);
		}
		return new Acquisitions(Request.set(this.slots, slot, new Slot(capacity, 0)), changed, this.ticks, this.faults);
	}

	/** Executes an operation of a request in a slot. */
	Acquisitions execute(int index, int slot, Operation operation, int capacity, boolean once, boolean missing) {
		Request request = this.requests.get(index);
		Possession possession = request.possessions().get(slot);
		Slot bucket = this.slots.get(slot);
		if (operation == Operation.ACQUIRE && bucket.left() > 0) {
			return change(slot, -1).request(index, request.possess(slot, Possession.TAKEN));
		}
		if (operation == Operation.UNDO) {
			boolean returned = possession == Possession.TAKEN || (possession == Possession.REFILLED && !missing);
			int permits = returned ? Math.min(once ? 1 : 2, capacity - bucket.left()) : 0;
			return change(slot, permits).request(index, request.possess(slot, Possession.NONE))
				.refilled(slot, capacity);
		}
		return this;
	}

	private Acquisitions change(int slot, int permits) {
		Slot bucket = this.slots.get(slot);
		return new Acquisitions(Request.set(this.slots, slot, new Slot(bucket.left() + permits, bucket.earned())),
				this.requests, this.ticks, this.faults);
	}

	/**
	 * A bucket.
	 *
	 * @param left the permits in it
	 * @param earned the permits that it has earned since it was full
	 */
	record Slot(int left, int earned) {

	}

}
