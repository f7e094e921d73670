package io.tierlimit.limit;

import org.jspecify.annotations.Nullable;

/**
 * What is known of one bucket as of a moment. A new state is a full bucket.
 * <p>
 * Consumed is kept rather than left, so that a limit with another capacity finds the same
 * number consumed. Which algorithm has written the numbers is kept, too: to another one
 * they mean a full bucket. The state is changed in place by its {@link Limit}, so that a
 * store allocates nothing for a request; it is not thread-safe: the store guards it.
 */
public final class BucketState {

	/**
	 * How many log entries memory is allocated for at once: 12 bytes each, so that a
	 * block takes about as much as a bucket without a log.
	 */
	public static final int ENTRY_BLOCK = 25;

	/** The most that is counted: far below what a double holds exactly. */
	private static final long MAX_CHARGED = 1L << 52;

	/** So many permits later a receipt is void: more than a bucket contains and owes. */
	private static final long VOID = 1L << 42;

	/** A number that follows from the bucket's key. */
	final long windowSeed;

	/** Whose numbers these are. */
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

	/** The moment in ticks; time before it doesn't count again. */
	long updatedAt;

	/**
	 * A moment by which the bucket was full or had another limit: charges from before
	 * make no difference that can be refunded.
	 */
	long countedFrom;

	/** Permits that all charges since then have consumed, with what was refunded. */
	long charged;

	/**
	 * The permits of the rate that the numbers were written under; 0 before the first
	 * charge. Receipts of charges under another rate are void.
	 */
	long permits;

	/** How many entries the log may have. */
	private int mostEntries = Integer.MAX_VALUE;

	/**
	 * Who consumed when, where an algorithm needs to know: the same permits as consumed.
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
	 * @param windowSeed a number that follows from the bucket's key: sets off its windows
	 * from those of others
	 */
	public BucketState(long now, long windowSeed) {
		this.period = 1;
		this.updatedAt = now;
		this.countedFrom = now;
		this.windowSeed = windowSeed;
	}

	/**
	 * Creates a token bucket's state out of numbers.
	 * @param consumed permits consumed and not yet earned back
	 * @param earned earned towards the next permit, in 1/{@code period} permits: 0 to
	 * {@code period} - 1
	 * @param period the denominator of {@code earned}, 1 or more
	 * @param updatedAt the moment in ticks up to which time has counted
	 * @throws IllegalArgumentException if there can be no such state
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
			throw new IllegalArgumentException("There is no bucket with " + this);
		}
	}

	private static boolean isCount(long permits) {
		return permits >= 0 && permits <= Rate.MAX_PERMITS;
	}

	/** Writes what an algorithm counts that knows no windows before. */
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
	 * Starts to count charges anew, because those before make no difference any more.
	 */
	void startCount(long now) {
		long moment = Math.max(this.updatedAt, now);
		// Charges of one moment are counted together, or their receipts would be mixed
		// up.
		if (moment > this.countedFrom) {
			this.countedFrom = moment;
			this.charged = 0;
		}
	}

	/** Makes all receipts void, those of this moment included. */
	void voidReceipts(long now) {
		this.countedFrom = Math.max(this.updatedAt, now);
		this.charged += VOID;
		if (this.charged > MAX_CHARGED) {
			this.countedFrom++;
			this.charged = 0;
		}
	}

	/**
	 * Makes the bucket full, whatever its limit. Charges from before make no difference
	 * any more: their receipts refund nothing.
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
	 * @return what {@link Limit#refund} has to know about it
	 */
	public Receipt receipt() {
		return new Receipt(this.updatedAt, this.charged);
	}

	/**
	 * How many entries the log has.
	 * @return a number of entries, with those that do not count any more but have not
	 * been removed; 0 without a log
	 */
	public int entries() {
		return (this.log != null) ? this.log.size() : 0;
	}

	/**
	 * How many entries of a log the state has memory for.
	 * @return a number of entries, some of which may be unused; 0 without a log
	 */
	public int entryMemory() {
		return (this.log != null) ? this.log.memory() : 0;
	}

	/**
	 * Bounds the entries of a log. A charge for which there is no entry shares the last
	 * one, which then counts from the later moment: never shorter than it should.
	 * @param most how many entries the log may have, 1 or more
	 */
	public void limitEntries(int most) {
		this.mostEntries = most;
	}

	/** Notes in the log what was just consumed. */
	void note(ConsumptionLog to, long cost) {
		to.add(this.updatedAt, cost, this.mostEntries);
	}

	/**
	 * Lets time count from a moment, for a bucket that nothing was consumed from.
	 * @param moment a moment in ticks; without effect if time counts from a later one
	 */
	public void startAt(long moment) {
		this.updatedAt = Math.max(this.updatedAt, moment);
	}

	/**
	 * The same state in an object of its own.
	 * @return a copy
	 */
	public BucketState copy() {
		return windowSeed(this.windowSeed);
	}

	/**
	 * The same state as that of a bucket with another key.
	 * @param by a number that follows from the bucket's key
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
		return this.algorithm + ", consumed " + this.consumed + ", owed " + this.debt + ", earned " + this.earned + "/"
				+ this.period + ", previously " + this.previous + ", as of " + this.updatedAt + ", charged "
				+ this.charged + " from " + this.countedFrom + " at " + this.permits + " a period"
				+ ((this.log != null) ? ", log " + this.log : "");
	}

}
