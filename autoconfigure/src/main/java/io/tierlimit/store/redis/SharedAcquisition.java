package io.tierlimit.store.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Future;

import io.tierlimit.store.Charge;

import org.jspecify.annotations.Nullable;

/**
 * One request that takes from buckets in Redis.
 * <p>
 * What is in one slot, and everything where there are no slots, is one call. Several are
 * sent side by side; if one is refused, what the others have taken is given back: only
 * what Redis has confirmed, and once. Two requests may each hold what the other one needs
 * and both be refused so, though there was enough for one. Who was refused while it held
 * something therefore asks again, slot after slot: whoever gets the first one's last
 * permit then finds nobody in its way who isn't about to give back.
 */
final class SharedAcquisition {

	private static final int ATTEMPTS_IN_ORDER = 3;

	private final ScriptRunner runner;

	private final ScriptCalls calls;

	private final List<Charge> charges;

	private final List<@Nullable SharedBucket> buckets;

	private final List<SlotGroup> taken = new ArrayList<>();

	SharedAcquisition(ScriptRunner runner, ScriptCalls calls, List<Charge> charges) {
		this.runner = runner;
		this.calls = calls;
		this.charges = charges;
		this.buckets = new ArrayList<>(Collections.nCopies(charges.size(), null));
	}

	/** Takes from all buckets or from none. */
	boolean acquire() throws StoreFailure {
		List<SlotGroup> groups = this.calls.acquire(this.charges);
		try (ScriptSession session = this.runner.open(groups.stream().map(SlotGroup::call).toList())) {
			return acquire(groups, session);
		}
	}

	private boolean acquire(List<SlotGroup> groups, ScriptSession session) throws StoreFailure {
		List<SlotGroup> inOrder = groups;
		try {
			if (askSideBySide(groups, session)) {
				return true;
			}
			if (this.taken.isEmpty()) {
				return false;
			}
			giveBack(session);
		}
		catch (StoreFailure.SlotMoving ex) {
			inOrder = this.calls.acquireOneByOne(groups, this.charges);
		}
		for (int i = 0; i < ATTEMPTS_IN_ORDER; i++) {
			if (askInOrder(inOrder, session)) {
				return true;
			}
			if (this.taken.isEmpty()) {
				return false;
			}
			giveBack(session);
		}
		return false;
	}

	/** Asks all groups at once. */
	private boolean askSideBySide(List<SlotGroup> groups, ScriptSession session) throws StoreFailure {
		List<Future<List<Object>>> answers = new ArrayList<>(groups.size());
		for (SlotGroup group : groups) {
			answers.add(session.send(group.call()));
		}
		boolean admitted = true;
		StoreFailure failure = null;
		for (int i = 0; i < groups.size(); i++) {
			try {
				admitted &= settle(groups.get(i), session.await(answers.get(i), groups.get(i).call()));
			}
			catch (StoreFailure ex) {
				failure = ex;
			}
		}
		if (failure != null) {
			giveBack(session);
			throw failure;
		}
		return admitted;
	}

	/** Asks one group after the other, up to the first that refuses. */
	private boolean askInOrder(List<SlotGroup> groups, ScriptSession session) throws StoreFailure {
		for (SlotGroup group : groups) {
			try {
				if (!settle(group, session.run(group.call()))) {
					return false;
				}
			}
			catch (StoreFailure ex) {
				giveBack(session);
				throw ex;
			}
		}
		return true;
	}

	private boolean settle(SlotGroup group, ScriptReply reply) {
		for (int i = 0; i < group.places().size(); i++) {
			this.buckets.set(group.places().get(i), reply.buckets().get(i));
		}
		if (reply.admitted()) {
			this.taken.add(group);
		}
		return reply.admitted();
	}

	private void giveBack(ScriptSession session) {
		List<ScriptCall> calls = new ArrayList<>();
		for (SlotGroup group : this.taken) {
			for (int place : group.places()) {
				SharedBucket bucket = this.buckets.get(place);
				Charge charge = this.charges.get(place);
				if (bucket != null && bucket.allows(charge)) {
					calls.add(this.calls.undo(charge, bucket));
				}
			}
		}
		this.taken.clear();
		session.runAll(calls);
	}

	/** How Redis found a bucket; known for all of them unless a group refused. */
	@Nullable SharedBucket bucket(int place) {
		return this.buckets.get(place);
	}

}
