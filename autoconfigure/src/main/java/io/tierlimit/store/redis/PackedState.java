package io.tierlimit.store.redis;

import java.nio.ByteBuffer;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.BucketState;

import org.jspecify.annotations.Nullable;

/**
 * A bucket as Redis keeps it: a mark that says which algorithm's state it is, what is
 * spent, what is earned, the denominator of that, and the moment, 8 bytes each, the
 * highest first.
 */
final class PackedState {

	private static final int SIZE = 33;

	private PackedState() {
	}

	static byte[] pack(BucketState state) {
		return ByteBuffer.allocate(SIZE)
			.put(mark(state.algorithm()))
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
		Algorithm algorithm = (packed.length == SIZE) ? algorithm(numbers.get()) : null;
		if (algorithm == null) {
			throw new IllegalArgumentException("No bucket has " + packed.length + " bytes and mark " + packed[0]);
		}
		return new BucketState(algorithm, numbers.getLong(), numbers.getLong(), numbers.getLong(), numbers.getLong(),
				0);
	}

	/** The mark of an algorithm, which the script knows too. */
	static byte mark(Algorithm algorithm) {
		return switch (algorithm) {
			case TOKEN_BUCKET -> 1;
			case FIXED_WINDOW -> 2;
		};
	}

	private static @Nullable Algorithm algorithm(byte mark) {
		for (Algorithm algorithm : Algorithm.values()) {
			if (mark(algorithm) == mark) {
				return algorithm;
			}
		}
		return null;
	}

}
