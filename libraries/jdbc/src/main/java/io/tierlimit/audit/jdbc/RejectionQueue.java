package io.tierlimit.audit.jdbc;

import java.time.InstantSource;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.VerdictListener;

/**
 * The rejections that wait for the database. Threads of requests add them without a lock
 * and never wait: if the queue is full, a rejection is dropped and counted. One thread
 * removes them.
 */
public final class RejectionQueue implements VerdictListener {

	private final AuditOptions options;

	private final InstantSource clock;

	private final Queue<Rejection> queue = new ConcurrentLinkedQueue<>();

	/** The number of elements. The queue's own {@code size()} takes linear time. */
	private final AtomicInteger size = new AtomicInteger();

	private final LongAdder dropped = new LongAdder();

	/**
	 * Creates an empty queue.
	 * @param options the capacity, and what is stored
	 * @param clock the time of rejections
	 */
	public RejectionQueue(AuditOptions options, InstantSource clock) {
		this.options = options;
		this.clock = clock;
	}

	@Override
	public void onVerdict(Verdict verdict, Caller caller) {
		for (RuleDecision decision : verdict.decisions()) {
			if (!decision.decision().allowed() && (this.options.shadow() || !decision.shadow())) {
				add(decision, caller);
			}
		}
	}

	private void add(RuleDecision decision, Caller caller) {
		if (this.size.incrementAndGet() > this.options.queueCapacity()) {
			this.size.decrementAndGet();
			this.dropped.increment();
		}
		else {
			this.queue.add(Rejection.of(this.clock.instant(), decision, caller, this.options));
		}
	}

	/** The oldest rejections, which remain in the queue. */
	List<Rejection> oldest(int max) {
		return this.queue.stream().limit(max).toList();
	}

	/** Removes the oldest rejections. */
	void remove(int count) {
		for (int i = 0; i < count; i++) {
			this.queue.remove();
		}
		this.size.addAndGet(-count);
	}

	/** Counts rejections that the table does not accept. */
	void drop(int count) {
		this.dropped.add(count);
	}

	int size() {
		return this.size.get();
	}

	/**
	 * The number of rejections that are not stored.
	 * @return the count since startup
	 */
	public long dropped() {
		return this.dropped.sum();
	}

}
