package io.tierlimit.store.redis;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Future;

import io.tierlimit.limit.Receipt;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.OverdueHolders;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.redis.ScriptCallFactory.RenewCall;
import io.tierlimit.store.redis.ScriptCallFactory.Renewed;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Renews the holders of permits that belong to requests of this instance. A holder ends
 * if it is not renewed for {@link Renewals#LIFE}, so an instance that has crashed
 * releases its permits. No holder is renewed beyond the maximum duration of its limit.
 */
final class HolderRenewal implements Renewals.Renewable {

	private static final Log logger = LogFactory.getLog(RedisBucketStore.class);

	private static final int RENEWED_SIZE = 15;

	private final BackgroundCalls calls;

	private final ScriptCallFactory factory;

	private final StoreListener listener;

	private final OverdueHolders overdue = new OverdueHolders(RedisBucketStore.class);

	private final ConcurrentMap<HolderKey, Held> held = new ConcurrentHashMap<>();

	/** The holders whose release has failed. The next renewal releases them. */
	private final ConcurrentMap<HolderKey, Held> unreleased = new ConcurrentHashMap<>();

	private boolean failed;

	/**
	 * Creates a renewal without holders.
	 * @param calls sends the calls
	 * @param factory creates the calls
	 * @param listener is notified of lost holders
	 */
	HolderRenewal(BackgroundCalls calls, ScriptCallFactory factory, StoreListener listener) {
		this.calls = calls;
		this.factory = factory;
		this.listener = listener;
	}

	/** Adds the holder of a charge that was acquired in Redis. */
	void add(Charge acquired) {
		HolderKey key = keyOf(acquired);
		if (key != null) {
			Deadline end = Deadline.in(acquired.limit().rate().period(), this.calls.nanoTime());
			this.held.merge(key, new Held(acquired.cost(), acquired.limit().capacity(), end),
					(before, more) -> before.withPermits(before.permits + more.permits));
		}
	}

	/** Removes a holder, or the part of it that a charge has acquired. */
	void remove(Charge released) {
		HolderKey key = keyOf(released);
		if (key != null) {
			this.held.computeIfPresent(key, (each, before) -> (before.permits <= released.cost()) ? null
					: before.withPermits(before.permits - released.cost()));
		}
	}

	/** Releases a holder again with the next renewal, because its release has failed. */
	void releaseLater(Charge released) {
		HolderKey key = keyOf(released);
		if (key != null && !this.held.containsKey(key)) {
			Deadline end = Deadline.in(Renewals.LIFE, this.calls.nanoTime());
			this.unreleased.put(key, new Held(released.cost(), released.limit().capacity(), end));
		}
	}

	private static @Nullable HolderKey keyOf(Charge charge) {
		Receipt holder = charge.receipt();
		return (Holding.isHeld(charge) && holder != null && charge.cost() > 0)
				? new HolderKey(charge.key(), holder.at()) : null;
	}

	@Override
	public void renew() {
		try {
			removeOverdue();
			this.unreleased.values().removeIf((holder) -> holder.ticksLeft() <= 0);
			renew(Holding.LIFE_TICKS);
		}
		catch (Throwable ex) { // any other exception would end the renewals
			recordFailure(StoreFailure.of(ex));
		}
	}

	/** Moves the ends of all holders to now. */
	@Override
	public void end() {
		try {
			renew(0);
		}
		catch (Throwable ex) { // the holders end later
			recordFailure(StoreFailure.of(ex));
		}
		this.held.clear();
	}

	/**
	 * Renews all holders, and releases the holders whose release has failed.
	 * @param mostTicks the maximum time until a holder ends
	 */
	private void renew(long mostTicks) {
		Set<HolderKey> released = Set.copyOf(this.unreleased.keySet());
		Map<BucketKey, Renewed> holders = pack(mostTicks, released);
		if (holders.isEmpty()) {
			return;
		}
		List<RenewCall> all = this.factory.renewals(holders);
		List<Future<List<Object>>> replies = all.stream().map((each) -> this.calls.send(each.call())).toList();
		Deadline deadline = this.calls.deadline();
		StoreFailure failure = null;
		for (int i = 0; i < all.size(); i++) {
			try {
				RenewCall renewed = all.get(i);
				renew(renewed, replies.get(i), deadline, holders);
				this.unreleased.keySet()
					.removeIf((key) -> released.contains(key) && renewed.keys().contains(key.bucket));
			}
			catch (StoreFailure ex) {
				failure = ex;
			}
		}
		recordFailure(failure);
	}

	private void renew(RenewCall renewed, Future<List<Object>> reply, Deadline deadline,
			Map<BucketKey, Renewed> holders) throws StoreFailure {
		try {
			removeLost(renewed.keys(), this.calls.await(renewed.call(), reply, deadline));
		}
		catch (StoreFailure.SlotMoving ex) {
			for (BucketKey key : renewed.keys()) {
				RenewCall single = this.factory.renewal(List.of(key), holders);
				removeLost(single.keys(), this.calls.run(single.call()));
			}
		}
	}

	/** Stops the renewal of holders that have reached their maximum duration. */
	private void removeOverdue() {
		this.held.forEach((key, holder) -> {
			if (holder.ticksLeft() <= 0 && this.held.remove(key, holder)) {
				this.overdue.warn(key.bucket.rule());
			}
		});
	}

	/** Packs all holders by their buckets. */
	private Map<BucketKey, Renewed> pack(long mostTicks, Set<HolderKey> released) {
		Map<BucketKey, ByteArrayOutputStream> packed = new LinkedHashMap<>();
		Map<BucketKey, Long> capacities = new HashMap<>();
		this.held.forEach((key, holder) -> {
			long life = Math.min(Math.max(1, holder.ticksLeft()), mostTicks);
			stream(key, packed).write(packed(key.id, life), 0, RENEWED_SIZE);
			capacities.put(key.bucket, holder.capacity);
		});
		released.forEach((key) -> {
			stream(key, packed).write(packed(key.id, 0), 0, RENEWED_SIZE);
			capacities.putIfAbsent(key.bucket, 1L);
		});
		Map<BucketKey, Renewed> holders = new LinkedHashMap<>();
		packed.forEach((key, bytes) -> holders.put(key,
				new Renewed(ByteBuffer.wrap(bytes.toByteArray()), Objects.requireNonNull(capacities.get(key)))));
		return holders;
	}

	private static ByteArrayOutputStream stream(HolderKey key, Map<BucketKey, ByteArrayOutputStream> packed) {
		return packed.computeIfAbsent(key.bucket, (bucket) -> new ByteArrayOutputStream());
	}

	/** Packs a holder, and a byte that is not used. */
	private static byte[] packed(long id, long life) {
		return ByteBuffer.allocate(2 * Long.BYTES).putLong(id).putLong(life << Byte.SIZE).array();
	}

	/**
	 * Moves the end of a holder of any instance to now.
	 * @return whether the holder was there
	 */
	boolean release(BucketKey key, long id) throws StoreFailure {
		Renewed holder = new Renewed(ByteBuffer.wrap(Arrays.copyOf(packed(id, 0), RENEWED_SIZE)), 1);
		List<Object> reply = this.calls.run(this.factory.renewal(List.of(key), Map.of(key, holder)).call());
		ScriptSession.check(reply, 1);
		return reply.get(2) instanceof byte[] missing && missing.length == 0;
	}

	private void removeLost(List<BucketKey> keys, List<Object> reply) throws StoreFailure {
		ScriptSession.check(reply, keys.size());
		for (int i = 0; i < keys.size(); i++) {
			if (reply.get(i + 2) instanceof byte[] missing) {
				for (ByteBuffer ids = ByteBuffer.wrap(missing); ids.remaining() >= Long.BYTES;) {
					removeLost(new HolderKey(keys.get(i), ids.getLong()));
				}
			}
		}
	}

	/** A request may have released its permits in the meantime. */
	private void removeLost(HolderKey key) {
		if (this.held.remove(key) != null) {
			this.listener.onLostHolder(key.bucket.rule());
		}
	}

	/** Only the first of several consecutive failures is logged. */
	private void recordFailure(@Nullable StoreFailure failure) {
		if (failure != null && !this.failed) {
			logger.warn("The permits that requests of this instance hold were not renewed in Redis ("
					+ failure.getMessage() + "). After " + Renewals.LIFE.toSeconds()
					+ " seconds without a renewal, other requests can acquire them.");
		}
		this.failed = failure != null;
	}

	private record HolderKey(BucketKey bucket, long id) {

	}

	private record Held(long permits, long capacity, Deadline end) {

		Held withPermits(long other) {
			return new Held(other, this.capacity, this.end);
		}

		long ticksLeft() {
			return this.end.left().toNanos() / 1000;
		}

	}

}
