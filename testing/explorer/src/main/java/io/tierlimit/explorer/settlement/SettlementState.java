package io.tierlimit.explorer.settlement;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A bucket, and the requests that are charged to it.
 *
 * @param bucket the bucket
 * @param requests the requests
 * @param now the ticks since the start
 * @param faults the faults that may still happen
 */
public record SettlementState(Bucket bucket, List<MeteredRequest> requests, int now, int faults) {

	SettlementState bucket(Bucket other) {
		return new SettlementState(other, this.requests, this.now, this.faults);
	}

	SettlementState request(int index, UnaryOperator<MeteredRequest> change) {
		List<MeteredRequest> changed = new ArrayList<>(this.requests);
		changed.set(index, change.apply(changed.get(index)));
		return new SettlementState(this.bucket, List.copyOf(changed), this.now, this.faults);
	}

	SettlementState tick() {
		return new SettlementState(this.bucket.tick(), this.requests, this.now + 1, this.faults);
	}

	SettlementState fault() {
		return new SettlementState(this.bucket, this.requests, this.now, this.faults - 1);
	}

	/**
	 * The level of the bucket.
	 * @return the consumed permits, and beyond the capacity the debt
	 */
	public int consumed() {
		return this.bucket.consumed();
	}

	/**
	 * What settlements of a request have not consumed, because the bucket owes too much.
	 * @param request the index of the request
	 * @return permits
	 */
	public int dropped(int request) {
		return this.requests.get(request).account().dropped();
	}

	/**
	 * Whether a request has acquired its estimate.
	 * @param request the index of the request
	 * @return whether it has, even if it does not know it
	 */
	public boolean isAcquired(int request) {
		return this.requests.get(request).receipt() != null;
	}

}
