package io.tierlimit.limit;

import org.jspecify.annotations.Nullable;

/**
 * The state of one bucket as of a moment. A new state is a full bucket.
 * <p>
 * The state counts consumed permits rather than remaining ones, so that a limit with
 * another capacity finds the same number consumed. It also has the algorithm that has
 * written the numbers: for another algorithm the bucket is full. A {@link Limit} changes
 * the state in place, so that a store allocates nothing for a request. The state is not
 * thread-safe: the store guards it, and may extend the class by its own fields.
 */
public class BucketState {

	/**
	 * The number of log entries that are allocated at once. An entry has 12 bytes, so a
	 * block takes about as much memory as a bucket without a log.
	 */
	public static final int ENTRY_BLOCK = 25;

	/** The highest count, far below the integers that a double represents exactly. */
	private static final long MAX_CHARGED = 1L << 52;

	/**
	 * A receipt is void after so many permits: more than a bucket can contain and owe.
	 */
	private static final long VOID = 1L << 42;

	/** A number derived from the bucket's key. */
	final long windowSeed;

	/** The algorithm that has written the numbers. */
	Algorithm algorithm = Algorithm.TOKEN_BUCKET;

	/** Permits consumed and not yet earned back, rounded up: at most the capacity. */
	long consumed;

	/** Permits reserved beyond the capacity. */
	long debt;

	/** Earned towards the next permit, in 1/{@link #period} permits: 0 to period - 1. */
	long earned;

	/** Permits consumed in the window before the one of {@link #consumed}. */
	long previous;

	/** The rate's period in ticks, the denominator of {@link #earned}. */
	long period;

	/** The moment of the state in ticks; earlier time does not count again. */
	long updatedAt;

	/**
	 * A moment by which the bucket was full or had another limit. Earlier charges make no
	 * difference that can be refunded.
	 */
	long countedFrom;

	/** Permits that all charges since then have consumed, including refunded ones. */
	long charged;

	/**
	 * The permits of the rate under which the numbers were written; 0 before the first
	 * charge. Receipts of charges under another rate are void.
	 */
	long permits;

	/** The maximum number of entries of the log. */
	private int mostEntries = Integer.MAX_VALUE;

	/**
	 * The charges and their moments, for an algorithm that needs them; their sum is
	 * consumed.
	 */
	@Nullable ConsumptionLog log;

	/**
	 * Creates the state of a full bucket.
	 * @param now the moment from which time counts, in ticks
	 */
	public BucketState(long now) {
		this(now, 0);
	}

	/**
	 * Creates the state of a full bucket.
	 * @param now the moment from which time counts, in ticks
	 * @param windowSeed a number derived from the bucket's key: it offsets the bucket's
	 * windows from those of other buckets
	 */
	public BucketState(long now, long windowSeed) {
		this.period = 1;
		this.updatedAt = now;
		this.countedFrom = now;
		this.windowSeed = windowSeed;
	}

	/**
	 * Creates the state of a token bucket.
	 * @param consumed permits consumed and not yet earned back
	 * @param earned earned towards the next permit, in 1/{@code period} permits: 0 to
	 * {@code period} - 1
	 * @param period the denominator of {@code earned}, 1 or more
	 * @param updatedAt the moment in ticks up to which time has counted
	 * @throws IllegalArgumentException if no bucket can have this state
	 */
	public BucketState(long consumed, long earned, long period, long updatedAt) {
		this(updatedAt);
		this.consumed = consumed;
		this.earned = earned;
		this.period = period;
		check();
	}

	/**
	 * Rejects numbers that no algorithm writes.
	 */
	void check() {
		if (!isCount(this.consumed) || !isCount(this.debt) || !isCount(this.previous) || !isCount(this.permits)
				|| this.earned < 0 || this.earned >= this.period || this.charged < 0 || this.charged > MAX_CHARGED) {
			throw new IllegalArgumentException("Invalid state of a bucket: " + this);
		}
	}

	private static boolean isCount(long permits) {
		return permits >= 0 && permits <= Rate.MAX_PERMITS;
	}

	/** Sets the numbers of an algorithm without a previous window. */
	void write(Algorithm by, long nowConsumed, long nowDebt, long nowEarned, Rate rate, long now) {
		this.algorithm = by;
		this.consumed = nowConsumed;
		this.debt = nowDebt;
		this.earned = nowEarned;
		this.previous = 0;
		this.period = rate.periodTicks();
		this.permits = rate.permits();
		this.updatedAt = Math.max(this.updatedAt, now);
		this.log = null;
	}

	/**
	 * Restarts the count of charges, because earlier ones make no difference any more.
	 */
	void startCount(long now) {
		long moment = Math.max(this.updatedAt, now);
		// Charges of the same moment share one count, so that their receipts stay
		// distinct.
		if (moment > this.countedFrom) {
			this.countedFrom = moment;
			this.charged = 0;
		}
	}

	/** Makes all receipts void, including those of this moment. */
	void voidReceipts(long now) {
		this.countedFrom = Math.max(this.updatedAt, now);
		this.charged += VOID;
		if (this.charged > MAX_CHARGED) {
			this.countedFrom++;
			this.charged = 0;
		}
	}

	/**
	 * Resets the bucket: it is full under any limit. Earlier charges make no difference
	 * any more, so their receipts refund nothing.
	 * @param now the moment in ticks
	 */
	public void reset(long now) {
		this.consumed = 0;
		this.debt = 0;
		this.earned = 0;
		this.previous = 0;
		this.period = 1;
		this.permits = 0;
		this.updatedAt = Math.max(this.updatedAt, now);
		this.log = null;
		voidReceipts(now);
	}

	/** Counts a charge that was just acquired. */
	void count(long cost) {
		if (cost > MAX_CHARGED - this.charged) {
			voidReceipts(this.updatedAt);
		}
		else {
			this.charged += cost;
		}
	}

	/** Whether a charge can still make a difference. */
	boolean counts(Receipt receipt) {
		return receipt.at() >= this.countedFrom && receipt.at() <= this.updatedAt && receipt.charged() <= this.charged
				&& this.charged - receipt.charged() < VOID;
	}

	/**
	 * The receipt of the charge that was acquired last.
	 * @return the data that {@link Limit#refund} needs
	 */
	public Receipt receipt() {
		return new Receipt(this.updatedAt, this.charged);
	}

	/**
	 * Writes the receipt of the charge that was acquired last into an array of
	 * {@link io.tierlimit.spi.AcquireResult#admitted}.
	 * @param receipts two numbers for each charge
	 * @param index the index of the charge
	 */
	public void writeReceipt(long[] receipts, int index) {
		receipts[2 * index] = this.updatedAt;
		receipts[2 * index + 1] = this.charged;
	}

	/**
	 * The number of entries in the log.
	 * @return a number of entries, including expired ones that have not been removed; 0
	 * without a log
	 */
	public int entries() {
		return (this.log != null) ? this.log.size() : 0;
	}

	/**
	 * The number of log entries that memory is allocated for.
	 * @return a number of entries, some of which may be unused; 0 without a log
	 */
	public int entryMemory() {
		return (this.log != null) ? this.log.memory() : 0;
	}

	/**
	 * Bounds the entries of a log. A charge without an entry of its own shares the last
	 * one, which then counts from the later moment: never for a shorter time than it
	 * should.
	 * @param most the maximum number of entries, 1 or more
	 */
	public void limitEntries(int most) {
		this.mostEntries = most;
	}

	/** Records in the log the cost that was just consumed. */
	void record(ConsumptionLog to, long cost) {
		to.add(this.updatedAt, cost, this.mostEntries);
	}

	/**
	 * Starts the time of a bucket from which no permits were consumed.
	 * @param moment a moment in ticks; without effect if time counts from a later one
	 */
	public void startAt(long moment) {
		this.updatedAt = Math.max(this.updatedAt, moment);
	}

	/**
	 * Copies the state.
	 * @return a copy
	 */
	public BucketState copy() {
		return windowSeed(this.windowSeed);
	}

	/**
	 * Copies the state to a bucket with another key.
	 * @param by a number derived from that bucket's key
	 * @return a copy
	 */
	public BucketState windowSeed(long by) {
		BucketState copy = new BucketState(this.updatedAt, by);
		copy.algorithm = this.algorithm;
		copy.consumed = this.consumed;
		copy.debt = this.debt;
		copy.earned = this.earned;
		copy.previous = this.previous;
		copy.period = this.period;
		copy.countedFrom = this.countedFrom;
		copy.charged = this.charged;
		copy.permits = this.permits;
		copy.mostEntries = this.mostEntries;
		copy.log = (this.log != null) ? this.log.copy() : null;
		return copy;
	}

	/**
	 * The moment up to which time has counted in this bucket.
	 * @return a moment in ticks
	 */
	public long updatedAt() {
		return this.updatedAt;
	}

	@Override
	public String toString() {
		return this.algorithm + ", consumed " + this.consumed + ", debt " + this.debt + ", earned " + this.earned + "/"
				+ this.period + ", previous " + this.previous + ", updated at " + this.updatedAt + ", charged "
				+ this.charged + " from " + this.countedFrom + " at " + this.permits + " a period"
				+ ((this.log != null) ? ", log " + this.log : "");
	}

}
