package io.tierlimit.store;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Receipt;
import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * The result of a store for the charges of a request. Results are equal if all their
 * properties are equal.
 */
public final class AcquireResult {

	private final boolean admitted;

	private final Source source;

	private final List<Charge> charges;

	private final @Nullable Decision[] decisions;

	/**
	 * The receipt of each charge as two numbers, because few charges are ever refunded;
	 * {@code null} if the charges contain their receipts, or if there are no receipts.
	 */
	private final long @Nullable [] receipts;

	private AcquireResult(boolean admitted, Source source, List<Charge> charges, @Nullable Decision[] decisions,
			long @Nullable [] receipts) {
		this.admitted = admitted;
		this.source = source;
		this.charges = charges;
		this.decisions = decisions;
		this.receipts = receipts;
	}

	/**
	 * Creates a result.
	 * @param admitted whether the request is admitted
	 * @param source where the request was decided
	 * @param decisions one for each charge, in the order of the charges; {@code null} for
	 * a charge without a decision
	 * @param charges the charges as they were decided, in the order of the request
	 */
	public AcquireResult(boolean admitted, Source source, List<@Nullable Decision> decisions, List<Charge> charges) {
		this(admitted, source, charges, decisions.toArray(new @Nullable Decision[0]), null);
	}

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
	 * Creates the result of a store that was reached and admitted the request, without
	 * copies.
	 * @param charges the charges without receipts, each on the bucket that decided it;
	 * must not change afterwards
	 * @param decisions one for each charge; must not change afterwards
	 * @param receipts for the charge with index i, {@link Receipt#at()} at index 2i and
	 * {@link Receipt#charged()} at index 2i + 1; must not change afterwards
	 * @return the result; the allowed charges have receipts
	 */
	public static AcquireResult admitted(List<Charge> charges, Decision[] decisions, long[] receipts) {
		return new AcquireResult(true, Source.STORE, charges, decisions, receipts);
	}

	/**
	 * Creates the result of a store that was reached and did not admit the request,
	 * without copies.
	 * @param charges the charges, each on the bucket that decided it; must not change
	 * afterwards
	 * @param decisions one for each charge; must not change afterwards
	 * @return the result
	 */
	public static AcquireResult rejected(List<Charge> charges, Decision[] decisions) {
		return new AcquireResult(false, Source.STORE, charges, decisions, null);
	}

	/**
	 * Creates the result of a store that cannot be reached and has no local buckets. A
	 * charge whose options require {@link StoreFailurePolicy#DENY} rejects the request,
	 * unless its rule is in shadow mode or its cost is 0. Otherwise the request is
	 * admitted without decisions, even if options require
	 * {@link StoreFailurePolicy#LOCAL}.
	 * @param charges the charges, in any order
	 * @param onStoreFailure the policy for charges whose options have none
	 * @return the result
	 */
	public static AcquireResult unreachable(List<Charge> charges, StoreFailurePolicy onStoreFailure) {
		List<Charge> denied = charges.stream()
			.filter((charge) -> !charge.shadow() && charge.cost() > 0
					&& charge.options().onStoreFailure(onStoreFailure) == StoreFailurePolicy.DENY)
			.toList();
		return denied.isEmpty() ? undecided(charges)
				: new AcquireResult(false, Source.NONE, undecided(charges).decisions(), denied);
	}

	/**
	 * Creates the result of {@link BucketStore#peek} for a store that cannot be reached
	 * and has no local buckets: no charge has a decision.
	 * @param charges the charges, in any order
	 * @return a result that is admitted
	 */
	public static AcquireResult undecided(List<Charge> charges) {
		return new AcquireResult(true, Source.FALLBACK, Collections.nCopies(charges.size(), null), charges);
	}

	/**
	 * Whether the request is admitted.
	 * @return whether every enforced charge was acquired; {@code true} for a peek
	 */
	public boolean admitted() {
		return this.admitted;
	}

	/**
	 * Where the request was decided.
	 * @return the source of the decisions
	 */
	public Source source() {
		return this.source;
	}

	/**
	 * The decision on one charge. If the request was not admitted, the decision reports
	 * whether the charge's bucket alone would have allowed the charge, and the remaining
	 * permits of that bucket.
	 * @param index the index of the charge in the request
	 * @return the decision; {@code null} for a charge without a decision
	 */
	public @Nullable Decision decision(int index) {
		return this.decisions[index];
	}

	/**
	 * All decisions.
	 * @return one for each charge, in the order of the charges; {@code null} for a charge
	 * without a decision. Unmodifiable
	 */
	public List<@Nullable Decision> decisions() {
		return Collections.unmodifiableList(Arrays.asList(this.decisions));
	}

	/**
	 * The limit that a charge was decided under.
	 * @param index the index of the charge in the request
	 * @return the limit, which may be a fraction of the rule's limit
	 */
	public Limit limit(int index) {
		return this.charges.get(index).limit();
	}

	/**
	 * A charge as it was decided, for a refund. An acquired charge has a receipt, and the
	 * key of the bucket that decided it.
	 * @param index the index of the charge in the request
	 * @return the charge
	 */
	public Charge charge(int index) {
		Charge charge = this.charges.get(index);
		Decision decision = this.decisions[index];
		if (this.receipts == null || decision == null || !decision.allowed()) {
			return charge;
		}
		return charge.acquired(new Receipt(this.receipts[2 * index], this.receipts[2 * index + 1]));
	}

	/**
	 * The charges as they were decided.
	 * @return {@linkplain #charge each charge} in the order of the request; if the source
	 * is {@link Source#NONE}, only the charges that reject the request. Unmodifiable
	 */
	public List<Charge> charges() {
		return (this.receipts == null) ? Collections.unmodifiableList(this.charges)
				: IntStream.range(0, this.charges.size()).mapToObj(this::charge).toList();
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof AcquireResult that && this.admitted == that.admitted && this.source == that.source
				&& Arrays.equals(this.decisions, that.decisions) && charges().equals(that.charges());
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.admitted, this.source, decisions(), charges());
	}

	@Override
	public String toString() {
		return (this.admitted ? "admitted" : "not admitted") + " by " + this.source + ", " + decisions() + " on "
				+ charges();
	}

	/**
	 * Where a request was decided.
	 */
	public enum Source {

		/** In the store. */
		STORE,

		/**
		 * In this instance, because the store cannot be reached. Charges with the policy
		 * {@link StoreFailurePolicy#LOCAL} are decided with the instance's local buckets,
		 * if it has any. All other charges have no decision.
		 */
		FALLBACK,

		/**
		 * Nowhere: the store cannot be reached, and an enforced charge with the policy
		 * {@link StoreFailurePolicy#DENY} rejects the request.
		 */
		NONE

	}

}
