package io.tierlimit.metrics;

import java.util.Locale;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import io.tierlimit.rule.KebabCase;

/**
 * All meters and their tags. No tag contains a caller, a key or a path.
 */
public enum RateLimitMeter implements MeterDocumentation {

	/**
	 * Counts a request once under every rule that applied to it, after its last stage.
	 * Also counts every call to an annotated method, and every permit request of code.
	 */
	REQUESTS("tierlimit.requests", Meter.Type.COUNTER, RateLimitTag.RULE, RateLimitTag.SCOPE, RateLimitTag.PLAN,
			RateLimitTag.OUTCOME),

	/** Counts charges that left less than 20% of a bucket's capacity. */
	NEAR_LIMIT("tierlimit.requests.near.limit", Meter.Type.COUNTER, RateLimitTag.RULE, RateLimitTag.SCOPE,
			RateLimitTag.PLAN),

	/**
	 * Counts requests that a rule and its candidate have decided, by how the decisions
	 * differ.
	 */
	CANDIDATE_REQUESTS("tierlimit.candidate.requests", Meter.Type.COUNTER, RateLimitTag.RULE, RateLimitTag.OUTCOME),

	/**
	 * Counts bans that have started, by rule. For a rule in shadow mode, counts the bans
	 * that it would start.
	 */
	BANS("tierlimit.bans", Meter.Type.COUNTER, RateLimitTag.RULE),

	/**
	 * The current rate of an adaptive rule in this instance, as a share of the configured
	 * rate.
	 */
	ADAPTIVE_SHARE("tierlimit.adaptive.share", Meter.Type.GAUGE, RateLimitTag.RULE),

	/**
	 * The permits that requests and calls of this instance hold at present, of a rule
	 * with {@code algorithm: concurrency}.
	 */
	PERMITS_IN_USE("tierlimit.permits.in.use", Meter.Type.GAUGE, RateLimitTag.RULE),

	/** The actual costs of requests and of code, divided by their estimates. */
	SETTLED("tierlimit.settled", Meter.Type.DISTRIBUTION_SUMMARY, RateLimitTag.RULE),

	/** Counts the permits of actual costs that exceeded {@code max-debt}. */
	SETTLED_DROPPED("tierlimit.settled.dropped", Meter.Type.COUNTER, RateLimitTag.RULE),

	/** Counts requests that kept their estimate, because their cost was unknown. */
	SETTLED_UNKNOWN("tierlimit.settled.unknown", Meter.Type.COUNTER, RateLimitTag.RULE),

	/** Times the waits of delayed requests and calls. */
	WAIT("tierlimit.wait", Meter.Type.TIMER, RateLimitTag.RULE),

	/**
	 * Times evaluations: of stages of requests, of calls to annotated methods, and of
	 * permit requests of code. An evaluation includes expressions, keys, and the call to
	 * the store.
	 */
	EVALUATION("tierlimit.evaluation", Meter.Type.TIMER, RateLimitTag.STORE, RateLimitTag.ERROR),

	/** Times the calls to a shared store. */
	STORE_CALLS("tierlimit.store.calls", Meter.Type.TIMER, RateLimitTag.STORE, RateLimitTag.OUTCOME),

	/** Counts calls to a shared store that failed or timed out. */
	STORE_FAILURES("tierlimit.store.failures", Meter.Type.COUNTER, RateLimitTag.STORE),

	/**
	 * Counts requests that were rejected without a call to a shared store, because of a
	 * rejection by the store less than a second ago.
	 */
	STORE_REJECTIONS_CACHED("tierlimit.store.rejections.cached", Meter.Type.COUNTER, RateLimitTag.STORE),

	/**
	 * Counts requests that have lost their permits while they were in flight: the permits
	 * were not renewed in time, reset, released by an operator, or lost with the data of
	 * the store.
	 */
	HOLDERS_LOST("tierlimit.holders.lost", Meter.Type.COUNTER, RateLimitTag.RULE),

	/** Counts reloads of the rules. */
	RELOADS("tierlimit.reloads", Meter.Type.COUNTER, RateLimitTag.OUTCOME),

	/** The number of buckets in the memory of this instance. */
	BUCKETS("tierlimit.buckets", Meter.Type.GAUGE),

	/**
	 * Counts buckets that were evicted before they were full, because the memory is
	 * limited.
	 */
	BUCKETS_EVICTED("tierlimit.buckets.evicted", Meter.Type.COUNTER),

	/**
	 * Counts charges to overflow buckets, which several keys share when no bucket can be
	 * evicted.
	 */
	BUCKETS_OVERFLOWED("tierlimit.buckets.overflowed", Meter.Type.COUNTER),

	/** Counts rejections that are missing in the table of rejections. */
	AUDIT_DROPPED("tierlimit.audit.dropped", Meter.Type.COUNTER);

	private final String name;

	private final Meter.Type type;

	@SuppressWarnings("ImmutableEnumChecker") // the array is never exposed
	private final KeyName[] tags;

	RateLimitMeter(String name, Meter.Type type, KeyName... tags) {
		this.name = name;
		this.type = type;
		this.tags = tags;
	}

	@Override
	public String getName() {
		return this.name;
	}

	@Override
	public Meter.Type getType() {
		return this.type;
	}

	@Override
	public KeyName[] getKeyNames() {
		return this.tags.clone();
	}

	/**
	 * The tags of meters.
	 */
	public enum RateLimitTag implements KeyName {

		/** The rule's id. */
		RULE,

		/** The parts of the rule's key. */
		SCOPE,

		/**
		 * The caller's plan, if the rule distinguishes plans and any rule lists the plan;
		 * otherwise {@code other}.
		 */
		PLAN,

		/**
		 * The outcome of the request under the rule, of the comparison with its
		 * candidate, of the call to the store, or of the reload.
		 */
		OUTCOME,

		/** The store's name. */
		STORE,

		/** The exception of an evaluation, or {@code none}. */
		ERROR;

		Tag of(String value) {
			return Tag.of(asString(), value);
		}

		/** The tag with the name of a constant as its value. */
		Tag of(Enum<?> value) {
			return of(KebabCase.of(value));
		}

		@Override
		public String asString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
