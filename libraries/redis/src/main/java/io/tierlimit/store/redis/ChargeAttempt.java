package io.tierlimit.store.redis;

import java.util.Objects;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Receipt;
import io.tierlimit.store.Charge;
import org.jspecify.annotations.Nullable;

/**
 * The attempt of a request to acquire the permits of one bucket in Redis, with the last
 * reply of Redis. Several charges of the request on the same bucket are added, under the
 * limit of the first charge.
 */
final class ChargeAttempt {

	private final Charge charge;

	private @Nullable BucketSnapshot bucket;

	private boolean counted;

	private @Nullable Decision decision;

	private @Nullable Receipt receipt;

	ChargeAttempt(Charge charge) {
		this.charge = Holding.isHeld(charge) ? Holding.withHolder(charge) : charge;
	}

	ChargeAttempt plus(ChargeAttempt other) {
		return new ChargeAttempt(this.charge.plus(other.charge));
	}

	/** The sum of the charges on the bucket. */
	Charge charge() {
		return this.charge;
	}

	/** The bucket as Redis found it; {@code null} if Redis has not replied yet. */
	@Nullable BucketSnapshot bucket() {
		return this.bucket;
	}

	/** Records the bucket as Redis found it. */
	void recordBucket(@Nullable BucketSnapshot found) {
		this.bucket = found;
	}

	/**
	 * Records whether the script has counted a rejection by this bucket for its ban. The
	 * script counts a request once, even if the request is retried.
	 */
	void recordCounted(boolean rejection) {
		this.counted = rejection;
	}

	/**
	 * Whether the bucket has enough now. Permits that were earned since the bucket was
	 * found are for later requests.
	 */
	boolean isAllowedBy(BucketSnapshot current) {
		return current.allows(this.charge, Objects.requireNonNull(this.bucket).now());
	}

	/**
	 * Rejects the charge because of an earlier reply.
	 * @param cached the earlier rejection; {@code null} if there is none
	 * @return whether there is an earlier rejection
	 */
	boolean rejectFromCache(@Nullable Decision cached) {
		this.decision = cached;
		return cached != null;
	}

	/**
	 * Decides the charge by the bucket as Redis found it.
	 * @param admitted whether all buckets of the request have allowed their charges
	 * @return whether this bucket has allowed the charge
	 */
	boolean decideByBucket(boolean admitted) {
		BucketSnapshot found = Objects.requireNonNull(this.bucket);
		boolean allowed = found.allows(this.charge);
		if (admitted && allowed) {
			BucketState state = found.state(this.charge.key());
			this.decision = this.charge.acquire(state, found.now());
			Receipt holder = this.charge.receipt();
			this.receipt = (holder != null) ? holder : state.receipt();
		}
		else {
			this.decision = found.inspect(this.charge, this.counted);
		}
		return allowed;
	}

	@Nullable Decision decision() {
		return this.decision;
	}

	/**
	 * Returns one of the charges on the bucket, with the receipt if the permits were
	 * acquired.
	 */
	Charge withReceipt(Charge part) {
		return (this.receipt != null) ? part.acquired(this.receipt) : part;
	}

}
