package io.tierlimit.evaluation;

import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

import io.tierlimit.EstimatedCost;
import io.tierlimit.option.CostSettlement;
import org.jspecify.annotations.Nullable;

/**
 * What code has reported about the cost of one request, or of one verdict, under one
 * rule.
 */
final class ReportedCost implements EstimatedCost {

	private final Metering metering;

	private final Supplier<List<BucketCost>> charged;

	private final LongConsumer settler;

	/** The highest total; {@code null} until code has metered. */
	private volatile @Nullable Long metered;

	private @Nullable Long settled;

	private volatile boolean ended;

	private volatile boolean reached;

	/**
	 * Creates a cost about which nothing was reported.
	 * @param metering consumes totals above the estimate
	 * @param charged the charges that the cost applies to
	 * @param settler is called once with the actual cost
	 */
	ReportedCost(Metering metering, Supplier<List<BucketCost>> charged, LongConsumer settler) {
		this.metering = metering;
		this.charged = charged;
		this.settler = settler;
	}

	@Override
	public boolean meter(long total) {
		if (raise(checked(total))) {
			this.metering.changed(this);
		}
		return this.reached;
	}

	private synchronized boolean raise(long total) {
		Long before = this.metered;
		if (this.ended || (before != null && before >= total)) {
			return false;
		}
		this.metered = total;
		return true;
	}

	@Override
	public boolean settle(long actual) {
		long permits = checked(actual);
		boolean first = !this.charged.get().isEmpty() && setSettled(permits);
		if (first) {
			Long least = this.metered;
			this.settler.accept((least != null) ? Math.max(permits, least) : permits);
		}
		return first;
	}

	private synchronized boolean setSettled(long actual) {
		boolean first = !this.ended && this.settled == null;
		this.settled = first ? (Long) actual : this.settled;
		return first;
	}

	private static long checked(long permits) {
		if (permits < 0) {
			throw new IllegalArgumentException("The cost must not be negative (was " + permits + ")");
		}
		return Math.min(permits, CostSettlement.MAX_COST);
	}

	@Nullable Long metered() {
		return this.metered;
	}

	synchronized @Nullable Long settled() {
		return this.settled;
	}

	/** Ignores all later reports. */
	synchronized void end() {
		this.ended = true;
	}

	/** The charges that the cost applies to at present. */
	List<BucketCost> charged() {
		return this.charged.get();
	}

	/** Records that an enforced bucket owes the maximum debt, or no longer does. */
	void setReached(boolean reached) {
		this.reached = reached;
	}

}
