package io.tierlimit.audit.jdbc;

import java.time.Duration;

/**
 * The options of the audit: what it stores, and how fast.
 *
 * @param shadow whether rejections by rules in shadow mode are stored
 * @param identities whether the user and the client address are stored
 * @param queueCapacity the maximum number of rejections that wait to be written, 1 or
 * more
 * @param batchSize the maximum number of rows that are inserted in each interval, and the
 * maximum number of rows that are deleted, 1 or more
 * @param interval the time between two batches, above zero
 * @param retention the age at which rows are deleted; zero to keep them
 */
public record AuditOptions(boolean shadow, boolean identities, int queueCapacity, int batchSize, Duration interval,
		Duration retention) {

	private static final int QUEUE_CAPACITY = 10_000;

	private static final int BATCH_SIZE = 1000;

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	/**
	 * Creates options: at most 10,000 rejections wait, and at most 1,000 rows are written
	 * per second.
	 * @param shadow whether rejections by rules in shadow mode are stored
	 * @param identities whether the user and the client address are stored
	 * @param retention the age at which rows are deleted; zero to keep them
	 */
	public AuditOptions(boolean shadow, boolean identities, Duration retention) {
		this(shadow, identities, QUEUE_CAPACITY, BATCH_SIZE, INTERVAL, retention);
	}

}
