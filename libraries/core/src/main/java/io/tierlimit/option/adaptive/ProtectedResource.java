package io.tierlimit.option.adaptive;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.StoreFailureFlag;
import org.jspecify.annotations.Nullable;

/**
 * The rates of the rules that protect one resource. The rates are controlled by additive
 * increase and multiplicative decrease, for all instances together.
 * <p>
 * The state is the level of a bucket in the store, with {@value #WHOLE} permits for each
 * priority. The first permits are the share of the highest priority, the last permits are
 * the share of the lowest priority. The bucket refills over time. This is the additive
 * increase: it requires no call, and higher priorities recover first. An instance that
 * finds the resource overloaded consumes permits. This is the multiplicative decrease: it
 * consumes {@value #DECREASE_PERCENT}% of the share of the lowest priority that is above
 * its minimum. A second bucket, which is charged in the same step, allows one decrease
 * within {@value #SECONDS_BETWEEN_DECREASES} seconds, so that several instances do not
 * react to the same overload. A full bucket is not stored: after the recovery, the store
 * contains nothing of the resource.
 * <p>
 * Each instance also calculates the level itself. The calculated level is used if the
 * store cannot be reached, or has lost the bucket.
 */
final class ProtectedResource {

	/** The time between two updates, in ticks. */
	static final long INTERVAL = 1_000_000;

	private static final int WHOLE = 1000;

	/** With this affinity key, a Redis Cluster stores all these buckets in one slot. */
	private static final String AFFINITY = "adaptive";

	private static final int DECREASE_PERCENT = 20;

	private static final int SECONDS_BETWEEN_DECREASES = 2;

	/** The rounding error of levels, in permits. */
	private static final int ROUNDING = 2;

	/**
	 * The allowed difference of clocks, in intervals. It is relevant only while the level
	 * rises.
	 */
	private static final double TOLERANCE = 0.5;

	private static final ChargeOptions OPTIONS = new ChargeOptions(false, StoreFailurePolicy.LOCAL, false,
			Overdraft.NONE, null, true);

	/** The rates by priority, beginning with the lowest priority. */
	private final List<List<AdaptiveRate>> priorities;

	private final List<BooleanSupplier> signals;

	private final BucketKey levelKey;

	private final TokenBucket levelLimit;

	private final Charge oneDecrease;

	private final double increasePerTick;

	private volatile double level;

	private volatile long updatedAt;

	/**
	 * Creates a resource with full rates.
	 * @param name the name of the resource
	 * @param rates the rates of the rules that protect the resource
	 * @param signals report overload
	 * @param now the current time in ticks
	 */
	ProtectedResource(String name, List<AdaptiveRate> rates, List<BooleanSupplier> signals, long now) {
		Map<Integer, List<AdaptiveRate>> byPriority = new TreeMap<>();
		rates.forEach(
				(rate) -> byPriority.computeIfAbsent(rate.policy().priority(), (none) -> new ArrayList<>()).add(rate));
		this.priorities = List.copyOf(byPriority.values());
		this.signals = List.copyOf(signals);
		// No rule's id starts with a parenthesis.
		String rule = "(adaptive) " + name;
		Duration recovery = rates.get(0).policy().recovery();
		this.levelKey = new BucketKey(rule, "level", AFFINITY);
		this.levelLimit = new TokenBucket(new Rate(WHOLE, recovery), (long) WHOLE * this.priorities.size());
		this.oneDecrease = new Charge(new BucketKey(rule, "decreases", AFFINITY),
				new TokenBucket(new Rate(1, Duration.ofSeconds(SECONDS_BETWEEN_DECREASES)), 1), 1, OPTIONS);
		this.increasePerTick = WHOLE / (recovery.toNanos() / 1000.0);
		this.level = this.levelLimit.capacity();
		this.updatedAt = now;
	}

	List<AdaptiveRate> rates() {
		return this.priorities.stream().flatMap(List::stream).toList();
	}

	/** Takes over the reduction of the same resource in an earlier rule set. */
	void continueFrom(ProtectedResource earlier) {
		this.level = Math.max(0, earlier.level + this.levelLimit.capacity() - earlier.levelLimit.capacity());
		this.updatedAt = earlier.updatedAt;
		setShares();
	}

	/** A charge of 0 permits, which reads the level. */
	Charge reading() {
		return new Charge(this.levelKey, this.levelLimit, 0, OPTIONS);
	}

	/**
	 * Updates the rates.
	 * @param stored the level in the store, in permits; {@code null} if the store cannot
	 * be reached
	 * @param now a time before the level was read, in ticks
	 * @param store the store that is charged for a decrease
	 */
	void update(@Nullable Long stored, long now, BucketStore store) {
		boolean reducedElsewhere = advance(stored, now);
		boolean overloaded = evaluate(now);
		if (reducedElsewhere || overloaded) {
			rates().forEach((rate) -> rate.health().resetRecovery());
		}
		if (reducedElsewhere) {
			ignoreEarlierRequests();
		}
		else if (overloaded) {
			decrease(stored, store);
		}
		setShares();
	}

	/**
	 * Calculates the level, and compares it with the level in the store. Returns whether
	 * another instance has reduced the level.
	 */
	private boolean advance(@Nullable Long stored, long now) {
		double rising = hasRecovered() ? this.increasePerTick : 0;
		double expected = Math.min((double) this.levelLimit.capacity(),
				this.level + rising * Math.max(0, now - this.updatedAt));
		double tolerance = ROUNDING + TOLERANCE * rising * INTERVAL;
		this.updatedAt = Math.max(now, this.updatedAt);
		// A higher level in the store is not used: the bucket was lost, or has refilled
		// before the resource has recovered. Before the recovery, the level never rises.
		double highest = (rising > 0) ? expected + tolerance : expected;
		this.level = (stored != null && stored <= highest) ? stored : expected;
		return this.level < expected - tolerance;
	}

	/**
	 * Whether each rule has recovered since the last overload. If the requests of a rule
	 * hang, another rule must be healthy.
	 */
	private boolean hasRecovered() {
		Set<Health> recoveries = EnumSet.noneOf(Health.class);
		rates().forEach((rate) -> recoveries.add(rate.health().recovery()));
		return !recoveries.contains(Health.UNKNOWN)
				&& (!recoveries.contains(Health.HANGING) || recoveries.contains(Health.HEALTHY));
	}

	/**
	 * Evaluates the requests of all rules. Returns whether the requests of a rule or a
	 * signal indicate overload.
	 */
	private boolean evaluate(long now) {
		boolean overloaded = false;
		for (AdaptiveRate rate : rates()) {
			overloaded |= rate.health().evaluate(now) == Health.OVERLOADED;
		}
		for (BooleanSupplier signal : this.signals) {
			overloaded |= signal.getAsBoolean();
		}
		return overloaded;
	}

	private void ignoreEarlierRequests() {
		rates().forEach((rate) -> rate.health().ignoreEarlier());
	}

	private void decrease(@Nullable Long stored, BucketStore store) {
		int priority = firstAboveMinimum();
		if (priority == this.priorities.size()) {
			if (stored != null) {
				// Consumes the permits that have refilled. Otherwise, an instance that
				// starts would use the higher level.
				isDecreased(stored - (long) this.level, store);
			}
			return;
		}
		long next = reducedLevel(priority);
		if (stored == null || isDecreased(stored - next, store)) {
			this.level = next;
			ignoreEarlierRequests();
		}
	}

	/**
	 * Consumes permits, unless another instance has just done so. If the store has no
	 * room for the bucket of the level, only the bucket of the decreases is charged.
	 */
	private boolean isDecreased(long permits, BucketStore store) {
		Charge difference = new Charge(this.levelKey, this.levelLimit, Math.max(0, permits), OPTIONS);
		return store.acquire(List.of(this.oneDecrease, difference), new StoreFailureFlag()).admitted()
				|| store.acquire(List.of(this.oneDecrease), new StoreFailureFlag()).admitted();
	}

	/** The index of the lowest priority with a rate above its minimum. */
	private int firstAboveMinimum() {
		int priority = 0;
		while (priority < this.priorities.size() && share(priority) <= minShare(priority)) {
			priority++;
		}
		return priority;
	}

	private long reducedLevel(int priority) {
		double share = share(priority) * (100 - DECREASE_PERCENT) / 100;
		long below = (long) WHOLE * (this.priorities.size() - 1 - priority);
		return below + ((share > minShare(priority)) ? (long) (share * WHOLE) : 0);
	}

	private double share(int priority) {
		int below = this.priorities.size() - 1 - priority;
		return Math.max(0, Math.min(1, this.level / WHOLE - below));
	}

	/** The highest share at which all rates of a priority are at their minimum. */
	private double minShare(int priority) {
		double min = 1;
		for (AdaptiveRate rate : this.priorities.get(priority)) {
			min = Math.min(min, rate.minShare());
		}
		return min;
	}

	private void setShares() {
		for (int i = 0; i < this.priorities.size(); i++) {
			double share = share(i);
			this.priorities.get(i).forEach((rate) -> rate.setShare(share));
		}
	}

}
