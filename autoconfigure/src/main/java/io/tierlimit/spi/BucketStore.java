package io.tierlimit.spi;

import java.util.List;

/**
 * Where buckets live. Every bucket that the store does not know is full.
 * <p>
 * Implementations are safe for use by any number of threads, and each operation takes
 * effect at one moment between its call and its return. The limit of a charge does the
 * arithmetic; a store keeps the state of each bucket, and reads the time.
 * <p>
 * A store that can't be reached throws nothing: each operation returns a result that
 * shows it. Operations that serve a request get its {@link Waits}: once a call of the
 * request has {@linkplain Waits#end() failed}, the store waits for no further reply. A
 * store in memory ignores them.
 */
public interface BucketStore {

	/**
	 * Decides all charges together: either every enforced one is taken, or none. Shadow
	 * charges never decide; they are taken as far as their own bucket allows, if the
	 * request is admitted. Charges on the same bucket add up, under the limit of the
	 * first, and get the same decision.
	 * <p>
	 * A store that can't be reached decides each charge as its
	 * {@linkplain Terms#onFailure() terms} say, and returns an answer with another
	 * {@linkplain Answer#source() source}.
	 * @param charges the charges of one stage of a request, in any order; none is
	 * admitted
	 * @param waits whether the request still waits for the store
	 * @return the answer, with a decision for every charge
	 */
	Answer acquire(List<Charge> charges, Waits waits);

	/**
	 * Answers every charge as if it came alone, and changes nothing. A store that can't
	 * be reached answers from the buckets that would decide meanwhile, and names another
	 * {@linkplain Answer#source() source}.
	 * @param charges the charges, in any order
	 * @return an answer that is admitted, with a decision for every charge in their order
	 * and the charges on the buckets that would decide them
	 */
	Answer peek(List<Charge> charges);

	/**
	 * Refunds charges: to every bucket the difference that the charge still makes. A
	 * bucket that has been full since gets nothing back. A charge without a receipt adds
	 * its cost, up to the capacity. A store that can't be reached refunds nothing.
	 * @param charges charges that were acquired before, as the answer named them, each at
	 * most once; none is accepted
	 * @param waits whether the request still waits for the store
	 */
	void refund(List<Charge> charges, Waits waits);

	/**
	 * Makes a bucket full.
	 * @param key the bucket; one that the store does not know is full already
	 * @param waits whether the request still waits for the store
	 * @return whether it is done: not if the store can't be reached
	 */
	boolean reset(BucketKey key, Waits waits);

	/**
	 * Makes all buckets of a rule full, one by one. No request waits for that.
	 * @param rule the rule's id
	 * @return whether it is done: not if the store can't be reached, or has so many
	 * buckets that it gave up; those that were met are full
	 */
	boolean resetAll(String rule);

	/**
	 * What operators call it, in meters and in what the management endpoints say.
	 * @return a short name; by default that of the class
	 */
	default String name() {
		return getClass().getSimpleName();
	}

	/**
	 * Finds out how the store is; a store that instances share is asked for that.
	 * @return the status; by default that of a store that always answers
	 */
	default StoreStatus status() {
		return StoreStatus.WELL;
	}

}
