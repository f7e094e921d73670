package io.tierlimit.limit;

import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;

/**
 * The packed form of a bucket's state, which Redis stores. It starts with the algorithm's
 * mark. Nine numbers of 8 bytes follow, the highest byte first: consumed, debt, earned,
 * previous, period, the time of the last update, the time from which charges are counted,
 * their count, and the permits of a period. If the highest bit of the mark is set, the
 * rejections and bans follow: the number of rejections, the beginning of their window,
 * the number of bans in a row, the end of the last ban, and the time from which this
 * history can be removed. The entries of a log, or the holders of permits, are at the
 * end.
 */
public final class PackedState {

	private static final int SIZE = 73;

	/** Added to the mark of the algorithm if the state has rejections or bans. */
	private static final int WITH_BANS = 0x80;

	private PackedState() {
	}

	/**
	 * Packs a state.
	 * @param state the state; not changed
	 * @return its bytes
	 */
	public static byte[] pack(BucketState state) {
		ConsumptionLog log = state.log();
		Holders holders = state.holders();
		BanHistory bans = state.bans();
		int mark = state.algorithm().mark() + ((bans != null) ? WITH_BANS : 0);
		ByteBuffer bytes = ByteBuffer
			.allocate(SIZE + ((bans != null) ? BanHistory.SIZE : 0) + ((log != null) ? log.packedSize() : 0)
					+ ((holders != null) ? holders.packedSize() : 0))
			.put((byte) mark)
			.putLong(state.consumed)
			.putLong(state.debt())
			.putLong(state.earned)
			.putLong(state.previous())
			.putLong(state.period())
			.putLong(state.updatedAt)
			.putLong(state.countedFrom)
			.putLong(state.charged)
			.putLong(state.permits());
		if (bans != null) {
			bans.pack(bytes);
		}
		if (log != null) {
			log.pack(bytes);
		}
		if (holders != null) {
			holders.pack(bytes);
		}
		return bytes.array();
	}

	/**
	 * Reads a state.
	 * @param packed the result of {@link #pack}
	 * @return the state
	 * @throws IllegalArgumentException if the bytes are not a packed state
	 */
	public static BucketState unpack(byte[] packed) {
		ByteBuffer bytes = ByteBuffer.wrap(packed);
		int mark = (packed.length > 0) ? Byte.toUnsignedInt(bytes.get()) : 0;
		int size = SIZE + ((mark >= WITH_BANS) ? BanHistory.SIZE : 0);
		Algorithm algorithm = (packed.length >= size) ? algorithm((byte) (mark % WITH_BANS)) : null;
		if (algorithm == null || (!hasEntries(algorithm) && packed.length != size)) {
			throw new IllegalArgumentException(packed.length + " bytes are not a packed bucket"
					+ ((packed.length > 0) ? " with mark " + mark : ""));
		}
		BucketState state = new BucketState(0);
		state.consumed = bytes.getLong();
		long debt = bytes.getLong();
		state.earned = bytes.getLong();
		long previous = bytes.getLong();
		long period = bytes.getLong();
		state.updatedAt = bytes.getLong();
		state.countedFrom = bytes.getLong();
		state.charged = bytes.getLong();
		state.read(new RateOrigin(algorithm, period, bytes.getLong()), debt, previous);
		if (mark >= WITH_BANS) {
			state.setBans(BanHistory.unpack(bytes));
		}
		if (algorithm == Algorithm.SLIDING_LOG) {
			state.setLog(ConsumptionLog.unpack(bytes));
		}
		if (algorithm == Algorithm.CONCURRENCY && (bytes.hasRemaining() || state.consumed == 0)) {
			state.setHolders(Holders.unpack(bytes));
		}
		return state;
	}

	private static boolean hasEntries(Algorithm algorithm) {
		return algorithm == Algorithm.SLIDING_LOG || algorithm == Algorithm.CONCURRENCY;
	}

	private static @Nullable Algorithm algorithm(byte mark) {
		for (Algorithm algorithm : Algorithm.values()) {
			if (algorithm.mark() == mark) {
				return algorithm;
			}
		}
		return null;
	}

}
