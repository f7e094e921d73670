package io.tierlimit.evaluation;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * What has happened to the permits of an acquired charge after its decision. Thread-safe.
 */
final class ChargeProgress {

	private final long cost;

	/** The permits that were consumed so far. */
	private long consumed;

	/** Whether the permits were released, refunded or settled. */
	private boolean ended;

	/** What code reports about the cost of its verdict; {@code null} for nothing. */
	private @Nullable ReportedCost report;

	/**
	 * Starts after the acquisition.
	 * @param cost the acquired permits
	 */
	ChargeProgress(long cost) {
		this.cost = cost;
		this.consumed = cost;
	}

	/** Ends the charge. Returns false if it had ended before. */
	synchronized boolean end() {
		boolean first = !this.ended;
		this.ended = true;
		return first;
	}

	/**
	 * Raises the number of consumed permits, unless the charge has ended. The caller
	 * consumes the difference. It is never consumed again, even if the store does not
	 * reply.
	 * @return the difference, 0 or more
	 */
	synchronized long raiseTo(long total) {
		long difference = this.ended ? 0 : Math.max(0, total - this.consumed);
		this.consumed += difference;
		return difference;
	}

	/**
	 * Ends the charge with its actual cost.
	 * @return the permits that the caller consumes or, if negative, returns. Permits that
	 * were consumed above the cost are not returned. 0 if the charge had ended before
	 */
	synchronized long endWith(long actual) {
		boolean returned = actual < this.cost && this.consumed == this.cost;
		long more = this.ended ? 0 : returned ? actual - this.cost : Math.max(0, actual - this.consumed);
		this.consumed += more;
		this.ended = true;
		return more;
	}

	synchronized boolean hasEnded() {
		return this.ended;
	}

	synchronized long consumed() {
		return this.consumed;
	}

	/**
	 * What code reports about the cost of its verdict.
	 * @param first creates the report when it is first needed
	 */
	synchronized ReportedCost report(Supplier<ReportedCost> first) {
		ReportedCost known = (this.report != null) ? this.report : first.get();
		this.report = known;
		return known;
	}

}
