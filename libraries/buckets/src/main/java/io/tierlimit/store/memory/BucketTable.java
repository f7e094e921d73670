package io.tierlimit.store.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.tierlimit.store.BucketKey;
import org.jspecify.annotations.Nullable;

/**
 * A hash table of buckets, and a hand that goes round them.
 * <p>
 * Buckets with the same slot form a chain: each bucket is its own entry, so the table
 * takes no memory except for its slots. It consists of segments, each with its own lock,
 * slots and size, so that threads with new keys seldom meet, and a growing segment delays
 * no other. The lock of a segment is acquired last and guards some links only: its owner
 * never waits.
 * <p>
 * A look-up needs no lock. A bucket is published by an ordered write, and matched by its
 * key. A removed bucket keeps its link, so that a thread that has reached it finds the
 * rest of the chain. Only growing and shrinking change the links between other buckets,
 * and a thread that is in a chain at that time may miss its bucket. A bucket that was not
 * found without the lock may therefore exist: {@link #get} looks it up again with the
 * lock.
 * <p>
 * Clients may choose keys with equal hash codes. If a chain is longer than random keys
 * explain, further keys are placed by a hash of their characters that clients cannot
 * predict.
 * <p>
 * The hand goes through one segment after the other. Each segment has a hand that goes
 * round its buckets. It stays at its bucket if other buckets are added and removed. If
 * the segment grows or shrinks, it may pass a bucket again or late.
 */
final class BucketTable {

	/** The maximum length of a chain before its keys are placed by another hash. */
	static final int LONG_CHAIN = 16;

	/** The maximum number of buckets per slot. The minimum is far below. */
	private static final double MAX_LOAD = 0.75;

	private static final double MIN_LOAD = MAX_LOAD / 4;

	private static final int MAX_SEGMENTS = 64;

	private static final int BUCKETS_PER_SEGMENT = 1024;

	private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(Bucket[].class);

	/** Clients do not know it, so they cannot choose keys of one chain. */
	private static final long SECRET = new SecureRandom().nextLong() | 1;

	final Segment[] segments;

	/** Selects the segment that the hand visits next. */
	private final AtomicInteger turn = new AtomicInteger();

	BucketTable(int maxBuckets) {
		int segments = Math.min(MAX_SEGMENTS, Math.max(1, Integer.highestOneBit(maxBuckets / BUCKETS_PER_SEGMENT)));
		this.segments = new Segment[segments];
		for (int i = 0; i < segments; i++) {
			this.segments[i] = new Segment(Integer.numberOfTrailingZeros(segments));
		}
	}

	/**
	 * Finds a bucket without a lock. The bucket may exist even if the result is
	 * {@code null}.
	 */
	@Nullable Bucket find(BucketKey key) {
		int position = position(key);
		return segment(position).find(key, position);
	}

	@Nullable Bucket get(BucketKey key) {
		int position = position(key);
		Segment segment = segment(position);
		Bucket bucket = segment.find(key, position);
		return (bucket != null) ? bucket : segment.get(key, position);
	}

	/** Adds a new bucket, unless its key has a bucket. */
	Bucket putIfAbsent(BucketKey key, Bucket created) {
		int position = position(key);
		return segment(position).putIfAbsent(key, position, created);
	}

	/**
	 * Visits the next two buckets of the key's segment, and adds a new bucket, unless its
	 * key has a bucket. The visitor is called with the lock of the segment: it may remove
	 * buckets, and must not wait.
	 */
	Bucket visitAndPutIfAbsent(BucketKey key, Bucket created, Consumer<Bucket> visitor) {
		int position = position(key);
		Segment segment = segment(position);
		synchronized (segment) {
			segment.visit(visitor);
			return segment.putIfAbsent(key, position, created);
		}
	}

	/**
	 * Removes a bucket that is present.
	 * @param moment the current time in ticks; a new bucket of the same key earns no
	 * permits of earlier time
	 */
	void remove(Bucket bucket, long moment) {
		segment(bucket.position).remove(bucket, moment);
	}

	/**
	 * The next buckets of the hand, found in one step, so that the processor loads them
	 * at the same time.
	 * @return an array of {@code count} buckets, some of them twice in a small table;
	 * {@code null} at the end if there are fewer
	 */
	@Nullable Bucket[] next(int count) {
		@Nullable Bucket[] buckets = new Bucket[count];
		int found = 0;
		for (int i = 0; found < count && i <= this.segments.length; i++) {
			int present = this.turn.get();
			found = segment(present).next(buckets, found);
			if (found < count) {
				this.turn.compareAndSet(present, present + 1);
			}
		}
		return buckets;
	}

	void addKeysOf(String rule, List<BucketKey> to) {
		for (Segment segment : this.segments) {
			segment.addKeysOf(rule, to);
		}
	}

	int size() {
		int size = 0;
		for (Segment segment : this.segments) {
			size += segment.size();
		}
		return size;
	}

	/** The lowest bits select the segment, and the bits above select the slot. */
	private Segment segment(int position) {
		return this.segments[position & (this.segments.length - 1)];
	}

	/**
	 * The position of a key by its hash code. Similar keys have different slots near each
	 * other.
	 */
	private static int position(BucketKey key) {
		int hash = key.hashCode();
		return hash ^ (hash >>> Short.SIZE);
	}

	/** A position in the same segment that depends on every character. */
	private static int secretPosition(BucketKey key, int position) {
		long hash = SECRET;
		for (String text : List.of(key.rule(), key.key())) {
			for (int i = 0; i < text.length(); i++) {
				hash = (hash ^ text.charAt(i)) * SECRET;
				hash ^= hash >>> Integer.SIZE;
			}
		}
		return ((int) hash & -MAX_SEGMENTS) | (position & (MAX_SEGMENTS - 1));
	}

	/**
	 * The buckets whose hash codes select this part of the table.
	 */
	static final class Segment {

		private final int shift;

		volatile @Nullable Bucket[] slots = new Bucket[1];

		private int size;

		/** The latest time at which a bucket was removed. */
		private long removedAt = Long.MIN_VALUE;

		/** Whether a bucket was ever placed by the hash of its characters. */
		private volatile boolean crowded;

		/** The slot after the slot of the hand. */
		private int nextSlot;

		/** The next bucket of the hand; {@code null} if it is in the next slot. */
		private @Nullable Bucket hand;

		Segment(int shift) {
			this.shift = shift;
		}

		/**
		 * Finds a bucket, with or without the lock. Without the lock, it may miss the
		 * bucket.
		 */
		@Nullable Bucket find(BucketKey key, int position) {
			Bucket bucket = findInChain(key, position);
			return (bucket == null && this.crowded) ? findInChain(key, secretPosition(key, position)) : bucket;
		}

		private @Nullable Bucket findInChain(BucketKey key, int position) {
			Bucket bucket = first(position);
			while (bucket != null && (bucket.position != position || !bucket.isOf(key))) {
				bucket = bucket.next;
			}
			return bucket;
		}

		private @Nullable Bucket first(int position) {
			@Nullable Bucket[] slots = this.slots;
			return (Bucket) SLOTS.getAcquire(slots, slot(position, slots));
		}

		private int slot(int position, @Nullable Bucket[] slots) {
			return (position >>> this.shift) & (slots.length - 1);
		}

		synchronized @Nullable Bucket get(BucketKey key, int position) {
			return find(key, position);
		}

		synchronized Bucket putIfAbsent(BucketKey key, int position, Bucket created) {
			Bucket present = find(key, position);
			if (present != null) {
				return present;
			}
			if (this.size >= this.slots.length * MAX_LOAD) {
				resize(2 * this.slots.length);
			}
			created.position = position;
			// A request that read the clock before the removal must not earn the permits
			// of the time before the removal again.
			created.startAt(this.removedAt);
			link(created, this.slots);
			this.size++;
			return created;
		}

		private boolean isLongChain(@Nullable Bucket first) {
			int length = 0;
			for (Bucket bucket = first; bucket != null && length < LONG_CHAIN; bucket = bucket.next) {
				length++;
			}
			return length == LONG_CHAIN;
		}

		/**
		 * Adds a bucket to a chain, or to another chain if the first is long. The bucket
		 * is new, or from one of two chains that a shrinking table joins.
		 */
		private void link(Bucket bucket, @Nullable Bucket[] slots) {
			if (isLongChain(slots[slot(bucket.position, slots)])) {
				this.crowded = true;
				bucket.position = secretPosition(bucket.key(), bucket.position);
			}
			int slot = slot(bucket.position, slots);
			bucket.next = slots[slot];
			SLOTS.setRelease(slots, slot, bucket);
		}

		private void resize(int length) {
			@Nullable Bucket[] to = new Bucket[length];
			for (Bucket bucket : this.slots) {
				while (bucket != null) {
					Bucket next = bucket.next;
					link(bucket, to);
					bucket = next;
				}
			}
			this.slots = to;
			this.hand = null;
			this.nextSlot = Math.max(0, this.nextSlot - 1) & (length - 1);
		}

		synchronized void remove(Bucket bucket, long moment) {
			this.removedAt = Math.max(this.removedAt, moment);
			if (this.hand == bucket) {
				this.hand = bucket.next;
			}
			unlink(bucket);
			this.size--;
			if (this.size < this.slots.length * MIN_LOAD && this.slots.length > 1) {
				resize(this.slots.length / 2);
			}
		}

		private void unlink(Bucket bucket) {
			Bucket before = first(bucket.position);
			if (before == bucket) {
				SLOTS.setRelease(this.slots, slot(bucket.position, this.slots), bucket.next);
				return;
			}
			while (before != null && before.next != bucket) {
				before = before.next;
			}
			Objects.requireNonNull(before).next = bucket.next;
		}

		/**
		 * Adds the next buckets of the hand to an array, up to the last bucket of this
		 * segment.
		 * @return the number of buckets
		 */
		synchronized int next(@Nullable Bucket[] buckets, int present) {
			for (int found = present; found < buckets.length; found++) {
				buckets[found] = next();
				if (buckets[found] == null) {
					return found;
				}
			}
			return buckets.length;
		}

		/** The next bucket of the hand; {@code null} after the last one. */
		private @Nullable Bucket next() {
			@Nullable Bucket[] slots = this.slots;
			while (this.hand == null) {
				if (this.nextSlot == slots.length) {
					this.nextSlot = 0;
					return null;
				}
				this.hand = slots[this.nextSlot];
				this.nextSlot++;
			}
			Bucket bucket = this.hand;
			this.hand = bucket.next;
			return bucket;
		}

		/** Both buckets are found first, so that the processor loads them together. */
		private void visit(Consumer<Bucket> visitor) {
			Bucket first = next();
			Bucket second = next();
			if (first != null) {
				visitor.accept(first);
			}
			if (second != null) {
				visitor.accept(second);
			}
		}

		synchronized void addKeysOf(String rule, List<BucketKey> to) {
			for (Bucket bucket : this.slots) {
				for (; bucket != null; bucket = bucket.next) {
					if (bucket.isOfRule(rule)) {
						to.add(bucket.key());
					}
				}
			}
		}

		synchronized int size() {
			return this.size;
		}

	}

}
