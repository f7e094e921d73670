package io.tierlimit.plan.jdbc;

import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * The plan of a user as of the last reading.
 */
final class CachedPlan {

	private final String user;

	/** Whether a reading of the plan was requested. */
	private final AtomicBoolean requested = new AtomicBoolean();

	/** {@code null} until the plan has been read. */
	private volatile @Nullable Reading last;

	CachedPlan(String user) {
		this.user = user;
	}

	String user() {
		return this.user;
	}

	/**
	 * The plan; {@code null} if the user has no plan, or if the plan has not been read
	 * yet.
	 */
	@Nullable String plan() {
		Reading read = this.last;
		return (read != null) ? read.plan() : null;
	}

	/**
	 * Requests a reading. Returns false if the plan was read and has not expired, or if a
	 * reading has already been requested.
	 */
	boolean request(long now) {
		Reading read = this.last;
		boolean due = read == null || now >= read.expires();
		return due && !this.requested.get() && this.requested.compareAndSet(false, true);
	}

	void set(@Nullable String plan, long expires) {
		this.last = new Reading(plan, expires);
		this.requested.set(false);
	}

	/**
	 * Withdraws a request for a reading that was not possible. The next request of the
	 * user requests a reading again.
	 */
	void withdraw() {
		this.requested.set(false);
	}

	/**
	 * The result of a reading.
	 *
	 * @param plan the plan; {@code null} for none
	 * @param expires when the plan is read again, in ticks
	 */
	private record Reading(@Nullable String plan, long expires) {

	}

}
