package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overrun;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.shard.ShardCharge;
import org.jspecify.annotations.Nullable;

/**
 * This instance's own buckets, each with this instance's share of the limit, and the
 * decisions by the rules' policies while Redis cannot be reached. They have no shards.
 * <p>
 * The key of a charge that was acquired here has a prefix, so that the charge is also
 * refunded here.
 */
final class LocalFallback {

	/** No rule's id starts with a parenthesis. */
	private static final String PREFIX = "(local) ";

	private final BucketStore buckets;

	private final Supplier<BigDecimal> share;

	private final StoreFailurePolicy defaultPolicy;

	/** Replaced when the share has changed. */
	private volatile ScaledLimits scaled = new ScaledLimits(BigDecimal.ONE);

	/**
	 * Creates a fallback.
	 * @param buckets this instance's own buckets
	 * @param share the current share of this instance, without a call to Redis
	 * @param defaultPolicy the policy for charges whose options have none
	 */
	LocalFallback(BucketStore buckets, Supplier<BigDecimal> share, StoreFailurePolicy defaultPolicy) {
		this.buckets = buckets;
		this.share = share;
		this.defaultPolicy = defaultPolicy;
	}

	/** Decides a request without Redis. */
	AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
		AcquireResult unreachable = AcquireResult.unreachable(charges, this.defaultPolicy);
		if (!unreachable.admitted()) {
			return unreachable;
		}
		@Nullable Decision[] decisions = new Decision[charges.size()];
		List<Charge> local = charges.stream().filter(this::isDecidedLocally).toList();
		ScaledLimits limits = scaledLimits();
		AcquireResult result = this.buckets.acquire(local.stream().map(ShardCharge::whole).map(limits::share).toList(),
				failureFlag);
		List<Charge> decided = new ArrayList<>(charges);
		int next = 0;
		for (int i = 0; i < decisions.length; i++) {
			if (isDecidedLocally(charges.get(i))) {
				decisions[i] = result.decisions().get(next);
				decided.set(i, withPrefix(result.charges().get(next)));
				next++;
			}
		}
		return new AcquireResult(result.admitted(), Source.FALLBACK, Arrays.asList(decisions), decided);
	}

	/** Peeks into this instance's own buckets, regardless of the policies. */
	AcquireResult peek(List<Charge> charges) {
		ScaledLimits limits = scaledLimits();
		List<Charge> shares = charges.stream().map(ShardCharge::whole).map(limits::share).toList();
		return new AcquireResult(true, Source.FALLBACK, this.buckets.peek(shares).decisions(),
				shares.stream().map(LocalFallback::withPrefix).toList());
	}

	/** Settles a charge that was acquired here. */
	Overrun settle(Settlement settlement, StoreFailureFlag failureFlag) {
		Charge charge = settlement.charge();
		return this.buckets.settle(List.of(settlement.of(charge.on(withoutPrefix(charge.key())))), failureFlag).get(0);
	}

	static boolean isFromFallback(Charge charge) {
		return charge.key().rule().startsWith(PREFIX);
	}

	private boolean isDecidedLocally(Charge charge) {
		return charge.options().onStoreFailure(this.defaultPolicy) == StoreFailurePolicy.LOCAL;
	}

	/** All charges of a request have the same share. */
	private ScaledLimits scaledLimits() {
		BigDecimal present = this.share.get();
		ScaledLimits limits = this.scaled;
		if (limits.share.compareTo(present) != 0) {
			limits = new ScaledLimits(present);
			this.scaled = limits;
		}
		return limits;
	}

	private static Charge withPrefix(Charge charge) {
		BucketKey key = charge.key();
		return charge.on(new BucketKey(PREFIX + key.rule(), key.key(), key.affinityKey()));
	}

	/** The bucket whose charges may have been acquired here. */
	static BucketKey withoutPrefix(BucketKey key) {
		return !key.rule().startsWith(PREFIX) ? key
				: new BucketKey(key.rule().substring(PREFIX.length()), key.key(), key.affinityKey());
	}

	/**
	 * The limits of this instance's own buckets for one share.
	 */
	private static final class ScaledLimits {

		private final BigDecimal share;

		private final ConcurrentMap<Limit, Limit> limits = new ConcurrentHashMap<>();

		private ScaledLimits(BigDecimal share) {
			this.share = share;
		}

		/**
		 * Returns a charge under the share of its limit. The share does not depend on
		 * costs, because a client may supply them: a larger limit for an expensive
		 * request would also apply to other keys and later requests. A cost above the
		 * capacity of the share is therefore rejected. Rejections under a share are not
		 * counted for bans, because the caller may not have exceeded the whole limit.
		 */
		private Charge share(Charge charge) {
			if (this.share.compareTo(BigDecimal.ONE) == 0) {
				return charge;
			}
			Limit scaled = this.limits.computeIfAbsent(charge.limit(), (limit) -> limit.scale(this.share, 1));
			return new Charge(charge.key(), scaled, charge.cost(), charge.options().withoutCounting());
		}

	}

}
