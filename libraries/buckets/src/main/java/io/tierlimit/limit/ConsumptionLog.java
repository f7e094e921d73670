package io.tierlimit.limit;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The permits that were consumed at each time: distinct times in ascending order.
 */
final class ConsumptionLog {

	private static final int BLOCK = BucketState.ENTRY_BLOCK;

	private static final int PACKED_ENTRY = Long.BYTES + Short.BYTES;

	private long[] moments;

	private int[] costs;

	private int size;

	ConsumptionLog() {
		this(new long[2], new int[2], 0);
	}

	private ConsumptionLog(long[] moments, int[] costs, int size) {
		this.moments = moments;
		this.costs = costs;
		this.size = size;
	}

	/** Reads entries up to the end of the bytes. */
	static ConsumptionLog unpack(ByteBuffer bytes) {
		int size = bytes.remaining() / PACKED_ENTRY;
		if (size * PACKED_ENTRY != bytes.remaining()) {
			throw new IllegalArgumentException(bytes.remaining() + " bytes are not a packed log");
		}
		ConsumptionLog log = new ConsumptionLog(new long[size], new int[size], size);
		for (int i = 0; i < size; i++) {
			log.moments[i] = bytes.getLong();
			log.costs[i] = Short.toUnsignedInt(bytes.getShort());
		}
		return log;
	}

	int packedSize() {
		return this.size * PACKED_ENTRY;
	}

	void pack(ByteBuffer bytes) {
		for (int i = 0; i < this.size; i++) {
			bytes.putLong(this.moments[i]).putShort((short) this.costs[i]);
		}
	}

	ConsumptionLog copy() {
		return new ConsumptionLog(Arrays.copyOf(this.moments, this.size), Arrays.copyOf(this.costs, this.size),
				this.size);
	}

	/** Permits consumed up to and including a time. */
	long consumedUpTo(long moment) {
		long consumed = 0;
		for (int i = 0; i < this.size && this.moments[i] <= moment; i++) {
			consumed += this.costs[i];
		}
		return consumed;
	}

	/**
	 * The time by which {@code permits} had been consumed, counted from {@code after}.
	 * The last time of the log if it has fewer permits, which only other clients of a
	 * store can cause.
	 */
	long momentOf(long permits, long after) {
		long consumed = 0;
		long moment = after;
		for (int i = 0; i < this.size && consumed < permits; i++) {
			if (this.moments[i] > after) {
				consumed += this.costs[i];
				moment = this.moments[i];
			}
		}
		return moment;
	}

	/** Removes the entries up to and including a time. */
	void removeUpTo(long moment) {
		int expired = 0;
		while (expired < this.size && this.moments[expired] <= moment) {
			expired++;
		}
		if (expired > 0) {
			this.size -= expired;
			System.arraycopy(this.moments, expired, this.moments, 0, this.size);
			System.arraycopy(this.costs, expired, this.costs, 0, this.size);
			if (this.moments.length - this.size > 2 * BLOCK) {
				resize((this.size / BLOCK + 1) * BLOCK);
			}
		}
	}

	private void resize(int length) {
		this.moments = Arrays.copyOf(this.moments, length);
		this.costs = Arrays.copyOf(this.costs, length);
	}

	int size() {
		return this.size;
	}

	/** The number of entries that memory is allocated for. */
	int memory() {
		return this.moments.length;
	}

	/**
	 * Records permits consumed at a time that is not before the last entry. If the log
	 * has the maximum number of entries, the last entry moves to that time.
	 */
	void add(long moment, long permits, int most) {
		if (this.size > 0 && (this.moments[this.size - 1] == moment || this.size >= most)) {
			this.moments[this.size - 1] = moment;
			this.costs[this.size - 1] += (int) permits;
			return;
		}
		if (this.size == this.moments.length) {
			int length = (this.size < 2) ? 2 : (this.size / BLOCK + 1) * BLOCK;
			resize(Math.min(length, most));
		}
		this.moments[this.size] = moment;
		this.costs[this.size] = (int) permits;
		this.size++;
	}

	/**
	 * Removes permits that were consumed at a given time.
	 * @return the number of permits that were removed
	 */
	long remove(long moment, long permits) {
		int i = Arrays.binarySearch(this.moments, 0, this.size, moment);
		return (i < 0) ? 0 : removeAt(i, permits);
	}

	/**
	 * Removes the permits that were consumed last.
	 * @return the number of permits that were removed
	 */
	long removeLast(long permits) {
		long removed = 0;
		while (this.size > 0 && removed < permits) {
			removed += removeAt(this.size - 1, permits - removed);
		}
		return removed;
	}

	private long removeAt(int i, long permits) {
		int removed = (int) Math.min(permits, this.costs[i]);
		this.costs[i] -= removed;
		if (this.costs[i] == 0) {
			this.size--;
			System.arraycopy(this.moments, i + 1, this.moments, i, this.size - i);
			System.arraycopy(this.costs, i + 1, this.costs, i, this.size - i);
		}
		return removed;
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder("[");
		for (int i = 0; i < this.size; i++) {
			text.append((i > 0) ? ", " : "").append(this.costs[i]).append(" at ").append(this.moments[i]);
		}
		return text.append("]").toString();
	}

}
