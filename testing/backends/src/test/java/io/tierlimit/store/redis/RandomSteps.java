package io.tierlimit.store.redis;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.SlidingWindow;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * Random requests on a few buckets, with limits and clocks of every size: numbers from
 * one to the maximum, limits that change, and a clock that does not advance, advances to
 * the time at which a bucket becomes full, or steps back. The same seed gives the same
 * steps.
 */
final class RandomSteps {

	private static final long LATEST = 1L << 52;

	private static final long LONGEST = Rate.MAX_PERIOD.toSeconds() * 1_000_000;

	private final Random random;

	private final boolean common;

	private final List<BucketKey> keys = new ArrayList<>();

	private final List<Limit> limits = new ArrayList<>();

	private final List<@Nullable BanPolicy> bans = new ArrayList<>();

	private long now = 1_700_000_000_000_000L;

	RandomSteps(long seed) {
		this(seed, false);
	}

	private RandomSteps(long seed, boolean common) {
		this.random = new Random(seed);
		this.common = common;
		for (int i = 0; i < 4; i++) {
			this.keys.add(new BucketKey("rule " + i % 2, "seed " + seed + " key " + i));
			this.limits.add(limit());
			this.bans.add(ban());
		}
	}

	/**
	 * Steps like the requests of most applications: token buckets with numbers up to a
	 * million, whose charges rarely are in shadow mode or reserve permits.
	 */
	static RandomSteps common(long seed) {
		return new RandomSteps(seed, true);
	}

	int oneOf(int count) {
		return this.random.nextInt(count);
	}

	/** A number up to the largest; every magnitude is equally likely. */
	private long upTo(long largest) {
		double size = this.random.nextDouble() * Math.log((double) largest);
		return Math.min(largest, Math.max(1, Math.round(Math.exp(size))));
	}

	private Limit limit() {
		while (true) {
			Duration period = Duration.of(upTo(this.common ? 3_600_000_000L : LONGEST), ChronoUnit.MICROS);
			Rate rate = new Rate(upTo(this.common ? 1_000_000 : Rate.MAX_PERMITS), period);
			try {
				return switch (this.common ? -1 : oneOf(8)) {
					case -1 -> new TokenBucket(rate, upTo(1_000_000));
					case 0 -> new FixedWindow(rate, rate.permits() + upTo(Rate.MAX_PERMITS) - 1, null);
					case 1 -> new FixedWindow(rate, rate.permits() * upTo(10),
							Duration.of(upTo(rate.periodTicks()) - 1, ChronoUnit.MICROS));
					case 2 -> new SlidingWindow(rate);
					case 3 -> new SlidingLog(new Rate(upTo(20), period));
					case 4 -> new SlidingLog(new Rate(upTo(SlidingLog.MAX_PERMITS), period));
					case 5 -> new LeakyBucket(rate);
					default -> new TokenBucket(rate, upTo(Rate.MAX_PERMITS));
				};
			}
			catch (IllegalArgumentException ex) {
				// The limit takes too long to become full: try another limit.
			}
		}
	}

	/**
	 * A limit with another number of permits in the same period, if there is such a
	 * limit.
	 */
	private Limit changed(Limit limit) {
		Rate rate = new Rate(upTo(Rate.MAX_PERMITS), limit.rate().period());
		try {
			if (limit instanceof TokenBucket bucket) {
				return new TokenBucket(rate, bucket.burst());
			}
			if (limit instanceof FixedWindow window) {
				return new FixedWindow(rate, window.capacity(), window.start());
			}
		}
		catch (IllegalArgumentException ex) {
			return limit;
		}
		return (limit instanceof LeakyBucket) ? new LeakyBucket(rate) : limit;
	}

	/**
	 * Settlements of charges, with actual costs below, equal to and above their costs.
	 */
	List<Settlement> settlements(List<Charge> charges) {
		return charges.stream().map((charge) -> {
			boolean changes = charge.limit().isReservable() && charge.cost() <= 2 * Rate.MAX_PERMITS;
			return new Settlement(charge, changes ? actual(charge.cost()) : 0,
					(oneOf(3) == 0) ? 0 : upTo(Rate.MAX_PERMITS), oneOf(2) == 0);
		}).toList();
	}

	private long actual(long cost) {
		return switch (oneOf(4)) {
			case 0 -> 0;
			case 1 -> cost;
			case 2 -> Math.min(cost, upTo(Math.max(1, cost)));
			default -> cost + upTo(3 * Rate.MAX_PERMITS);
		};
	}

	long elapse() {
		Limit limit = this.limits.get(oneOf(this.limits.size()));
		BanPolicy ban = this.bans.get(oneOf(this.bans.size()));
		long jump = switch ((ban != null && oneOf(4) == 0) ? 8 + oneOf(3) : oneOf(8)) {
			case 0 -> 0;
			case 1 -> -upTo(1_000_000_000);
			case 2 -> limit.timeToFull() - 1 + oneOf(3);
			case 3 -> upTo(limit.timeToFull());
			case 4 -> limit.rate().periodTicks() / limit.rate().permits() + oneOf(2);
			case 5 -> limit.rate().periodTicks() - 1 + oneOf(3);
			case 8 -> ban.within() - 1 + oneOf(3);
			case 9 -> ban.duration(1 + oneOf(4)) - 1 + oneOf(3);
			case 10 -> ban.max() - 1 + oneOf(3);
			default -> upTo(10_000_000);
		};
		this.now = (this.now + jump > LATEST) ? this.now : this.now + jump;
		return this.now;
	}

	List<Charge> charges() {
		List<Charge> charges = new ArrayList<>();
		int count = 1 + oneOf(3);
		for (int i = 0; i < count; i++) {
			int bucket = oneOf(this.keys.size());
			if (oneOf(200) == 0) {
				this.limits.set(bucket, (oneOf(2) == 0) ? limit() : changed(this.limits.get(bucket)));
			}
			Limit limit = this.limits.get(bucket);
			ChargeOptions options = (this.common && oneOf(16) != 0) ? ChargeOptions.ENFORCED
					: new ChargeOptions(oneOf(8) == 0, null, true, overdraft(limit), null, true);
			ChargeOptions banning = options.with(ban(bucket));
			charges.add(new Charge(this.keys.get(bucket), limit, cost(limit),
					(oneOf(8) == 0) ? banning.withoutCounting() : banning));
		}
		return charges;
	}

	/**
	 * The ban policy of a bucket. Not all buckets have a policy, and the policies
	 * sometimes change.
	 */
	private @Nullable BanPolicy ban(int bucket) {
		if (oneOf(200) == 0) {
			this.bans.set(bucket, ban());
		}
		return (oneOf(16) == 0) ? null : this.bans.get(bucket);
	}

	private @Nullable BanPolicy ban() {
		long longest = this.common ? 3_600_000_000L : LONGEST;
		long duration = upTo(longest);
		return (oneOf(this.common ? 8 : 2) > 0) ? null
				: new BanPolicy(upTo(20), upTo(longest), duration, Math.min(longest, duration * upTo(1000) + oneOf(2)));
	}

	private Overdraft overdraft(Limit limit) {
		return switch (oneOf(8)) {
			case 0 -> Overdraft.ofPermits(Math.min(Rate.MAX_PERMITS, upTo(4 * limit.capacity())));
			case 1 -> Overdraft.ofTicks(Math.min(LONGEST, upTo(4 * limit.timeToFull())));
			case 2 -> new Overdraft(upTo(Rate.MAX_PERMITS), upTo(LONGEST));
			default -> Overdraft.NONE;
		};
	}

	private long cost(Limit limit) {
		return switch (oneOf(10)) {
			case 0 -> 0;
			case 1 -> limit.capacity();
			case 2 -> limit.capacity() + 1;
			case 3 -> Long.MAX_VALUE;
			case 4, 5 -> 1;
			default -> upTo(limit.capacity());
		};
	}

}
