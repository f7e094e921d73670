package io.tierlimit.store.shard;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.tierlimit.limit.Decision;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.Charge;
import org.jspecify.annotations.Nullable;

/**
 * The charges of a request, some of which are decided by shards. Used by one thread.
 */
final class SpreadCharges {

	private final List<Charge> charges;

	/** {@code null} for a charge that is passed on without changes. */
	private final List<@Nullable ShardSelection> selections;

	private final List<Charge> onShards;

	SpreadCharges(List<Charge> charges) {
		this.charges = charges;
		this.selections = new ArrayList<>(charges.size());
		this.onShards = new ArrayList<>(charges.size());
	}

	/** Adds the next charge. */
	void add(@Nullable ShardSelection selection, Charge charge) {
		this.selections.add(selection);
		if (selection != null) {
			this.onShards.addAll(selection.parts());
		}
		else {
			this.onShards.add(charge);
		}
	}

	/** The charges for the store. */
	List<Charge> onShards() {
		return this.onShards;
	}

	/**
	 * Combines a result for these charges to the result for the charges of the request.
	 * @param remembered whether the shards have the decided levels afterwards
	 */
	AcquireResult combine(AcquireResult result, long now, boolean remembered) {
		List<@Nullable Decision> decisions = new ArrayList<>(this.charges.size());
		if (result.source() == Source.NONE) {
			this.charges.forEach((charge) -> decisions.add(null));
			return new AcquireResult(false, Source.NONE, decisions, denied(result.charges()));
		}
		List<Charge> decided = new ArrayList<>(this.charges.size());
		int next = 0;
		for (ShardSelection selection : this.selections) {
			if (selection != null) {
				decisions.add(selection.combine(result, next, now, remembered));
				decided.add(selection.decided(result, next));
				next += selection.parts().size();
			}
			else {
				decisions.add(result.decision(next));
				decided.add(result.charge(next));
				next++;
			}
		}
		return new AcquireResult(result.admitted(), result.source(), decisions, decided);
	}

	/** Avoids the shards until a time, because the store could not be reached. */
	void avoid(long until) {
		this.selections.stream().filter(Objects::nonNull).forEach((selection) -> selection.avoid(until));
	}

	/** The parts of charges that the store has admitted without other parts. */
	List<Charge> incomplete(AcquireResult result) {
		List<Charge> incomplete = new ArrayList<>();
		int next = 0;
		for (ShardSelection selection : this.selections) {
			if (selection != null) {
				incomplete.addAll(selection.incomplete(result, next));
			}
			next += (selection != null) ? selection.parts().size() : 1;
		}
		return incomplete;
	}

	private List<Charge> denied(List<Charge> charges) {
		List<Charge> denied = new ArrayList<>();
		for (int i = 0; i < this.charges.size(); i++) {
			ShardSelection selection = this.selections.get(i);
			if ((selection != null) ? selection.isIn(charges) : charges.contains(this.charges.get(i))) {
				denied.add(this.charges.get(i));
			}
		}
		return denied;
	}

}
