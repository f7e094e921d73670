package io.tierlimit.store.redis;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.tierlimit.limit.BucketState;

import org.jspecify.annotations.Nullable;

/**
 * What the script answers.
 *
 * @param admitted whether everything that was asked for was taken
 * @param now the moment at which it was decided, by the clock of Redis in ticks
 * @param values what was stored of each bucket before, in the order of the keys
 */
record ScriptReply(boolean admitted, long now, List<@Nullable Object> values) {

	private static final byte TOKEN_BUCKET = 1;

	/**
	 * Reads an answer.
	 * @param answer what a client made of it: integers as {@code Long}, texts as bytes
	 * @param buckets how many were asked for
	 * @throws IllegalArgumentException if the script can't have answered so
	 */
	static ScriptReply of(List<?> answer, int buckets) {
		if (answer.size() != buckets + 2 || !(answer.get(0) instanceof Long admitted)
				|| !(answer.get(1) instanceof Long now)) {
			throw new IllegalArgumentException("The script answered with " + answer);
		}
		return new ScriptReply(admitted == 1, now, new ArrayList<>(answer.subList(2, answer.size())));
	}

	SharedBucket bucket(int place) {
		Object value = this.values.get(place);
		if (value instanceof byte[] packed) {
			return new SharedBucket(unpack(packed), this.now, false);
		}
		// None that the script knows is full.
		return new SharedBucket(new BucketState(Long.MIN_VALUE), this.now, value != null);
	}

	List<SharedBucket> buckets() {
		return IntStream.range(0, this.values.size()).mapToObj(this::bucket).toList();
	}

	private static BucketState unpack(byte[] packed) {
		ByteBuffer numbers = ByteBuffer.wrap(packed);
		if (numbers.get() != TOKEN_BUCKET) {
			throw new IllegalArgumentException("The script answered with the state of another algorithm");
		}
		return new BucketState(numbers.getLong(), numbers.getLong(), numbers.getLong(), numbers.getLong());
	}

}
