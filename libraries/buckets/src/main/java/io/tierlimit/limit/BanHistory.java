package io.tierlimit.limit;

import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;

/**
 * The rejections and bans of a bucket that affect the next ban.
 */
final class BanHistory {

	/** The size of the packed form: 8 bytes for each number, the highest first. */
	static final int SIZE = 40;

	/** Rejections in the latest window; 0 after a ban has started. */
	private long rejections;

	/** The beginning of the latest window. */
	private long since;

	/** The number of bans in a row; 0 if there was none. */
	private long number;

	/** The end of the last ban. */
	private long until;

	/** The time from which this history is equivalent to no history. */
	private long expires;

	boolean isBanned(long now) {
		return now < this.until;
	}

	@Nullable Ban ban(long now) {
		return isBanned(now) ? new Ban(this.until - now, this.number, false) : null;
	}

	long expires() {
		return this.expires;
	}

	/**
	 * Counts a rejection by a bucket that is not banned.
	 * @return the ban that starts; {@code null} for none
	 */
	@Nullable Ban count(BanPolicy policy, long now) {
		if (this.rejections == 0 || now - this.since >= policy.within()) {
			this.since = now;
			this.rejections = 0;
		}
		this.rejections++;
		if (this.rejections < policy.after()) {
			this.expires = Math.max(this.expires, this.since + policy.within());
			return null;
		}
		boolean inRow = this.number > 0 && now - this.until < policy.max();
		this.number = inRow ? this.number + 1 : 1;
		this.until = now + policy.duration(this.number);
		this.rejections = 0;
		this.expires = this.until + policy.max();
		return new Ban(this.until - now, this.number, true);
	}

	BanHistory copy() {
		BanHistory copy = new BanHistory();
		copy.rejections = this.rejections;
		copy.since = this.since;
		copy.number = this.number;
		copy.until = this.until;
		copy.expires = this.expires;
		return copy;
	}

	void pack(ByteBuffer bytes) {
		bytes.putLong(this.rejections)
			.putLong(this.since)
			.putLong(this.number)
			.putLong(this.until)
			.putLong(this.expires);
	}

	static BanHistory unpack(ByteBuffer bytes) {
		BanHistory history = new BanHistory();
		history.rejections = bytes.getLong();
		history.since = bytes.getLong();
		history.number = bytes.getLong();
		history.until = bytes.getLong();
		history.expires = bytes.getLong();
		if (history.rejections < 0 || history.number < 0 || history.expires < history.until) {
			throw new IllegalArgumentException("Invalid bans of a bucket: " + history);
		}
		return history;
	}

	@Override
	public String toString() {
		return this.rejections + " rejections since " + this.since + ", ban " + this.number + " until " + this.until
				+ ", expires " + this.expires;
	}

}
