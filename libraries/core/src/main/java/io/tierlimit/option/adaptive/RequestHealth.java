package io.tierlimit.option.adaptive;

import java.util.concurrent.atomic.LongAdder;

import io.tierlimit.store.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * The latency and the errors of the requests under one rule, in this instance.
 * <p>
 * Requests that begin in the same interval are a cohort. A cohort is evaluated once, as
 * soon as each of its requests is either complete or slow: one target latency after its
 * interval. Requests that never end are therefore treated as slow requests, without
 * waiting for their end. Errors are evaluated when the requests have ended.
 * <p>
 * One caller adds at most one slow request and one failure per interval to an evaluation,
 * so that it cannot reduce the rate for other callers. Its further slow or failed
 * requests are ignored. All its other requests are counted.
 * <p>
 * Requests that began before the last reduction of the rate are ignored, because the
 * reduction has not affected them. Slow requests are also ignored while a backlog of
 * requests in flight shrinks fast, because the resource is recovering then.
 */
final class RequestHealth {

	/** The highest share of slow requests of a healthy resource. */
	private static final double MAX_SLOW = 0.1;

	/**
	 * The minimum share by which the requests in flight decrease per interval during a
	 * recovery.
	 */
	private static final double MIN_RECOVERY = 0.05;

	/**
	 * The number of requests that an evaluation requires. At least as many requests in
	 * flight are a backlog; fewer requests in flight may hang.
	 */
	private static final int MIN_REQUESTS = 10;

	/**
	 * If no request ends in this number of intervals, the rule is idle or its requests
	 * hang.
	 */
	private static final int IDLE_INTERVALS = 10;

	private final long interval;

	/** The target latency in ticks; {@code null} if the latency is not measured. */
	private final @Nullable Long target;

	private final @Nullable Double maxErrorRate;

	private final Ticker ticker;

	private volatile Cohort newest;

	private final LongAdder inFlight = new LongAdder();

	private final LongAdder ended = new LongAdder();

	private final LongAdder failed = new LongAdder();

	/** The callers whose requests have failed in one interval. */
	private CallerCounts failedCallers = new CallerCounts();

	private long failedInterval = Long.MIN_VALUE;

	/** The oldest cohort that was not evaluated. */
	private Cohort oldest;

	private volatile long since = Long.MIN_VALUE;

	/** The best evidence since the last overload of the resource. */
	private volatile Health recovery = Health.UNKNOWN;

	/**
	 * Whether the last evaluation of the latency since then was healthy; true if the
	 * latency is not measured.
	 */
	private boolean inTime;

	/** The same for errors. */
	private boolean withoutErrors;

	/**
	 * The time at which a request has last ended; at first, the time at which this object
	 * was created.
	 */
	private volatile long endedAt;

	private long evaluated;

	private long evaluatedSlow;

	private long inFlightBefore;

	/**
	 * Measures the requests of a rule.
	 * @param interval the length of the interval of a cohort, in ticks
	 */
	RequestHealth(AdaptivePolicy policy, long interval, Ticker ticker) {
		this.interval = interval;
		this.target = (policy.targetLatency() != null) ? policy.targetLatency().toNanos() / 1000 : null;
		this.maxErrorRate = policy.maxErrorRate();
		this.ticker = ticker;
		this.endedAt = ticker.ticks();
		this.oldest = new Cohort(Math.floorDiv(ticker.ticks(), interval), this.target != null);
		this.newest = this.oldest;
		resetRecovery();
	}

	/**
	 * Begins a request of a caller, which is given by its {@link CallerCounts#slot slot}.
	 */
	RequestInFlight begin(int caller) {
		long now = this.ticker.ticks();
		Cohort cohort = cohort(Math.floorDiv(now, this.interval));
		cohort.begin(caller);
		this.inFlight.increment();
		return new RequestInFlight(this, cohort, now, caller);
	}

	/**
	 * The cohort of an interval, or a later one if the interval has ended in the
	 * meantime. If the latency is not measured, there is one cohort for all requests.
	 */
	private Cohort cohort(long number) {
		Cohort current = this.newest;
		return (this.target == null || current.number >= number) ? current : next(number);
	}

	private synchronized Cohort next(long number) {
		Cohort current = this.newest;
		if (current.number < number) {
			Cohort next = new Cohort(number, true);
			current.next = next;
			this.newest = next;
		}
		return this.newest;
	}

	void end(Cohort cohort, long begun, int caller, boolean hasFailed) {
		long now = this.ticker.ticks();
		long latency = now - begun;
		this.endedAt = now;
		this.inFlight.decrement();
		if (this.target == null || latency <= this.target) {
			cohort.fast.increment();
			cohort.remove(caller);
		}
		if (begun >= this.since && (!hasFailed || this.maxErrorRate == null || isFirstFailure(caller, now))) {
			this.ended.increment();
			if (hasFailed) {
				this.failed.increment();
			}
		}
	}

	private synchronized boolean isFirstFailure(int caller, long now) {
		long number = Math.floorDiv(now, this.interval);
		if (number > this.failedInterval) {
			this.failedInterval = number;
			this.failedCallers = new CallerCounts();
		}
		return this.failedCallers.add(caller);
	}

	void cancel(Cohort cohort, int caller) {
		this.inFlight.decrement();
		cohort.remove(caller);
	}

	/**
	 * Evaluates the requests since the last call.
	 * @param now the current time in ticks
	 */
	Health evaluate(long now) {
		Health health = isMeasured() ? evaluateRequests(now) : Health.HEALTHY;
		boolean lasts = this.recovery == Health.IDLE || this.recovery == Health.HEALTHY;
		if (!lasts || health.compareTo(this.recovery) > 0) {
			this.recovery = health;
		}
		return health;
	}

	private Health evaluateRequests(long now) {
		long current = this.inFlight.sum();
		boolean recovering = this.inFlightBefore >= MIN_REQUESTS && current <= (1 - MIN_RECOVERY) * this.inFlightBefore;
		this.inFlightBefore = current;
		Health latency = evaluateLatency(now);
		Health errors = evaluateErrors();
		this.inTime = (latency == Health.UNKNOWN) ? this.inTime : latency == Health.HEALTHY;
		this.withoutErrors = (errors == Health.UNKNOWN) ? this.withoutErrors : errors == Health.HEALTHY;
		if (errors == Health.OVERLOADED || latency == Health.OVERLOADED) {
			return (errors == Health.OVERLOADED || !recovering) ? Health.OVERLOADED : Health.UNKNOWN;
		}
		// Errors are often evaluated before the latency, and do not indicate whether the
		// latency is healthy.
		if ((latency == Health.HEALTHY || errors == Health.HEALTHY) && this.inTime && this.withoutErrors) {
			return Health.HEALTHY;
		}
		if (current >= MIN_REQUESTS || now - this.endedAt <= IDLE_INTERVALS * this.interval) {
			return Health.UNKNOWN;
		}
		if (current > 0) {
			return Health.HANGING;
		}
		ignoreEarlier();
		return Health.IDLE;
	}

	private boolean isMeasured() {
		return this.target != null || this.maxErrorRate != null;
	}

	private Health evaluateLatency(long now) {
		Long latency = this.target;
		if (latency == null) {
			return Health.UNKNOWN;
		}
		// Begins a new cohort even without further requests, so that the last cohort is
		// evaluated.
		cohort(Math.floorDiv(now, this.interval));
		Cohort next = this.oldest.next;
		while (next != null && (this.oldest.number + 1) * this.interval + latency <= now) {
			int slow = this.oldest.finish();
			if (this.oldest.number * this.interval >= this.since) {
				this.evaluated += slow + this.oldest.fast.sum();
				this.evaluatedSlow += slow;
			}
			this.oldest = next;
			next = next.next;
		}
		if (this.evaluated < MIN_REQUESTS) {
			return Health.UNKNOWN;
		}
		boolean slow = this.evaluatedSlow > MAX_SLOW * this.evaluated;
		this.evaluated = 0;
		this.evaluatedSlow = 0;
		return slow ? Health.OVERLOADED : Health.HEALTHY;
	}

	private Health evaluateErrors() {
		long all = this.ended.sum();
		if (this.maxErrorRate == null || all < MIN_REQUESTS) {
			return Health.UNKNOWN;
		}
		long failures = this.failed.sum();
		this.ended.add(-all);
		this.failed.add(-failures);
		return (failures > this.maxErrorRate * all) ? Health.OVERLOADED : Health.HEALTHY;
	}

	/**
	 * The best evidence since the last {@link #resetRecovery}. {@link Health#HANGING} is
	 * returned only while the requests hang, {@link Health#IDLE} and
	 * {@link Health#HEALTHY} until the next overload.
	 */
	Health recovery() {
		return this.recovery;
	}

	/** Discards the evidence, because the resource is overloaded. */
	void resetRecovery() {
		this.recovery = Health.UNKNOWN;
		this.inTime = this.target == null;
		this.withoutErrors = this.maxErrorRate == null;
	}

	/** Ignores the requests that began before this call. */
	void ignoreEarlier() {
		this.since = this.ticker.ticks();
		this.evaluated = 0;
		this.evaluatedSlow = 0;
		this.ended.reset();
		this.failed.reset();
	}

	/**
	 * The requests that begin in one interval.
	 */
	static final class Cohort {

		private final long number;

		/**
		 * The requests that have not ended within the target latency; {@code null} after
		 * they were evaluated, or if the latency is not measured.
		 */
		private volatile @Nullable CallerCounts unfinished;

		/** The number of requests that have ended within the target latency. */
		private final LongAdder fast = new LongAdder();

		private volatile @Nullable Cohort next;

		private Cohort(long number, boolean measured) {
			this.number = number;
			this.unfinished = measured ? new CallerCounts() : null;
		}

		void begin(int caller) {
			CallerCounts counts = this.unfinished;
			if (counts != null) {
				counts.add(caller);
			}
		}

		void remove(int caller) {
			CallerCounts counts = this.unfinished;
			if (counts != null) {
				counts.remove(caller);
			}
		}

		/**
		 * Returns the number of callers with slow requests. Slow requests may be in
		 * flight for hours and refer to this cohort, so the cohort must not keep its
		 * counts or later cohorts in memory.
		 */
		private int finish() {
			CallerCounts counts = this.unfinished;
			this.unfinished = null;
			this.next = null;
			return (counts != null) ? counts.callers() : 0;
		}

	}

}
