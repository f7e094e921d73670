package io.tierlimit.store.redis;

import java.nio.ByteBuffer;

import io.tierlimit.limit.BucketState;

/**
 * A bucket as Redis keeps it: a mark that says which algorithm's state it is, what is
 * spent, what is earned, the denominator of that, and the moment, 8 bytes each, the
 * highest first.
 */
final class PackedState {

	private static final byte TOKEN_BUCKET = 1;

	private static final int SIZE = 33;

	private PackedState() {
	}

	static byte[] pack(BucketState state) {
		return ByteBuffer.allocate(SIZE)
			.put(TOKEN_BUCKET)
			.putLong(state.spent())
			.putLong(state.earned())
			.putLong(state.period())
			.putLong(state.asOf())
			.array();
	}

	/**
	 * Reads what the script has found to be a bucket.
	 * @throws IllegalArgumentException if it is none
	 */
	static BucketState unpack(byte[] packed) {
		ByteBuffer numbers = ByteBuffer.wrap(packed);
		if (packed.length != SIZE || numbers.get() != TOKEN_BUCKET) {
			throw new IllegalArgumentException("No bucket has " + packed.length + " bytes and mark " + packed[0]);
		}
		return new BucketState(numbers.getLong(), numbers.getLong(), numbers.getLong(), numbers.getLong());
	}

}
