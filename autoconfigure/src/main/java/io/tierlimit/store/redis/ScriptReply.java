package io.tierlimit.store.redis;

import java.util.List;

/**
 * What the script answers.
 *
 * @param admitted whether everything that was asked for was taken
 * @param buckets how they were before, in the order of the keys
 */
record ScriptReply(boolean admitted, List<SharedBucket> buckets) {

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
		return new ScriptReply(admitted == 1,
				answer.stream().skip(2).map((value) -> new SharedBucket(value, now)).toList());
	}

}
