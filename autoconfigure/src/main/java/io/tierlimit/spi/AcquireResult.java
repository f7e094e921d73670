package io.tierlimit.spi;

import java.util.Collections;
import java.util.List;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * The result of a store for the charges of a request.
 *
 * @param admitted whether the request is admitted
 * @param source where the request was decided
 * @param decisions one for each charge, in the order of the charges; {@code null} for a
 * charge without a decision. If the request was not admitted, each decision reports
 * whether its bucket alone would have allowed the charge, and the remaining permits
 * @param charges the charges as they were decided, in the order of the request, for
 * refunds. Each acquired charge has a receipt, and the key of the bucket that decided it.
 * If the source is {@link Source#NONE}, only the charges that reject the request
 */
public record AcquireResult(boolean admitted, Source source, List<@Nullable Decision> decisions, List<Charge> charges) {

	/**
	 * Creates the result of a store that was reached.
	 * @param admitted whether every enforced charge was acquired; {@code true} for a peek
	 * @param decisions one for each charge, in the order of the charges
	 * @param charges the charges as they were decided, in the order of the request
	 */
	public AcquireResult(boolean admitted, List<@Nullable Decision> decisions, List<Charge> charges) {
		this(admitted, Source.STORE, decisions, charges);
	}

	/**
	 * Creates the result of a store that cannot be reached and has no other buckets. A
	 * charge whose options require {@link StoreFailurePolicy#DENY} rejects the request,
	 * unless its rule is in shadow mode or its cost is 0. Otherwise the request is
	 * admitted without decisions, even if options require
	 * {@link StoreFailurePolicy#LOCAL}.
	 * @param charges the charges, in any order
	 * @param onFailure the policy for charges whose options have none
	 * @return the result
	 */
	public static AcquireResult unreachable(List<Charge> charges, StoreFailurePolicy onFailure) {
		List<Charge> denied = charges.stream()
			.filter((charge) -> !charge.shadow() && charge.cost() > 0
					&& charge.options().onFailure(onFailure) == StoreFailurePolicy.DENY)
			.toList();
		return denied.isEmpty() ? undecided(charges)
				: new AcquireResult(false, Source.NONE, undecided(charges).decisions(), denied);
	}

	/**
	 * Creates the result of {@link BucketStore#peek} for a store that cannot be reached
	 * and has no other buckets: no charge has a decision.
	 * @param charges the charges, in any order
	 * @return a result that is admitted
	 */
	public static AcquireResult undecided(List<Charge> charges) {
		return new AcquireResult(true, Source.FALLBACK, Collections.nCopies(charges.size(), null), charges);
	}

	/**
	 * Where a request was decided.
	 */
	public enum Source {

		/** In the store. */
		STORE,

		/**
		 * In this instance, while the store cannot be reached. Charges with the policy
		 * {@link StoreFailurePolicy#LOCAL} are decided by the instance's own buckets if
		 * it has any. All other charges have no decision.
		 */
		FALLBACK,

		/**
		 * Nowhere: the store cannot be reached, and an enforced charge with the policy
		 * {@link StoreFailurePolicy#DENY} rejects the request.
		 */
		NONE

	}

}
