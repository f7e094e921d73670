package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.tierlimit.store.BucketKey;
import org.jspecify.annotations.Nullable;

/**
 * The requests of this instance that wait until permits in use are released, in the order
 * of their arrival.
 * <p>
 * A waiter has no permits. When it is its turn, its request is decided again. A waiter
 * has its turn only while it is the first waiter of every bucket that it waits for. The
 * first waiter of one bucket that is not the first of another leaves the line of the
 * first bucket, so that the next waiter of that bucket has its turn. Waiters are ordered
 * by their arrival for all buckets, even if they enter a line again.
 * <p>
 * The first waiter has its turn when a request of this instance releases permits of the
 * bucket, and every 200 ms, because requests of other instances also release permits. For
 * each bucket, waiters have at most ten turns in a second that acquire no permits. Turns
 * that acquire permits are bounded by the permits.
 */
final class ReleaseQueue {

	/** The time between two turns without a release in this instance. */
	static final Duration INTERVAL = Duration.ofMillis(200);

	/**
	 * The maximum number of turns in a second that acquire no permits, for each bucket.
	 */
	static final int MAX_TURNS = 10;

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private static final long NOT_FIRST = Long.MAX_VALUE;

	private final Sleeper sleeper;

	/**
	 * Guarded by the lock of this object. A line without waiters is kept for one to two
	 * seconds.
	 */
	private final Map<BucketKey, Line> lines = new HashMap<>();

	/** The number of waiters; changed within the lock. */
	private final AtomicInteger size = new AtomicInteger();

	private long arrivals;

	/** The time of the last removal of lines without waiters. */
	private long cleaned;

	/**
	 * Creates a queue.
	 * @param sleeper suspends the waiting threads, and measures the time
	 */
	ReleaseQueue(Sleeper sleeper) {
		this.sleeper = sleeper;
		this.cleaned = sleeper.nanoTime();
	}

	/**
	 * The buckets of charges that have a waiter ahead of a request.
	 * @param request the waiter that is decided again; {@code null} for a new request
	 */
	Set<BucketKey> waitedFor(List<RuleCharge> charges, @Nullable Waiter request) {
		if (this.size.get() == 0) {
			return Set.of();
		}
		Set<BucketKey> waitedFor = new HashSet<>();
		synchronized (this) {
			for (RuleCharge charge : charges) {
				Line line = (charge.holdsPermits() && !charge.shadow()) ? this.lines.get(charge.key()) : null;
				if (line != null && line.isAheadOf(request)) {
					waitedFor.add(charge.key());
				}
			}
		}
		return waitedFor;
	}

	/** Adds a waiter after all other waiters. */
	synchronized Waiter enter(Set<BucketKey> keys) {
		Waiter waiter = new Waiter(this.arrivals++, this.sleeper.nanoTime());
		this.size.incrementAndGet();
		waiter.moveTo(keys);
		return waiter;
	}

	/** Called after a request of this instance has released permits of a bucket. */
	void released(BucketKey key) {
		if (this.size.get() == 0) {
			return;
		}
		synchronized (this) {
			Line line = this.lines.get(key);
			if (line != null && !line.waiters.isEmpty()) {
				line.releases++;
				line.wakeFirst();
			}
		}
	}

	private void removeIdleLines() {
		long now = this.sleeper.nanoTime();
		if (now - this.cleaned < SECOND) {
			return;
		}
		this.cleaned = now;
		this.lines.values().removeIf((line) -> line.waiters.isEmpty() && now - line.lastTurn >= SECOND);
	}

	/**
	 * The waiters of one bucket. Guarded by the lock of the queue.
	 */
	private static final class Line {

		private final TreeMap<Long, Waiter> waiters = new TreeMap<>();

		/** The times of the last turns, except turns that acquired permits. */
		private final Deque<Long> turns = new ArrayDeque<>(MAX_TURNS);

		private long lastTurn;

		/** The releases that have not led to a turn. */
		private int releases;

		/** The releases at the begin of the last turn. Later releases need a turn. */
		private int releasesBeforeTurn;

		/** Adds a waiter. The request of the first waiter was decided just before. */
		void add(Waiter waiter, long now) {
			if (this.waiters.isEmpty()) {
				this.lastTurn = now;
				this.releases = 0;
			}
			else if (waiter.arrival < this.waiters.firstKey()) {
				// The younger waiter may have to leave its other lines.
				wakeFirst();
			}
			this.waiters.put(waiter.arrival, waiter);
		}

		void remove(Waiter waiter) {
			this.waiters.remove(waiter.arrival);
			wakeFirst();
		}

		boolean isFirst(Waiter waiter) {
			return this.waiters.firstKey() == waiter.arrival;
		}

		boolean isAheadOf(@Nullable Waiter request) {
			return !this.waiters.isEmpty() && (request == null || this.waiters.firstKey() < request.arrival);
		}

		void wakeFirst() {
			if (!this.waiters.isEmpty()) {
				this.waiters.firstEntry().getValue().signal.release();
			}
		}

		/** Nanoseconds until the next turn. */
		long nextTurn(long now) {
			long next = (this.releases > 0) ? 0 : this.lastTurn + INTERVAL.toNanos() - now;
			long most = (this.turns.size() < MAX_TURNS) ? 0 : this.turns.getFirst() + SECOND - now;
			return Math.max(next, most);
		}

		void recordTurn(long now) {
			if (this.turns.size() == MAX_TURNS) {
				this.turns.removeFirst();
			}
			this.turns.addLast(now);
			this.lastTurn = now;
			this.releasesBeforeTurn = this.releases;
		}

		/** Called after a turn that acquired no permits. */
		void acquiredNothing() {
			this.releases = Math.max(0, this.releases - this.releasesBeforeTurn);
			this.releasesBeforeTurn = 0;
		}

		/**
		 * Called after a turn that acquired permits. There may be further permits, unless
		 * all releases have led to a turn.
		 */
		void acquired(long turn) {
			this.turns.removeLastOccurrence(turn);
			this.releases = (this.releasesBeforeTurn > 0) ? Math.max(0, this.releases - 1) : Math.max(1, this.releases);
		}

	}

	/**
	 * A request that waits. Used by one thread.
	 */
	final class Waiter {

		private final long arrival;

		private final long since;

		private final Semaphore signal = new Semaphore(0);

		/** The buckets in whose lines the request waits. */
		private Set<BucketKey> keys = Set.of();

		/** The time of the last turn. */
		private long turn;

		private Waiter(long arrival, long since) {
			this.arrival = arrival;
			this.since = since;
		}

		/** The time since the arrival. */
		Duration waited() {
			return Duration.ofNanos(ReleaseQueue.this.sleeper.nanoTime() - this.since);
		}

		/**
		 * Waits for the next turn.
		 * @param most the maximum time since the arrival
		 * @return false if there is no turn before that time
		 * @throws InterruptedException if the thread is interrupted
		 */
		boolean awaitTurn(Duration most) throws InterruptedException {
			while (true) {
				this.signal.drainPermits();
				long now = ReleaseQueue.this.sleeper.nanoTime();
				long left = this.since + most.toNanos() - now;
				if (left <= 0) {
					return false;
				}
				long wait = beginTurn(now);
				if (wait <= 0) {
					return true;
				}
				ReleaseQueue.this.sleeper.sleep(Duration.ofNanos(Math.min(wait, left)), this.signal);
			}
		}

		/** Begins a turn, or returns the nanoseconds until it can begin. */
		private long beginTurn(long now) {
			synchronized (ReleaseQueue.this) {
				Set<BucketKey> behind = this.keys.stream()
					.filter((key) -> !line(key).isFirst(this))
					.collect(Collectors.toSet());
				if (!behind.isEmpty()) {
					moveTo(behind);
					return NOT_FIRST;
				}
				long wait = 0;
				for (Line line : lines()) {
					wait = Math.max(wait, line.nextTurn(now));
				}
				if (wait <= 0) {
					lines().forEach((line) -> line.recordTurn(now));
					this.turn = now;
				}
				return wait;
			}
		}

		private Line line(BucketKey key) {
			return ReleaseQueue.this.lines.computeIfAbsent(key, (absent) -> new Line());
		}

		private List<Line> lines() {
			return this.keys.stream().map(this::line).toList();
		}

		/** Continues to wait after a turn, perhaps for other buckets. */
		void continueFor(Set<BucketKey> missing) {
			synchronized (ReleaseQueue.this) {
				lines().forEach(Line::acquiredNothing);
				moveTo(missing);
			}
		}

		/** Waits in the lines of other buckets, and keeps its place in the others. */
		private void moveTo(Set<BucketKey> missing) {
			Set<BucketKey> before = this.keys;
			this.keys = Set.copyOf(missing);
			for (BucketKey key : before) {
				if (!this.keys.contains(key)) {
					line(key).remove(this);
				}
			}
			for (BucketKey key : this.keys) {
				if (!before.contains(key)) {
					line(key).add(this, ReleaseQueue.this.sleeper.nanoTime());
				}
			}
		}

		/**
		 * Ends the wait.
		 * @param acquired whether the request has acquired permits in its turn
		 */
		void leave(boolean acquired) {
			synchronized (ReleaseQueue.this) {
				if (acquired) {
					lines().forEach((line) -> line.acquired(this.turn));
				}
				moveTo(Set.of());
				ReleaseQueue.this.size.decrementAndGet();
				removeIdleLines();
			}
		}

	}

}
