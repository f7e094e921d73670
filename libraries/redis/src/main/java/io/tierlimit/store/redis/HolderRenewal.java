package io.tierlimit.store.redis;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Future;

import io.tierlimit.limit.Receipt;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.OverdueHolders;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.redis.ScriptCallFactory.RenewCall;
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
			this.held.merge(key, new Held(acquired.cost(), end),
					(before, more) -> new Held(before.permits + more.permits, before.end));
		}
	}

	/** Removes a holder, or the part of it that a charge has acquired. */
	void remove(Charge released) {
		HolderKey key = keyOf(released);
		if (key != null) {
			this.held.computeIfPresent(key, (each, before) -> (before.permits <= released.cost()) ? null
					: new Held(before.permits - released.cost(), before.end));
		}
	}

	private static @Nullable HolderKey keyOf(Charge charge) {
		Receipt holder = charge.receipt();
		return (Holding.isHeld(charge) && holder != null && charge.cost() > 0)
				? new HolderKey(charge.key(), holder.at()) : null;
	}

	@Override
	public void renew() {
		removeOverdue();
		renew(pack(Holding.LIFE_TICKS));
	}

	/** Moves the ends of all holders to now. */
	@Override
	public void end() {
		renew(pack(0));
		this.held.clear();
	}

	private void renew(Map<BucketKey, byte[]> holders) {
		if (holders.isEmpty()) {
			return;
		}
		List<RenewCall> all = this.factory.renew(holders);
		List<Future<List<Object>>> replies = all.stream().map((each) -> this.calls.send(each.call())).toList();
		Deadline deadline = this.calls.deadline();
		StoreFailure failure = null;
		for (int i = 0; i < all.size(); i++) {
			try {
				renew(all.get(i), replies.get(i), deadline, holders);
			}
			catch (Throwable ex) { // any other exception would end the renewals
				failure = (ex instanceof StoreFailure expected) ? expected : StoreFailure.of(ex);
			}
		}
		recordFailure(failure);
	}

	private void renew(RenewCall renewed, Future<List<Object>> reply, Deadline deadline, Map<BucketKey, byte[]> holders)
			throws StoreFailure {
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

	/**
	 * Packs all holders by their buckets.
	 * @param mostTicks the maximum time until a holder ends
	 */
	private Map<BucketKey, byte[]> pack(long mostTicks) {
		Map<BucketKey, ByteArrayOutputStream> packed = new HashMap<>();
		this.held.forEach((key, holder) -> {
			long life = Math.min(Math.max(1, holder.ticksLeft()), mostTicks);
			packed.computeIfAbsent(key.bucket, (bucket) -> new ByteArrayOutputStream())
				.write(packed(key.id, life), 0, RENEWED_SIZE);
		});
		Map<BucketKey, byte[]> holders = new LinkedHashMap<>();
		packed.forEach((key, bytes) -> holders.put(key, bytes.toByteArray()));
		return holders;
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
		byte[] holder = Arrays.copyOf(packed(id, 0), RENEWED_SIZE);
		List<Object> reply = this.calls.run(this.factory.renewal(List.of(key), Map.of(key, holder)).call());
		check(reply, 1);
		return reply.get(2) instanceof byte[] missing && missing.length == 0;
	}

	private void removeLost(List<BucketKey> keys, List<Object> reply) throws StoreFailure {
		check(reply, keys.size());
		for (int i = 0; i < keys.size(); i++) {
			if (reply.get(i + 2) instanceof byte[] missing) {
				for (ByteBuffer ids = ByteBuffer.wrap(missing); ids.remaining() >= Long.BYTES;) {
					removeLost(new HolderKey(keys.get(i), ids.getLong()));
				}
			}
		}
	}

	private static void check(List<Object> reply, int buckets) throws StoreFailure {
		if (reply.size() > 1 && reply.get(1) instanceof byte[] error) {
			throw new StoreFailure(new String(error, StandardCharsets.UTF_8).strip(), null);
		}
		if (reply.size() != buckets + 2) {
			throw new StoreFailure("Invalid reply of the script: " + reply, null);
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

	private record Held(long permits, Deadline end) {

		long ticksLeft() {
			return this.end.left().toNanos() / 1000;
		}

	}

}
