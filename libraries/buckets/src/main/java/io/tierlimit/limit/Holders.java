package io.tierlimit.limit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The holders of one bucket's permits, in the order in which they have acquired them.
 */
record Holders(List<Holder> all) {

	private static final int PACKED_HOLDER = 3 * Long.BYTES + Short.BYTES;

	Holders() {
		this(new ArrayList<>());
	}

	/** Reads holders up to the end of the bytes. */
	static Holders unpack(ByteBuffer bytes) {
		if (bytes.remaining() % PACKED_HOLDER != 0) {
			throw new IllegalArgumentException(bytes.remaining() + " bytes are not packed holders");
		}
		Holders holders = new Holders();
		while (bytes.hasRemaining()) {
			holders.all.add(new Holder(bytes.getLong(), bytes.getLong(), bytes.getLong(),
					Short.toUnsignedLong(bytes.getShort())));
		}
		return holders;
	}

	int packedSize() {
		return this.all.size() * PACKED_HOLDER;
	}

	void pack(ByteBuffer bytes) {
		for (Holder holder : this.all) {
			bytes.putLong(holder.id())
				.putLong(holder.since())
				.putLong(holder.ends())
				.putShort((short) holder.permits());
		}
	}

	Holders copy() {
		return new Holders(new ArrayList<>(this.all));
	}

	/** The holders that have not ended. */
	List<Holder> at(long now) {
		return this.all.stream().filter((holder) -> holder.ends() > now).toList();
	}

	/** The permits in use. */
	long inUse(long now) {
		long permits = 0;
		for (int i = 0; i < this.all.size(); i++) {
			Holder holder = this.all.get(i);
			permits += (holder.ends() > now) ? holder.permits() : 0;
		}
		return permits;
	}

	void removeEnded(long now) {
		this.all.removeIf((holder) -> holder.ends() <= now);
	}

	void add(Holder holder) {
		this.all.add(holder);
	}

	/**
	 * Releases permits of a holder.
	 * @return whether the holder is there, and has not ended
	 */
	boolean release(long id, long permits, long now) {
		for (int i = 0; i < this.all.size(); i++) {
			Holder holder = this.all.get(i);
			if (holder.id() == id && holder.ends() > now) {
				release(i, holder, permits);
				return true;
			}
		}
		return false;
	}

	private void release(int index, Holder holder, long permits) {
		if (permits < holder.permits()) {
			this.all.set(index, new Holder(holder.id(), holder.since(), holder.ends(), holder.permits() - permits));
		}
		else {
			this.all.remove(index);
		}
	}

	/** Moves later ends to a given end. */
	void endBy(long end) {
		this.all.replaceAll((holder) -> (holder.ends() <= end) ? holder
				: new Holder(holder.id(), holder.since(), end, holder.permits()));
	}

	@Override
	public String toString() {
		return this.all.toString();
	}

}
