package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

import io.tierlimit.limit.Overrun;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;

/**
 * Consumes the permits that code has metered above the estimates, in the background: at
 * most once a second, and for all requests of this instance together.
 */
final class Metering {

	private static final long INTERVAL = Duration.ofSeconds(1).toNanos();

	/** After this time, a thread that was not started is started again. */
	private static final long LATE = Duration.ofSeconds(30).toNanos();

	private static final long NONE = Long.MIN_VALUE;

	/** The most buckets in one call to the store. */
	private static final int BATCH = 100;

	private final BucketStore store;

	private final LongSupplier nanoTime;

	/** Runs a task later, on another thread. */
	private final BiConsumer<Duration, Runnable> scheduler;

	private final Set<ReportedCost> changed = ConcurrentHashMap.newKeySet();

	/** The time of the next calls; {@link #NONE} if nothing is to be consumed. */
	private final AtomicLong scheduled = new AtomicLong(NONE);

	/** The earliest time of the next calls. */
	private volatile long next;

	Metering(BucketStore store) {
		this(store, System::nanoTime, Metering::runLater);
	}

	Metering(BucketStore store, LongSupplier nanoTime, BiConsumer<Duration, Runnable> scheduler) {
		this.store = store;
		this.nanoTime = nanoTime;
		this.scheduler = scheduler;
		this.next = nanoTime.getAsLong();
	}

	/** A thread exists only while there is something to consume. */
	private static void runLater(Duration delay, Runnable task) {
		Executor thread = (command) -> {
			Thread created = new Thread(command, "tierlimit-metering");
			created.setDaemon(true);
			created.start();
		};
		CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, thread).execute(task);
	}

	/** Records that a higher total was reported. */
	void changed(ReportedCost cost) {
		this.changed.add(cost);
		schedule();
	}

	private void schedule() {
		long now = this.nanoTime.getAsLong();
		long before = this.scheduled.get();
		long time = Math.max(now, this.next);
		if ((before == NONE || now - before > LATE) && this.scheduled.compareAndSet(before, time)) {
			this.scheduler.accept(Duration.ofNanos(time - now), this::consumeAll);
		}
	}

	private void consumeAll() {
		this.next = this.nanoTime.getAsLong() + INTERVAL;
		try {
			consumeChanged();
		}
		finally {
			this.scheduled.set(NONE);
			if (!this.changed.isEmpty()) {
				schedule();
			}
		}
	}

	private void consumeChanged() {
		Map<BucketKey, Increment> increments = new LinkedHashMap<>();
		for (Iterator<ReportedCost> each = this.changed.iterator(); each.hasNext();) {
			ReportedCost cost = each.next();
			each.remove();
			addIncrements(cost, increments);
		}
		List<Increment> all = List.copyOf(increments.values());
		for (int i = 0; i < all.size(); i += BATCH) {
			consume(all.subList(i, Math.min(i + BATCH, all.size())));
		}
	}

	private static void addIncrements(ReportedCost cost, Map<BucketKey, Increment> increments) {
		Long total = cost.metered();
		for (BucketCost charged : cost.charged()) {
			CostChange change = charged.meter((total != null) ? total : 0);
			if (change != null) {
				increments.merge(change.settlement().charge().key(), new Increment(change, cost), Increment::plus);
			}
		}
	}

	private void consume(List<Increment> increments) {
		List<Overrun> overruns = this.store.settle(
				increments.stream().map((increment) -> increment.change().settlement()).toList(),
				new StoreFailureFlag());
		for (int i = 0; i < overruns.size(); i++) {
			increments.get(i).consumed(overruns.get(i));
		}
	}

	/**
	 * The permits that requests have used from one bucket, but not yet consumed.
	 *
	 * @param change the settlement of the first charge, with the permits of all
	 * @param costs the costs of the requests
	 */
	private record Increment(CostChange change, List<ReportedCost> costs) {

		Increment(CostChange change, ReportedCost cost) {
			this(change, new ArrayList<>(List.of(cost)));
		}

		Increment plus(Increment other) {
			Settlement first = this.change.settlement();
			Settlement second = other.change.settlement();
			long actual = first.actual() + second.actual() - second.charge().cost();
			this.costs.addAll(other.costs);
			return new Increment(new CostChange(this.change.decision(), new Settlement(first.charge(), actual,
					Math.max(first.maxDebt(), second.maxDebt()), first.reserved())), this.costs);
		}

		void consumed(Overrun overrun) {
			this.change.recordDropped(overrun);
			if (!this.change.decision().shadow()) {
				this.costs.forEach((cost) -> cost.setReached(overrun.reached()));
			}
		}

	}

}
