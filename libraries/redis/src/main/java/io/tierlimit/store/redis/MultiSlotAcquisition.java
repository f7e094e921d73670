package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.redis.ScriptCallFactory.SlotGroup;
import io.tierlimit.store.redis.ScriptClient.ScriptCall;
import io.tierlimit.store.redis.ScriptSession.Reply;
import io.tierlimit.store.redis.ScriptSession.Sent;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Acquires the permits of one request from buckets in Redis.
 * <p>
 * On a Redis Cluster, one call has all buckets of one slot. On a single server, one call
 * has all buckets. Several calls are sent in parallel. If one of the calls is rejected,
 * the charges of the other calls are refunded once, if Redis has confirmed them.
 * <p>
 * Each of two requests may have acquired permits that the other request needs, so that
 * both are rejected although there are enough permits for one of them. Therefore a
 * rejected request that had acquired the last permits of a bucket first refunds them, and
 * then peeks into the buckets that lacked permits. If these buckets have enough permits
 * now, because other requests have refunded charges in the meantime, the request retries
 * slot by slot. Of two requests of equal cost, the request that peeks later sees the
 * refund of the other request. If both see a refund, the request that acquires the last
 * permit of the first slot finds enough permits in the other slots. Two requests of
 * different costs may still both be rejected. Further requests may acquire the permits
 * between these steps, so a request retries a few times.
 */
final class MultiSlotAcquisition {

	private static final Log logger = LogFactory.getLog(RedisBucketStore.class);

	private static final int MAX_RETRIES = 3;

	private final RedisBuckets redis;

	private final List<ChargeAttempt> attempts;

	private final Duration timeout;

	private final List<SlotGroup> acquired = new ArrayList<>();

	private final List<SlotGroup> rejected = new ArrayList<>();

	private final List<BucketKey> refunded = new ArrayList<>();

	private @Nullable StoreFailure failure;

	MultiSlotAcquisition(RedisBuckets redis, List<ChargeAttempt> attempts, Duration timeout) {
		this.redis = redis;
		this.attempts = attempts;
		this.timeout = timeout;
	}

	/** Acquires permits from all buckets or from none. */
	boolean acquire() throws StoreFailure {
		List<SlotGroup> groups = this.redis.calls().acquire(this.attempts, true);
		try (ScriptSession session = this.redis.open(groups.stream().map(SlotGroup::call).toList(), this.timeout)) {
			boolean admitted = acquire(groups, session);
			this.failure = session.failure();
			return admitted;
		}
	}

	private boolean acquire(List<SlotGroup> groups, ScriptSession session) throws StoreFailure {
		try {
			return acquireInParallel(groups, session)
					|| retry(() -> this.redis.calls().acquire(this.attempts, false), session);
		}
		catch (StoreFailure.SlotMoving ex) {
			session.checkAwaited();
			List<SlotGroup> single = this.redis.calls().acquireOneByOne(groups, this.rejected.isEmpty());
			return acquireInOrder(single, session)
					|| retry(() -> this.redis.calls().acquireOneByOne(groups, false), session);
		}
	}

	/**
	 * Refunds the acquired charges and, if the other buckets have enough now, retries.
	 * @return whether all charges were acquired
	 */
	private boolean retry(Supplier<List<SlotGroup>> groups, ScriptSession session) throws StoreFailure {
		for (int i = 0; refund(session) && i < MAX_RETRIES && isRetryUseful(session); i++) {
			List<@Nullable BucketSnapshot> before = this.attempts.stream().map(ChargeAttempt::bucket).toList();
			try {
				if (acquireInOrder(groups.get(), session)) {
					return true;
				}
			}
			catch (StoreFailure.SlotMoving ex) {
				// The retry did not produce a decision, so the buckets that rejected the
				// request decide.
				for (int k = 0; k < before.size(); k++) {
					this.attempts.get(k).recordBucket(before.get(k));
				}
			}
		}
		return false;
	}

	/**
	 * Peeks whether the buckets that rejected the request have enough permits now.
	 * Returns {@code false} if the call fails.
	 */
	private boolean isRetryUseful(ScriptSession session) {
		List<ChargeAttempt> enforced = this.rejected.stream()
			.flatMap((group) -> group.attempts().stream())
			.filter((attempt) -> !attempt.charge().shadow())
			.toList();
		List<BucketKey> keys = enforced.stream().map((attempt) -> attempt.charge().key()).toList();
		try {
			session.checkAwaited();
			List<BucketSnapshot> now = session.peek(this.redis.calls().of(ScriptCallFactory.PEEK, keys));
			return IntStream.range(0, now.size()).allMatch((i) -> enforced.get(i).isAllowedBy(now.get(i)));
		}
		catch (StoreFailure ex) {
			logger.debug("The retry of a rejected request failed", ex);
			return false;
		}
	}

	/** Calls all groups at once. */
	private boolean acquireInParallel(List<SlotGroup> groups, ScriptSession session) throws StoreFailure {
		this.rejected.clear();
		List<Sent> calls = new ArrayList<>(groups.size());
		for (SlotGroup group : groups) {
			calls.add(session.send(group.call()));
		}
		boolean admitted = true;
		StoreFailure failure = null;
		for (int i = 0; i < groups.size(); i++) {
			try {
				admitted &= recordReply(groups.get(i), session.await(calls.get(i)));
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

	/**
	 * Calls one group after the other, up to the first group that rejects its charges.
	 */
	private boolean acquireInOrder(List<SlotGroup> groups, ScriptSession session) throws StoreFailure {
		this.rejected.clear();
		for (SlotGroup group : groups) {
			try {
				if (!recordReply(group, session.await(session.send(group.call())))) {
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

	private boolean recordReply(SlotGroup group, Reply reply) {
		for (int i = 0; i < group.attempts().size(); i++) {
			group.attempts().get(i).recordBucket(reply.buckets().get(i));
			group.attempts().get(i).recordCounted(group.counted() && reply.counted());
		}
		(reply.admitted() ? this.acquired : this.rejected).add(group);
		return reply.admitted();
	}

	/**
	 * Refunds the acquired charges. Returns whether these charges may have caused the
	 * rejection of a request of the same cost, because a bucket did not have enough
	 * permits for both.
	 */
	private boolean refund(ScriptSession session) {
		boolean blocking = false;
		List<ScriptCall> calls = new ArrayList<>();
		for (SlotGroup group : this.acquired) {
			for (ChargeAttempt attempt : group.attempts()) {
				BucketSnapshot bucket = attempt.bucket();
				Charge charge = attempt.charge();
				if (bucket != null && bucket.allows(charge)) {
					blocking |= !bucket.allowsTwice(charge);
					calls.add(this.redis.calls().undo(charge, bucket));
					this.refunded.add(charge.key());
				}
			}
		}
		this.acquired.clear();
		session.runAll(calls, (reply) -> {
		});
		return blocking;
	}

	/**
	 * The failure of a call that did not affect the decision, which is a peek or a
	 * refund. If a refund failed, its charges remain consumed.
	 */
	@Nullable StoreFailure failure() {
		return this.failure;
	}

	/** The buckets whose charges were refunded. */
	List<BucketKey> refunded() {
		return this.refunded;
	}

}
