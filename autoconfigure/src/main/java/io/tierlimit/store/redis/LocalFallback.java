package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.spi.AcquireResult;
import io.tierlimit.spi.AcquireResult.Source;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.BucketStore;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.StoreBudget;
import org.jspecify.annotations.Nullable;

/**
 * This instance's own buckets, of which each holds this instance's share of the limit,
 * and what each rule wants while Redis can't be reached.
 * <p>
 * A charge that was taken here is named so by its key, and refunded here.
 */
final class LocalFallback {

	/** No rule's id begins with a parenthesis. */
	private static final String PREFIX = "(local) ";

	private final BucketStore buckets;

	private final BigDecimal share;

	private final StoreFailurePolicy standard;

	/** The parts that this instance grants, as large as they ever had to be. */
	private final ConcurrentMap<Whole, Limit> shares = new ConcurrentHashMap<>();

	LocalFallback(BucketStore buckets, BigDecimal share, StoreFailurePolicy standard) {
		this.buckets = buckets;
		this.share = share;
		this.standard = standard;
	}

	/** Decides a request without Redis. */
	AcquireResult acquire(List<Charge> charges, StoreBudget budget) {
		AcquireResult unreachable = AcquireResult.unreachable(charges, this.standard);
		if (!unreachable.admitted()) {
			return unreachable;
		}
		@Nullable Decision[] decisions = new Decision[charges.size()];
		List<Charge> local = charges.stream().filter(this::isLocal).toList();
		List<Charge> sums = ChargeSums.of(local);
		AcquireResult result = this.buckets.acquire(local.stream().map((charge) -> share(charge, sums)).toList(),
				budget);
		List<Charge> decided = new ArrayList<>(charges);
		int next = 0;
		for (int i = 0; i < decisions.length; i++) {
			if (isLocal(charges.get(i))) {
				decisions[i] = result.decisions().get(next);
				decided.set(i, named(result.charges().get(next)));
				next++;
			}
		}
		return new AcquireResult(result.admitted(), Source.FALLBACK, Arrays.asList(decisions), decided);
	}

	/** Looks at this instance's own buckets, whatever their rules want. */
	AcquireResult peek(List<Charge> charges) {
		List<Charge> shares = charges.stream().map((charge) -> share(charge, List.of(charge))).toList();
		return new AcquireResult(true, Source.FALLBACK, this.buckets.peek(shares).decisions(),
				shares.stream().map(LocalFallback::named).toList());
	}

	/** Refunds those charges that were taken here. */
	void refund(List<Charge> charges, StoreBudget budget) {
		this.buckets.refund(charges.stream().filter(LocalFallback::wasTaken).map(LocalFallback::unnamed).toList(),
				budget);
	}

	void reset(BucketKey key, StoreBudget budget) {
		this.buckets.reset(wasTaken(key) ? unnamed(key) : key, budget);
	}

	void resetAll(String rule) {
		this.buckets.resetAll(rule);
	}

	static boolean wasTaken(Charge charge) {
		return wasTaken(charge.key());
	}

	private static boolean wasTaken(BucketKey key) {
		return key.rule().startsWith(PREFIX);
	}

	private boolean isLocal(Charge charge) {
		return charge.options().onFailure(this.standard) == StoreFailurePolicy.LOCAL;
	}

	/**
	 * The share is enough for what the request takes from the bucket altogether, and for
	 * what any request took before: it must not shrink for a cheaper one, or that would
	 * make up for what is consumed.
	 */
	private Charge share(Charge charge, List<Charge> sums) {
		if (this.share.compareTo(BigDecimal.ONE) == 0) {
			return charge;
		}
		long most = sums.stream()
			.filter((sum) -> sum.key().equals(charge.key()))
			.mapToLong(Charge::cost)
			.findFirst()
			.orElse(charge.cost());
		return new Charge(charge.key(), share(charge.key().rule(), charge.limit(), most), charge.cost(),
				charge.options());
	}

	private Limit share(String rule, Limit limit, long cost) {
		long enough = Math.min(cost, limit.capacity());
		Whole whole = new Whole(rule, limit);
		Limit part = this.shares.get(whole);
		if (part != null && part.capacity() >= enough) {
			return part;
		}
		return this.shares.merge(whole, limit.scale(this.share, cost),
				(old, larger) -> (old.capacity() >= larger.capacity()) ? old : larger);
	}

	private static Charge named(Charge charge) {
		BucketKey key = charge.key();
		return charge.on(new BucketKey(PREFIX + key.rule(), key.key(), key.affinityKey()));
	}

	private static Charge unnamed(Charge charge) {
		return charge.on(unnamed(charge.key()));
	}

	private static BucketKey unnamed(BucketKey key) {
		return new BucketKey(key.rule().substring(PREFIX.length()), key.key(), key.affinityKey());
	}

	private record Whole(String rule, Limit limit) {

	}

}
