package io.tierlimit.plan.jdbc;

import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * The plan of a user as of the last reading.
 */
final class CachedPlan {

	private static final long NOW = Long.MIN_VALUE;

	private static final long REQUESTED = Long.MAX_VALUE;

	private final String user;

	/** When a reading can be requested, in ticks. */
	private final AtomicLong due = new AtomicLong(NOW);

	private volatile @Nullable String plan;

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
		return this.plan;
	}

	/**
	 * Requests a reading. Returns false if the plan was read and has not expired, or if a
	 * reading has already been requested.
	 */
	boolean request(long now) {
		long time = this.due.get();
		return now >= time && this.due.compareAndSet(time, REQUESTED);
	}

	void set(@Nullable String read, long expires) {
		this.plan = read;
		this.due.set(expires);
	}

	/**
	 * Withdraws a request for a reading that was not possible. The next request of the
	 * user requests a reading again.
	 */
	void withdraw() {
		this.due.set(NOW);
	}

}
