package io.tierlimit.plan.jdbc;

import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * The plan of a user as it was read last.
 */
final class CachedPlan {

	private final String user;

	/** Whether the user waits to be read. */
	private final AtomicBoolean requested = new AtomicBoolean();

	/** {@code null} until the plan was read. */
	private volatile @Nullable Reading last;

	CachedPlan(String user) {
		this.user = user;
	}

	String user() {
		return this.user;
	}

	/** {@code null} if the user has none, or was not read yet. */
	@Nullable String plan() {
		Reading read = this.last;
		return (read != null) ? read.plan() : null;
	}

	/**
	 * Requests a reading. Returns false if the plan was read and has not expired, or if
	 * one has been requested already.
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

	/** The reading was not possible. The next request of the user requests it again. */
	void withdraw() {
		this.requested.set(false);
	}

	/**
	 * What was read.
	 *
	 * @param plan the plan; {@code null} for none
	 * @param expires when it is read again, in ticks
	 */
	private record Reading(@Nullable String plan, long expires) {

	}

}
