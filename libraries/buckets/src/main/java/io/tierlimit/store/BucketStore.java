package io.tierlimit.store;

import java.util.List;
import java.util.Map;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Ban;
import io.tierlimit.limit.Overrun;

/**
 * Stores buckets. A bucket that is not in the store is full.
 * <p>
 * Implementations are thread-safe, and each operation is atomic. A store contains the
 * state of each bucket, and reads the clock. The {@link Charge} does the arithmetic.
 * {@link LockedBuckets} implements all operations for a store that locks and reads its
 * buckets elsewhere, for example in a database. {@code BucketStoreContract} in
 * {@code tierlimit-buckets-test} tests a store.
 * <p>
 * If the store cannot be reached, its operations must not throw an exception: their
 * results report it. Operations for a request get the {@link StoreFailureFlag} of the
 * request. After one operation has {@linkplain StoreFailureFlag#set() set the flag}, the
 * store does not wait for replies to further operations of this request. A store in
 * memory ignores the flag.
 */
public interface BucketStore {

	/**
	 * Decides all charges together: all enforced charges are acquired, or no charge is. A
	 * shadow charge never rejects the request; it is acquired if the request is admitted
	 * and the bucket of the shadow charge has enough permits. Several charges on the same
	 * bucket are decided as one charge with the sum of their costs, under the limit of
	 * the first charge. They have the same decision.
	 * <p>
	 * An enforced charge on a banned bucket is rejected. If the bucket of a charge
	 * rejects it, the rejection is counted for the {@linkplain ChargeOptions#ban() ban}
	 * of that bucket, and may start the ban in the same operation. A bucket that several
	 * keys share is never banned.
	 * <p>
	 * A store that cannot be reached decides each charge as the
	 * {@linkplain ChargeOptions#onStoreFailure() options} of the charge require, and
	 * returns a result with another {@linkplain AcquireResult#source() source}, such as
	 * the result of {@link AcquireResult#unreachable}.
	 * @param charges the charges of one evaluation, in any order; without charges, the
	 * request is admitted. The result may contain this list, so the list must not change
	 * afterwards
	 * @param failureFlag if set, an earlier operation of the request has failed, and the
	 * store does not wait for a reply
	 * @return the result; if the store was reached, with a decision for every charge
	 */
	AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag);

	/**
	 * Decides every charge alone, and changes nothing. If the store cannot be reached, it
	 * decides with its local buckets, and returns a result with another
	 * {@linkplain AcquireResult#source() source}. A store without local buckets returns
	 * {@link AcquireResult#undecided}.
	 * @param charges the charges, in any order
	 * @return an admitted result with a decision on every charge, and with every charge
	 * on the bucket that was read, both in the order of the charges
	 */
	AcquireResult peek(List<Charge> charges);

	/**
	 * Settles charges: replaces the cost of each charge by its actual cost. If the actual
	 * cost is lower, the bucket gets the permits that it lacks because of the difference.
	 * A bucket that has been full since the charge gets no permits. If the actual cost is
	 * higher, the difference is consumed, until the bucket owes the maximum debt of the
	 * settlement. The rest is dropped. Nothing is rejected.
	 * <p>
	 * An actual cost of 0 refunds the charge. Then a charge without a receipt adds its
	 * cost, up to the capacity.
	 * @param settlements the settlements of acquired charges from results. Each charge is
	 * settled with a lower cost at most once. May be empty
	 * @param failureFlag if set, an earlier operation of the request has failed, and the
	 * store does not wait for a reply
	 * @return the overrun of each settlement, in their order; empty if the store cannot
	 * be reached, or has not replied. It then settles nothing or, if only its reply was
	 * lost, everything
	 */
	List<Overrun> settle(List<Settlement> settlements, StoreFailureFlag failureFlag);

	/**
	 * Refunds charges: settles each of them with an actual cost of 0.
	 * @param charges acquired charges from results, each of which is refunded at most
	 * once, or charges without a receipt; may be empty
	 * @param failureFlag if set, an earlier operation of the request has failed, and the
	 * store does not wait for a reply
	 */
	default void refund(List<Charge> charges, StoreFailureFlag failureFlag) {
		settle(charges.stream().map(Settlement::refund).toList(), failureFlag);
	}

	/**
	 * Resets a bucket: it is full afterwards, and not banned. Its earlier rejections and
	 * bans are removed.
	 * @param key the bucket; a bucket that is not in the store is already full
	 * @param failureFlag if set, an earlier operation of the request has failed, and the
	 * store does not wait for a reply
	 * @return {@code false} if the store cannot be reached
	 */
	boolean reset(BucketKey key, StoreFailureFlag failureFlag);

	/**
	 * Refills a bucket: it is full afterwards. A ban continues, and the counted
	 * rejections remain.
	 * @param key the bucket; a bucket that is not in the store is already full
	 * @param failureFlag if set, an earlier operation of the request has failed, and the
	 * store does not wait for a reply
	 * @return {@code false} if the store cannot be reached
	 */
	boolean refill(BucketKey key, StoreFailureFlag failureFlag);

	/**
	 * Resets all buckets of a rule, one by one. Requests never call this operation.
	 * @param rule the rule's id
	 * @return {@code false} if the store cannot be reached, or if it has stopped because
	 * the rule has too many buckets; some buckets may have been reset
	 */
	boolean resetAll(String rule);

	/**
	 * Finds banned buckets of a rule. Requests never call this operation. A store that
	 * cannot be reached finds the bans of its local buckets, if it has any.
	 * @param rule the rule's id
	 * @param most the maximum number of buckets that are found, 1 or more
	 * @return the current bans by bucket, in any order
	 */
	Map<BucketKey, Ban> bans(String rule, int most);

	/**
	 * Finds the holders of a bucket's permits. Requests never call this operation. A
	 * store that cannot be reached finds the holders of its local bucket, if it has any.
	 * @param key the bucket
	 * @return the holders, the oldest first; empty if the bucket has no concurrency limit
	 */
	default List<PermitHolder> holders(BucketKey key) {
		return List.of();
	}

	/**
	 * Releases the permits of a holder, although its request may not have ended. Requests
	 * never call this operation.
	 * @param key the bucket
	 * @param holder the id of the holder
	 * @return whether the bucket had this holder; {@code false} if the store cannot be
	 * reached
	 */
	default boolean release(BucketKey key, String holder) {
		return false;
	}

	/**
	 * Whether the store supports an algorithm. A store that supports
	 * {@link Algorithm#CONCURRENCY} keeps the holders of permits with the state of each
	 * bucket, and does not remove such a bucket before its last holder has ended.
	 * @param algorithm the algorithm
	 * @return whether charges may have limits of the algorithm; by default every
	 * algorithm except {@code CONCURRENCY}
	 */
	default boolean supports(Algorithm algorithm) {
		return !algorithm.holdsPermits();
	}

	/**
	 * The name of the store in meters and in the management endpoint.
	 * @return a short name; by default the simple name of the class
	 */
	default String name() {
		return getClass().getSimpleName();
	}

	/**
	 * The status of the store. A shared store checks whether it can be reached.
	 * @return the status; by default {@link StoreStatus#UP}
	 */
	default StoreStatus status() {
		return StoreStatus.UP;
	}

}
