package io.tierlimit.store.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * Random requests on a few buckets, some of them charged twice, in shadow mode or with
 * bans, at random times. The same seed produces the same requests.
 */
final class RandomRequests {

	private static final String[] RATES = { "3/s", "7/m", "50000/s", "1000/15m", "10/s" };

	private final Random random;

	private final List<Charge> templates = new ArrayList<>();

	RandomRequests(long seed) {
		this.random = new Random(seed);
		for (int i = 0; i < 6; i++) {
			Rate rate = Rate.parse(RATES[oneOf(RATES.length)]);
			BucketKey key = new BucketKey("rule " + oneOf(3), "key " + i);
			ChargeOptions options = (oneOf(4) == 0) ? ChargeOptions.SHADOW : ChargeOptions.ENFORCED;
			this.templates.add(new Charge(key, new TokenBucket(rate, 1 + oneOf(20)), 0, options.with(ban())));
		}
	}

	private @Nullable BanPolicy ban() {
		long duration = 1 + elapse();
		return (oneOf(3) > 0) ? null : new BanPolicy(1 + oneOf(5), 1 + elapse(), duration, duration * (1 + oneOf(4)));
	}

	int oneOf(int count) {
		return this.random.nextInt(count);
	}

	/**
	 * Refunds and, if the limit allows it, other actual costs from 0 to twice the cost.
	 */
	List<Settlement> settlements(List<Charge> charges) {
		return charges.stream().map((charge) -> {
			boolean refunded = !charge.limit().isReservable() || oneOf(3) == 0;
			return refunded ? Settlement.refund(charge) : new Settlement(charge,
					oneOf((int) Math.min(100, 2 * charge.cost() + 2)), oneOf(10), oneOf(2) == 0);
		}).toList();
	}

	/** The time until the next request, in ticks. */
	long elapse() {
		return this.random.nextLong(1L << oneOf(26));
	}

	List<Charge> charges() {
		List<Charge> charges = new ArrayList<>();
		int count = 1 + oneOf(4);
		for (int i = 0; i < count; i++) {
			Charge template = this.templates.get(oneOf(this.templates.size()));
			charges.add(new Charge(template.key(), template.limit(), oneOf(6), template.options()));
		}
		return charges;
	}

}
