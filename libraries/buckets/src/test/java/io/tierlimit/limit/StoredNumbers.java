package io.tierlimit.limit;

import java.nio.ByteBuffer;

/**
 * Values as Redis stores them, with any numbers.
 */
public final class StoredNumbers {

	private StoredNumbers() {
	}

	/**
	 * Packs numbers: consumed, debt, earned, previous, the period, the timestamp, the
	 * time from which charges are counted, their count, and the permits of a period. Each
	 * number is 0 if it is left out.
	 */
	public static byte[] packed(int mark, long... numbers) {
		ByteBuffer packed = ByteBuffer.allocate(1 + Long.BYTES * 9).put((byte) mark);
		for (long number : numbers) {
			packed.putLong(number);
		}
		return packed.array();
	}

	/** The state of a token bucket. */
	public static BucketState tokenBucket(long consumed, long earned, long period, long now) {
		return PackedState.unpack(packed(1, consumed, 0, earned, 0, period, now, now));
	}

}
