package io.tierlimit.metrics;

import java.util.Locale;

import io.tierlimit.rule.KebabCase;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.docs.MeterDocumentation;

/**
 * All meters and their tags. No tag ever names a caller, a key or a path.
 */
public enum RateLimitMeter implements MeterDocumentation {

	/**
	 * Counts a request under every rule that applied to it, once, after its last stage;
	 * and every call of an annotated method or of a program beside.
	 */
	REQUESTS("tierlimit.requests", Meter.Type.COUNTER, RateLimitTag.RULE, RateLimitTag.SCOPE, RateLimitTag.PLAN,
			RateLimitTag.OUTCOME),

	/** Counts charges that left less than 20% of a bucket's capacity. */
	NEAR_LIMIT("tierlimit.near.limit", Meter.Type.COUNTER, RateLimitTag.RULE, RateLimitTag.SCOPE, RateLimitTag.PLAN),

	/** Times how long requests and calls are held that wait for their permits. */
	WAIT("tierlimit.wait", Meter.Type.TIMER, RateLimitTag.RULE),

	/**
	 * Times evaluations: stages of requests, calls, a program's claims, from expressions
	 * and keys to the store's answer.
	 */
	EVALUATION("tierlimit.evaluation", Meter.Type.TIMER, RateLimitTag.STORE, RateLimitTag.ERROR),

	/** Times how long callers wait for a store that instances share. */
	STORE_CALLS("tierlimit.store.calls", Meter.Type.TIMER, RateLimitTag.STORE, RateLimitTag.OUTCOME),

	/** Counts calls that such a store did not answer in time, or with an error. */
	STORE_FAILURES("tierlimit.store.failures", Meter.Type.COUNTER, RateLimitTag.STORE),

	/**
	 * Counts requests that were rejected without a call of such a store, by what it has
	 * said less than a second ago.
	 */
	STORE_REJECTIONS_CACHED("tierlimit.store.rejections.cached", Meter.Type.COUNTER, RateLimitTag.STORE),

	/** How many buckets this instance keeps in its own memory. */
	BUCKETS("tierlimit.buckets", Meter.Type.GAUGE),

	/** Counts buckets that were forgotten before they were full, to make room. */
	BUCKETS_EVICTED("tierlimit.buckets.evicted", Meter.Type.COUNTER),

	/** Counts charges to a bucket that keys have to share, for want of room. */
	BUCKETS_OVERFLOWED("tierlimit.buckets.overflowed", Meter.Type.COUNTER);

	private final String name;

	private final Meter.Type type;

	@SuppressWarnings("ImmutableEnumChecker") // only copies are handed out
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

		/** Whose bucket: the parts of the rule's key. */
		SCOPE,

		/**
		 * The caller's plan, if the rule tells plans apart and a rule lists it;
		 * {@code other} for all else.
		 */
		PLAN,

		/** What became of the request under the rule, or of the store's call. */
		OUTCOME,

		/** The store's name. */
		STORE,

		/** The exception that an evaluation ended with, {@code none} usually. */
		ERROR;

		Tag of(String value) {
			return Tag.of(asString(), value);
		}

		/** The value for a constant's name. */
		Tag of(Enum<?> value) {
			return of(KebabCase.of(value));
		}

		@Override
		public String asString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
