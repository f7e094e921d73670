package io.tierlimit.store.redis;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;

import io.tierlimit.limit.Receipt;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.OverdueHolders;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.redis.ScriptCallFactory.RenewCall;
import io.tierlimit.store.redis.ScriptCallFactory.Renewed;
import io.tierlimit.store.redis.ScriptSession.Sent;
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

	private final ScriptSession calls;

	private final ScriptCallFactory factory;

	private final StoreListener listener;

	private final LongSupplier nanoTime;

	private final OverdueHolders overdue = new OverdueHolders(RedisBucketStore.class);

	private final ConcurrentMap<HolderKey, Held> held = new ConcurrentHashMap<>();

	private boolean failed;

	/**
	 * Creates a renewal without holders.
	 * @param calls sends the calls
	 * @param factory creates the calls
	 * @param listener is notified of lost holders
	 * @param nanoTime a clock in nanoseconds
	 */
	HolderRenewal(ScriptSession calls, ScriptCallFactory factory, StoreListener listener, LongSupplier nanoTime) {
		this.calls = calls;
		this.factory = factory;
		this.listener = listener;
		this.nanoTime = nanoTime;
	}

	/** Adds the holder of a charge that was acquired in Redis. */
	void add(Charge acquired) {
		HolderKey key = keyOf(acquired);
		if (key != null) {
			this.held.merge(key, held(acquired, acquired.limit().rate().period(), false),
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
		if (key != null) {
			this.held.putIfAbsent(key, held(released, Renewals.LIFE, true));
		}
	}

	private static @Nullable HolderKey keyOf(Charge charge) {
		Receipt holder = charge.receipt();
		return (Holding.isHeld(charge) && holder != null && charge.cost() > 0)
				? new HolderKey(charge.key(), holder.at()) : null;
	}

	private Held held(Charge charge, Duration time, boolean released) {
		return new Held(charge.cost(), charge.limit().capacity(), Deadline.in(time, this.nanoTime), released);
	}

	@Override
	public void renew() {
		renew(Holding.LIFE_TICKS);
	}

	/**
	 * Moves the ends of all holders to now. A holder whose release has failed is released
	 * again if the renewals are started again.
	 */
	@Override
	public void end() {
		renew(0);
		this.held.values().removeIf((holder) -> !holder.released);
	}

	/**
	 * Renews all holders, and releases the holders whose release has failed.
	 * @param mostTicks the maximum time until a holder ends
	 */
	private void renew(long mostTicks) {
		try {
			removeOverdue();
			List<HolderKey> released = this.held.entrySet()
				.stream()
				.filter((entry) -> entry.getValue().released)
				.map(Map.Entry::getKey)
				.toList();
			Map<BucketKey, Renewed> holders = pack(mostTicks);
			if (!holders.isEmpty()) {
				recordFailure(renew(holders, released));
			}
		}
		catch (Throwable ex) { // any other exception would end the renewals
			recordFailure(StoreFailure.of(ex));
		}
	}

	/** Returns the last failure, or {@code null} if all holders were renewed. */
	private @Nullable StoreFailure renew(Map<BucketKey, Renewed> holders, List<HolderKey> released) {
		List<RenewCall> all = this.factory.renewals(holders);
		List<Sent> sent = all.stream().map((each) -> this.calls.send(each.call())).toList();
		StoreFailure failure = null;
		for (int i = 0; i < all.size(); i++) {
			try {
				List<BucketKey> renewed = all.get(i).keys();
				renew(renewed, sent.get(i), holders);
				released.stream().filter((key) -> renewed.contains(key.bucket)).forEach(this.held::remove);
			}
			catch (StoreFailure ex) {
				failure = ex;
			}
		}
		return failure;
	}

	private void renew(List<BucketKey> keys, Sent sent, Map<BucketKey, Renewed> holders) throws StoreFailure {
		try {
			removeLost(keys, this.calls.answer(sent));
		}
		catch (StoreFailure.SlotMoving ex) {
			for (BucketKey key : keys) {
				removeLost(List.of(key), run(this.factory.renewal(List.of(key), holders)));
			}
		}
	}

	private List<Object> run(RenewCall renewal) throws StoreFailure {
		return this.calls.answer(this.calls.send(renewal.call()));
	}

	/** Stops the renewal of holders that have reached their maximum duration. */
	private void removeOverdue() {
		this.held.forEach((key, holder) -> {
			if (holder.ticksLeft() <= 0 && this.held.remove(key, holder) && !holder.released) {
				this.overdue.warn(key.bucket.rule());
			}
		});
	}

	/** Packs all holders by their buckets. */
	private Map<BucketKey, Renewed> pack(long mostTicks) {
		Map<BucketKey, Renewed> holders = new LinkedHashMap<>();
		this.held.forEach((key, holder) -> {
			long life = holder.released ? 0 : Math.min(Math.max(1, holder.ticksLeft()), mostTicks);
			holders.computeIfAbsent(key.bucket, (bucket) -> new Renewed(holder.capacity)).add(key.id, life);
		});
		return holders;
	}

	/**
	 * Moves the end of a holder of any instance to now.
	 * @return whether the holder was there
	 */
	boolean release(BucketKey key, long id) throws StoreFailure {
		Renewed holder = new Renewed(1);
		holder.add(id, 0);
		List<Object> reply = run(this.factory.renewal(List.of(key), Map.of(key, holder)));
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
		Held lost = this.held.remove(key);
		if (lost != null && !lost.released) {
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

	/**
	 * A holder.
	 *
	 * @param permits the permits that it holds
	 * @param capacity the permits of its bucket
	 * @param end when it is no longer renewed, or no longer released
	 * @param released whether the request has released it, but the call has failed: the
	 * next renewal releases it
	 */
	private record Held(long permits, long capacity, Deadline end, boolean released) {

		Held withPermits(long other) {
			return new Held(other, this.capacity, this.end, this.released);
		}

		long ticksLeft() {
			return this.end.left().toNanos() / 1000;
		}

	}

}
