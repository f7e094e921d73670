package io.tierlimit.store.shard;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.tierlimit.limit.Decision;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.Charge;
import org.jspecify.annotations.Nullable;

/**
 * The charges of a request, some of which are decided by shards.
 *
 * @param selections one for each charge, in the order of the request
 */
record SpreadCharges(List<ShardSelection> selections) {

	/** The charges for the store. */
	List<Charge> onShards() {
		List<Charge> onShards = new ArrayList<>(this.selections.size());
		this.selections.forEach((selection) -> onShards.addAll(selection.parts()));
		return onShards;
	}

	/**
	 * Combines a result for these charges to the result for the charges of the request.
	 * @param remembered whether the shards have the decided levels afterwards
	 */
	AcquireResult combine(AcquireResult result, long now, boolean remembered) {
		int size = this.selections.size();
		if (result.source() == Source.NONE) {
			List<Charge> denied = this.selections.stream()
				.filter((selection) -> selection.isIn(result.charges()))
				.map(ShardSelection::charge)
				.toList();
			return new AcquireResult(false, Source.NONE, Collections.nCopies(size, null), denied);
		}
		List<@Nullable Decision> decisions = new ArrayList<>(size);
		List<Charge> decided = new ArrayList<>(size);
		int next = 0;
		for (ShardSelection selection : this.selections) {
			decisions.add(selection.combine(result, next, now, remembered));
			decided.add(selection.decided(result, next));
			next += selection.parts().size();
		}
		return new AcquireResult(result.admitted(), result.source(), decisions, decided);
	}

}
