package io.tierlimit.option;

import io.tierlimit.key.RuleKey;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.store.BucketKey;
import org.jspecify.annotations.Nullable;

/**
 * The caller of a charge, and the key of its bucket. Used by one thread.
 */
public final class ChargeFacts {

	private final CallerFacts caller;

	private final @Nullable String plan;

	/** {@code null} if the bucket is known, or cannot be resolved. */
	private final @Nullable RuleKey key;

	private final @Nullable String endpoint;

	private @Nullable BucketKey bucket;

	/**
	 * Creates the facts of a request or a call.
	 * @param caller the caller
	 * @param plan the plan, or {@code null} for none
	 * @param key the key of the rule; {@code null} if it is not known
	 * @param endpoint the endpoint if no mapping has a pattern, or {@code null}
	 */
	public ChargeFacts(CallerFacts caller, @Nullable String plan, @Nullable RuleKey key, @Nullable String endpoint) {
		this.caller = caller;
		this.plan = plan;
		this.key = key;
		this.endpoint = endpoint;
	}

	/**
	 * Creates the facts of a bucket.
	 * @param caller the known facts of the caller
	 * @param plan the plan, or {@code null}
	 * @param bucket the bucket
	 */
	public ChargeFacts(CallerFacts caller, @Nullable String plan, BucketKey bucket) {
		this.caller = caller;
		this.plan = plan;
		this.key = null;
		this.endpoint = null;
		this.bucket = bucket;
	}

	/**
	 * The caller.
	 * @return the caller, with the values that options have looked up
	 */
	public CallerFacts caller() {
		return this.caller;
	}

	/**
	 * The plan of the caller.
	 * @return the plan; {@code null} for none
	 */
	public @Nullable String plan() {
		return this.plan;
	}

	/**
	 * The bucket of the caller.
	 * @return the bucket; {@code null} if the key cannot be resolved
	 */
	public @Nullable BucketKey bucket() {
		if (this.bucket == null && this.key != null) {
			try {
				this.bucket = this.key.of(this.caller.caller(), this.endpoint);
			}
			catch (InvalidRequestValueException ex) {
				// The exception is thrown again when the charge is created.
				return null;
			}
		}
		return this.bucket;
	}

	/**
	 * Sets the bucket that is charged, so that it is not resolved again.
	 * @param charged the bucket
	 */
	public void resolved(BucketKey charged) {
		this.bucket = charged;
	}

	/**
	 * Returns the facts of a caller if only the plan is known.
	 * @param plan the plan, or {@code null}
	 * @return the facts
	 */
	public static ChargeFacts ofPlan(@Nullable String plan) {
		return new ChargeFacts(new CallerFacts(Caller.UNKNOWN), plan, null, null);
	}

}
