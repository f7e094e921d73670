package io.tierlimit.store;

import java.util.List;
import java.util.Map;

import io.tierlimit.limit.Ban;

/**
 * Stores buckets. A bucket that is not stored is full.
 * <p>
 * Implementations are safe for use by several threads, and each operation takes effect at
 * one moment between its call and its return. The limit of a charge has the arithmetic. A
 * store has the state of each bucket, and reads the clock. {@link LockedBuckets} has the
 * arithmetic of all operations for stores that lock and read buckets elsewhere.
 * {@code BucketStoreContract} in {@code tierlimit-buckets-test} tests a store.
 * <p>
 * A store that cannot be reached throws no exception: the result of the operation reports
 * it. Operations for a request have its {@link StoreFailureFlag}: after a call of the
 * request has {@linkplain StoreFailureFlag#set() failed}, the store does not wait for
 * further replies. A store in memory ignores the flag.
 */
public interface BucketStore {

	/**
	 * Decides all charges together: all enforced charges are acquired, or no charge is. A
	 * shadow charge never rejects the request; it is acquired if the request is admitted
	 * and its own bucket has enough permits. Charges on the same bucket add up, under the
	 * limit of the first, and have the same decision.
	 * <p>
	 * An enforced charge on a banned bucket is rejected. If the bucket of a charge
	 * rejects it, the rejection counts for the {@linkplain ChargeOptions#ban() ban} of
	 * that bucket, and may start it, in the same step. A bucket that several keys share
	 * is never banned.
	 * <p>
	 * A store that cannot be reached decides each charge as its
	 * {@linkplain ChargeOptions#onStoreFailure() options} require, and returns a result
	 * with another {@linkplain AcquireResult#source() source}, such as that of
	 * {@link AcquireResult#unreachable}.
	 * @param charges the charges of one evaluation, in any order; without charges, the
	 * request is admitted. The result may contain this list, so it must not change
	 * afterwards
	 * @param failureFlag whether a call of the request has failed: the store does not
	 * wait for a reply then
	 * @return the result; if the store was reached, with a decision for every charge
	 */
	AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag);

	/**
	 * Decides every charge alone, and changes nothing. A store that cannot be reached
	 * decides by the buckets that replace it until then, and returns a result with
	 * another {@linkplain AcquireResult#source() source}; without such buckets, it
	 * returns {@link AcquireResult#undecided}.
	 * @param charges the charges, in any order
	 * @return a result that is admitted, with the decision on every charge, and every
	 * charge with the key of the bucket that was read, both in the order of the charges
	 */
	AcquireResult peek(List<Charge> charges);

	/**
	 * Refunds to each bucket the permits that it lacks because of its charge. A bucket
	 * that has been full since is not refunded. A charge without a receipt adds its cost,
	 * up to the capacity. A store that cannot be reached refunds nothing.
	 * @param charges acquired charges of results, each at most once, or charges without a
	 * receipt; may be empty
	 * @param failureFlag whether a call of the request has failed: the store does not
	 * wait for a reply then
	 */
	void refund(List<Charge> charges, StoreFailureFlag failureFlag);

	/**
	 * Resets a bucket: it is full afterwards, and not banned. Earlier rejections and bans
	 * do not count any more.
	 * @param key the bucket; a bucket that is not stored is already full
	 * @param failureFlag whether a call of the request has failed: the store does not
	 * wait for a reply then
	 * @return {@code false} if the store cannot be reached
	 */
	boolean reset(BucketKey key, StoreFailureFlag failureFlag);

	/**
	 * Refills a bucket: it is full afterwards. A ban remains in force, and rejections
	 * still count.
	 * @param key the bucket; a bucket that is not stored is already full
	 * @param failureFlag whether a call of the request has failed: the store does not
	 * wait for a reply then
	 * @return {@code false} if the store cannot be reached
	 */
	boolean refill(BucketKey key, StoreFailureFlag failureFlag);

	/**
	 * Resets all buckets of a rule, one by one. Requests never call this operation.
	 * @param rule the rule's id
	 * @return {@code false} if the store cannot be reached, or if it has stopped because
	 * there are too many buckets; some buckets may have been reset
	 */
	boolean resetAll(String rule);

	/**
	 * Finds banned buckets of a rule. Requests never call this operation. A store that
	 * cannot be reached finds the bans of the buckets that replace it until then, if any.
	 * @param rule the rule's id
	 * @param most the maximum number of buckets that are found, 1 or more
	 * @return the bans in force, by bucket and in any order
	 */
	Map<BucketKey, Ban> bans(String rule, int most);

	/**
	 * The name of the store in meters and in the management endpoint.
	 * @return a short name; by default that of the class
	 */
	default String name() {
		return getClass().getSimpleName();
	}

	/**
	 * The status of the store. A shared store checks whether it can be reached.
	 * @return the status; by default that of a store that can always be reached
	 */
	default StoreStatus status() {
		return StoreStatus.UP;
	}

}
