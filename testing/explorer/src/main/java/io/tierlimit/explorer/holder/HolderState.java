package io.tierlimit.explorer.holder;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A bucket, and the requests that hold its permits.
 *
 * @param holders the holders in the bucket, in the order of their acquisition
 * @param requests the requests
 * @param renewals the requests of the late renewal of each instance; empty for none
 * @param changes the changes of the rule that may still happen
 * @param faults the faults that may still happen
 */
public record HolderState(List<Holder> holders, List<HoldingRequest> requests, List<List<Integer>> renewals,
		int changes, int faults) {

	HolderState holders(List<Holder> other) {
		return new HolderState(List.copyOf(other), this.requests, this.renewals, this.changes, this.faults);
	}

	HolderState request(int index, UnaryOperator<HoldingRequest> change) {
		List<HoldingRequest> changed = new ArrayList<>(this.requests);
		changed.set(index, change.apply(changed.get(index)));
		return new HolderState(this.holders, List.copyOf(changed), this.renewals, this.changes, this.faults);
	}

	HolderState renewal(int instance, List<Integer> renewed) {
		List<List<Integer>> changed = new ArrayList<>(this.renewals);
		changed.set(instance, List.copyOf(renewed));
		return new HolderState(this.holders, this.requests, List.copyOf(changed), this.changes, this.faults);
	}

	HolderState change() {
		HolderState changed = new HolderState(this.holders, this.requests, this.renewals, this.changes - 1,
				this.faults);
		for (int i = 0; i < this.requests.size(); i++) {
			changed = changed.request(i, HoldingRequest::change);
		}
		return changed;
	}

	HolderState fault() {
		return new HolderState(this.holders, this.requests, this.renewals, this.changes, this.faults - 1);
	}

	boolean has(int request) {
		return this.holders.stream().anyMatch((holder) -> holder.request() == request);
	}

	/**
	 * The permits in use.
	 * @return the number of holders in the bucket
	 */
	public int inUse() {
		return this.holders.size();
	}

	/**
	 * Whether the last call of a request has acquired a permit.
	 * @param request the index of the request
	 * @return whether it has, and the reply was not received yet
	 */
	public boolean isAcquired(int request) {
		return this.requests.get(request).phase() == HoldingRequest.Phase.ACQUIRED;
	}

}
