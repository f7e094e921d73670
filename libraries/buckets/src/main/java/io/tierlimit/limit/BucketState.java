package io.tierlimit.limit;

import org.jspecify.annotations.Nullable;

/**
 * The state of one bucket at one time. A new state is a full bucket.
 * <p>
 * The state counts consumed permits rather than remaining ones, so that the count remains
 * valid if the capacity changes. The state also contains the algorithm that has written
 * it: for another algorithm the bucket is full. A {@link Limit} changes the state in
 * place, so that a store allocates nothing for a request. The state is not thread-safe:
 * the store guards it, and may extend the class by its own fields.
 */
public class BucketState {

	/**
	 * The number of log entries that are allocated at once. An entry has 12 bytes, so a
	 * block takes about as much memory as two buckets with their keys.
	 */
	public static final int ENTRY_BLOCK = 25;

	/** The highest count, far below the integers that a double represents exactly. */
	private static final long MAX_CHARGED = 1L << 52;

	/**
	 * A receipt is void after this number of permits, which is more than a bucket can
	 * contain and owe.
	 */
	private static final long VOID = 1L << 42;

	/**
	 * The limit under which the numbers were written; only its algorithm and rate if the
	 * state was read from a store, or if the bucket is full under any limit.
	 */
	private Origin origin = RateOrigin.NEW;

	/** Numbers that few states need; {@code null} until they are needed. */
	private @Nullable StateDetails details;

	/** Permits consumed and not yet earned back, rounded up: at most the capacity. */
	long consumed;

	/** Earned towards the next permit, in 1/{@link #period()} permits. */
	long earned;

	/** The time of the last update in ticks: permits of earlier time have been added. */
	long updatedAt;

	/**
	 * The time from which charges are counted, because the bucket was full or had another
	 * limit until then. Earlier charges cannot be refunded.
	 */
	long countedFrom;

	/**
	 * Permits that all charges since {@link #countedFrom} have consumed, including
	 * refunded permits.
	 */
	long charged;

	/**
	 * Creates the state of a full bucket.
	 * @param now the time in ticks from which permits are earned
	 */
	public BucketState(long now) {
		this(now, 0);
	}

	/**
	 * Creates the state of a full bucket.
	 * @param now the time in ticks from which permits are earned
	 * @param windowSeed a number derived from the bucket's key: it offsets the bucket's
	 * windows from the windows of other buckets
	 */
	public BucketState(long now, long windowSeed) {
		this.updatedAt = now;
		this.countedFrom = now;
		if (windowSeed != 0) {
			details().windowSeed = windowSeed;
		}
	}

	/** Sets the numbers of an algorithm without a previous window. */
	void write(Limit by, long nowConsumed, long nowDebt, long nowEarned, long now) {
		// Most writes are under the same limit: no reference has to be written then.
		if (this.origin != by) {
			this.origin = by;
		}
		this.consumed = nowConsumed;
		this.earned = nowEarned;
		this.updatedAt = Math.max(this.updatedAt, now);
		if (this.details != null || nowDebt != 0) {
			details().restart(nowDebt);
		}
	}

	private StateDetails details() {
		StateDetails present = this.details;
		if (present == null) {
			present = new StateDetails();
			this.details = present;
		}
		return present;
	}

	/** The algorithm that has written the numbers. */
	Algorithm algorithm() {
		return this.origin.algorithm();
	}

	/** The rate's period in ticks, the denominator of {@link #earned}. */
	long period() {
		return (this.origin instanceof Limit limit) ? limit.rate().periodTicks() : ((RateOrigin) this.origin).period();
	}

	/**
	 * The permits of the rate under which the numbers were written; 0 before the first
	 * charge. Receipts of charges under another rate are void.
	 */
	long permits() {
		return (this.origin instanceof Limit limit) ? limit.rate().permits() : ((RateOrigin) this.origin).permits();
	}

	/** Whether the numbers were written by a limit's algorithm. */
	boolean isOfAlgorithm(Limit limit) {
		return this.origin == limit || algorithm() == limit.algorithm();
	}

	/** Whether the numbers were written by a limit's algorithm at its rate. */
	boolean isOfRate(Limit limit) {
		return this.origin == limit || (isOfPeriod(limit) && permits() == limit.rate().permits());
	}

	/** Whether the numbers were written by a limit's algorithm for its period. */
	boolean isOfPeriod(Limit limit) {
		return this.origin == limit || (algorithm() == limit.algorithm() && period() == limit.rate().periodTicks());
	}

	/** Permits reserved beyond the capacity. */
	long debt() {
		return (this.details != null) ? this.details.debt : 0;
	}

	void addDebt(long permits) {
		details().debt += permits;
	}

	/** Permits consumed in the window before the one of {@link #consumed}. */
	long previous() {
		return (this.details != null) ? this.details.previous : 0;
	}

	void setPrevious(long previous) {
		if (this.details != null || previous != 0) {
			details().previous = previous;
		}
	}

	/** The charges and their times, for an algorithm that needs them. */
	@Nullable ConsumptionLog log() {
		return (this.details != null) ? this.details.log : null;
	}

	void setLog(ConsumptionLog log) {
		details().log = log;
	}

	/** The holders of permits, for an algorithm that has them. */
	@Nullable Holders holders() {
		return (this.details != null) ? this.details.holders : null;
	}

	void setHolders(Holders holders) {
		details().holders = holders;
	}

	/** Completes numbers that were read, and rejects numbers that no algorithm writes. */
	void read(RateOrigin from, long debt, long previous) {
		this.origin = from;
		if (debt != 0) {
			details().debt = debt;
		}
		setPrevious(previous);
		if (!isCount(this.consumed) || !isCount(debt) || !isCount(previous) || !isCount(from.permits())
				|| this.earned < 0 || this.earned >= from.period() || this.charged < 0 || this.charged > MAX_CHARGED) {
			throw new IllegalArgumentException("Invalid state of a bucket: " + this);
		}
	}

	private static boolean isCount(long permits) {
		return permits >= 0 && permits <= Rate.MAX_PERMITS;
	}

	/**
	 * A number derived from the bucket's key: it offsets the bucket's windows from the
	 * windows of other buckets.
	 * @return 0 or more
	 */
	protected long windowSeed() {
		return (this.details != null) ? this.details.windowSeed : 0;
	}

	/**
	 * Records the limit that a request was checked against, even if the request was
	 * rejected and has changed nothing.
	 * @param limit the limit
	 */
	protected final void setLimit(Limit limit) {
		// A bucket without charges is full under any limit.
		boolean same = this.origin == limit || this.origin instanceof RateOrigin || this.origin.equals(limit);
		if (!same || this.details != null) {
			details().limit = same ? null : limit;
		}
	}

	/**
	 * The limit that the bucket was last used under.
	 * @return the limit; {@code null} if the bucket is full under any limit
	 */
	protected final @Nullable Limit limit() {
		Limit checked = (this.details != null) ? this.details.limit : null;
		return (checked == null && this.origin instanceof Limit limit) ? limit : checked;
	}

	/**
	 * Restarts the count of charges, because earlier charges cannot be refunded.
	 */
	void startCount(long now) {
		long moment = Math.max(this.updatedAt, now);
		// Charges at the same time share one count, so that their receipts stay distinct.
		if (moment > this.countedFrom) {
			this.countedFrom = moment;
			this.charged = 0;
		}
	}

	/** Makes all receipts void, including receipts of the current tick. */
	void voidReceipts(long now) {
		this.countedFrom = Math.max(this.updatedAt, now);
		this.charged += VOID;
		if (this.charged > MAX_CHARGED) {
			this.countedFrom++;
			this.charged = 0;
		}
	}

	/**
	 * Resets the bucket: it is full under any limit, and not banned. The receipts of
	 * earlier charges refund nothing. Earlier rejections and bans are removed.
	 * @param now the current time in ticks
	 */
	public void reset(long now) {
		refill(now);
		if (this.details != null) {
			this.details.bans = null;
		}
	}

	/**
	 * Refills the bucket: it is full under any limit. The receipts of earlier charges
	 * refund nothing. A ban continues.
	 * @param now the current time in ticks
	 */
	public void refill(long now) {
		this.origin = RateOrigin.full(algorithm());
		this.consumed = 0;
		this.earned = 0;
		this.updatedAt = Math.max(this.updatedAt, now);
		if (this.details != null) {
			this.details.restart(0);
			this.details.limit = null;
		}
		voidReceipts(now);
	}

	/**
	 * Whether the bucket is banned.
	 * @param now the current time in ticks
	 * @return whether there is a current ban
	 */
	public boolean isBanned(long now) {
		BanHistory bans = bans();
		return bans != null && bans.isBanned(now);
	}

	/**
	 * The ban of the bucket.
	 * @param now the current time in ticks
	 * @return the current ban; {@code null} for none
	 */
	public @Nullable Ban ban(long now) {
		BanHistory bans = bans();
		return (bans != null) ? bans.ban(now) : null;
	}

	/**
	 * The time until which the rejections and bans of the bucket affect the next ban.
	 * Until that time, a full bucket is not equivalent to a missing one.
	 * @return a time in ticks, which may be in the past; {@link Long#MIN_VALUE} for a
	 * bucket without rejections and bans
	 */
	public long bansMatterUntil() {
		BanHistory bans = bans();
		return (bans != null) ? bans.expires() : Long.MIN_VALUE;
	}

	/** Removes rejections and bans that no longer affect the next ban. */
	void expireBans(long now) {
		BanHistory bans = bans();
		if (bans != null && now >= bans.expires()) {
			setBans(null);
		}
	}

	/** The rejections and bans; {@code null} if there are none. */
	@Nullable BanHistory bans() {
		return (this.details != null) ? this.details.bans : null;
	}

	void setBans(@Nullable BanHistory bans) {
		if (this.details != null || bans != null) {
			details().bans = bans;
		}
	}

	/** Counts a rejection, and returns the ban that starts. */
	@Nullable Ban countRejection(BanPolicy policy, long now) {
		expireBans(now);
		BanHistory bans = bans();
		if (bans == null) {
			bans = new BanHistory();
			setBans(bans);
		}
		return bans.count(policy, now);
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

	/** Whether a charge can still be refunded. */
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
	 * {@link io.tierlimit.store.AcquireResult#admitted}.
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
		ConsumptionLog log = log();
		return (log != null) ? log.size() : 0;
	}

	/**
	 * The number of log entries that memory is allocated for.
	 * @return a number of entries, some of which may be unused; 0 without a log
	 */
	public int entryMemory() {
		// Not log(), which is not inlined before a log exists: see Decision.
		StateDetails present = this.details;
		return (present != null && present.log != null) ? present.log.memory() : 0;
	}

	/**
	 * Bounds the entries of a log. A charge without an entry of its own shares the last
	 * entry, which then has the later time: no charge expires too early.
	 * @param most the maximum number of entries, 1 or more
	 */
	public void limitEntries(int most) {
		details().mostEntries = most;
	}

	/** Records in the log the cost that was just consumed. */
	void record(ConsumptionLog to, long cost) {
		to.add(this.updatedAt, cost, details().mostEntries);
	}

	/**
	 * Sets the time of a bucket from which no permits were consumed.
	 * @param moment a time in ticks; without effect if the bucket has a later time
	 */
	public void startAt(long moment) {
		this.updatedAt = Math.max(this.updatedAt, moment);
	}

	/**
	 * Copies the state.
	 * @return a copy
	 */
	public BucketState copy() {
		return windowSeed(windowSeed());
	}

	/**
	 * Copies the state to a bucket with another key.
	 * @param by a number derived from that bucket's key
	 * @return a copy
	 */
	public BucketState windowSeed(long by) {
		BucketState copy = new BucketState(this.updatedAt);
		copy.origin = this.origin;
		copy.details = (this.details != null) ? this.details.copy() : null;
		copy.consumed = this.consumed;
		copy.earned = this.earned;
		copy.countedFrom = this.countedFrom;
		copy.charged = this.charged;
		if (by != copy.windowSeed()) {
			copy.details().windowSeed = by;
		}
		return copy;
	}

	/**
	 * The time of the last update of this bucket: permits of earlier time have been
	 * added.
	 * @return a time in ticks
	 */
	public long updatedAt() {
		return this.updatedAt;
	}

	@Override
	public String toString() {
		return algorithm() + ", consumed " + this.consumed + ", debt " + debt() + ", earned " + this.earned + "/"
				+ period() + ", previous " + previous() + ", updated at " + this.updatedAt + ", charged " + this.charged
				+ " from " + this.countedFrom + " at " + permits() + " a period"
				+ ((log() != null) ? ", log " + log() : "") + ((holders() != null) ? ", holders " + holders() : "")
				+ ((bans() != null) ? ", " + bans() : "");
	}

}
