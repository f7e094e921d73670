package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Charge;
import io.tierlimit.store.redis.ScriptCallFactory.SlotGroup;
import io.tierlimit.store.redis.ScriptClient.ScriptCall;
import io.tierlimit.store.redis.ScriptSession.Reply;
import io.tierlimit.store.redis.ScriptSession.Sent;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One request that takes from buckets in Redis.
 * <p>
 * What is in one slot, and everything where there are no slots, is one call. Several are
 * sent side by side; if one is rejected, what the others have taken is refunded: only
 * what Redis has confirmed, and once.
 * <p>
 * Two requests may each hold what the other one needs and both be rejected so, though
 * there was enough for one. Who was rejected while it held something therefore gives
 * back, then looks again at what it lacked, and if that is there now asks once more, slot
 * after slot. Of two, the one that looks later sees what the other one has refunded; and
 * if both see it, whoever gets the first slot's last permit finds nobody in its way.
 * Others may come in between, so that this is tried a few times.
 */
final class MultiSlotAcquisition {

	private static final Log logger = LogFactory.getLog(RedisBucketStore.class);

	private static final int ATTEMPTS_IN_ORDER = 3;

	private final RedisBuckets redis;

	private final ScriptCallFactory calls;

	private final List<Charge> charges;

	private final Duration timeout;

	private final List<@Nullable BucketSnapshot> buckets;

	private final List<SlotGroup> taken = new ArrayList<>();

	private final List<SlotGroup> rejected = new ArrayList<>();

	private final List<BucketKey> refunded = new ArrayList<>();

	private @Nullable StoreFailure failure;

	MultiSlotAcquisition(RedisBuckets redis, ScriptCallFactory calls, List<Charge> charges, Duration timeout) {
		this.redis = redis;
		this.calls = calls;
		this.charges = charges;
		this.timeout = timeout;
		this.buckets = new ArrayList<>(Collections.nCopies(charges.size(), null));
	}

	/** Takes from all buckets or from none. */
	boolean acquire() throws StoreFailure {
		List<SlotGroup> groups = this.calls.acquire(this.charges);
		try (ScriptSession session = this.redis.open(groups.stream().map(SlotGroup::call).toList(), this.timeout)) {
			boolean admitted = acquire(groups, session);
			this.failure = session.failure();
			return admitted;
		}
	}

	private boolean acquire(List<SlotGroup> groups, ScriptSession session) throws StoreFailure {
		try {
			return askSideBySide(groups, session) || askAgain(groups, session);
		}
		catch (StoreFailure.SlotMoving ex) {
			session.checkPatience();
			List<SlotGroup> single = this.calls.acquireOneByOne(groups, this.charges);
			return askInOrder(single, session) || askAgain(single, session);
		}
	}

	/**
	 * Refunds what was taken and, where nothing lacks any more, asks again.
	 * @return whether all was taken
	 */
	private boolean askAgain(List<SlotGroup> groups, ScriptSession session) throws StoreFailure {
		for (int i = 0; refund(session) && i < ATTEMPTS_IN_ORDER && wouldPass(session); i++) {
			List<@Nullable BucketSnapshot> whenRejected = new ArrayList<>(this.buckets);
			try {
				if (askInOrder(groups, session)) {
					return true;
				}
			}
			catch (StoreFailure.SlotMoving ex) {
				Collections.copy(this.buckets, whenRejected);
			}
		}
		return false;
	}

	/**
	 * Looks whether those that rejected have enough by now; if that fails, they have not.
	 */
	private boolean wouldPass(ScriptSession session) {
		try {
			return lackNothing(session);
		}
		catch (StoreFailure ex) {
			logger.debug("Redis can't be asked again", ex);
			return false;
		}
	}

	private boolean lackNothing(ScriptSession session) throws StoreFailure {
		session.checkPatience();
		List<Charge> lacking = this.rejected.stream()
			.flatMap((group) -> group.places().stream())
			.map(this.charges::get)
			.filter((charge) -> !charge.shadow())
			.toList();
		List<BucketSnapshot> now = session.peek(this.calls.peek(lacking.stream().map(Charge::key).toList()));
		return IntStream.range(0, now.size()).allMatch((i) -> now.get(i).allows(lacking.get(i)));
	}

	/** Asks all groups at once. */
	private boolean askSideBySide(List<SlotGroup> groups, ScriptSession session) throws StoreFailure {
		this.rejected.clear();
		List<Sent> calls = groups.stream().map((group) -> session.send(group.call())).toList();
		boolean admitted = true;
		StoreFailure failure = null;
		for (int i = 0; i < groups.size(); i++) {
			try {
				admitted &= settle(groups.get(i), session.await(calls.get(i)));
			}
			catch (StoreFailure.SlotMoving ex) {
				failure = (failure != null) ? failure : ex;
			}
			catch (StoreFailure ex) {
				failure = (failure == null || failure instanceof StoreFailure.SlotMoving) ? ex : failure;
			}
		}
		if (failure != null) {
			refund(session);
			throw failure;
		}
		return admitted;
	}

	/** Asks one group after the other, up to the first that rejects. */
	private boolean askInOrder(List<SlotGroup> groups, ScriptSession session) throws StoreFailure {
		this.rejected.clear();
		for (SlotGroup group : groups) {
			try {
				if (!settle(group, session.run(group.call()))) {
					return false;
				}
			}
			catch (StoreFailure ex) {
				refund(session);
				throw ex;
			}
		}
		return true;
	}

	private boolean settle(SlotGroup group, Reply reply) {
		for (int i = 0; i < group.places().size(); i++) {
			this.buckets.set(group.places().get(i), reply.buckets().get(i));
		}
		(reply.admitted() ? this.taken : this.rejected).add(group);
		return reply.admitted();
	}

	/** Refunds what was taken, if anything was. */
	private boolean refund(ScriptSession session) {
		boolean held = !this.taken.isEmpty();
		List<ScriptCall> calls = new ArrayList<>();
		for (SlotGroup group : this.taken) {
			for (int place : group.places()) {
				BucketSnapshot bucket = this.buckets.get(place);
				Charge charge = this.charges.get(place);
				if (bucket != null && bucket.allows(charge)) {
					calls.add(this.calls.undo(charge, bucket));
					this.refunded.add(charge.key());
				}
			}
		}
		this.taken.clear();
		session.runAll(calls);
		return held;
	}

	/** How Redis found a bucket; known for all of them unless a group rejected. */
	@Nullable BucketSnapshot bucket(int place) {
		return this.buckets.get(place);
	}

	/**
	 * What went wrong, although the request was decided: looking again, or refunding, so
	 * that what was taken stays taken.
	 */
	@Nullable StoreFailure failure() {
		return this.failure;
	}

	/** From which buckets was taken what they have got back. */
	List<BucketKey> refunded() {
		return this.refunded;
	}

}
