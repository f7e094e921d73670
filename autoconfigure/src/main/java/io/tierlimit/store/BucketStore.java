package io.tierlimit.store;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.limit.Decision;

/**
 * Where buckets live. Every bucket that the store does not know is full.
 * <p>
 * Implementations are safe for use by any number of threads, and each operation takes
 * effect at one moment between its call and its return.
 */
public interface BucketStore {

	/**
	 * Decides all charges together: either every enforced one is taken, or none. Shadow
	 * charges never decide; they are taken as far as their own bucket allows, if the
	 * request is admitted. Charges on the same bucket add up, under the limit of the
	 * first, and get the same decision.
	 * @param charges the charges of one request, in any order
	 * @return the answer, with a decision for every charge
	 */
	Answer acquire(List<Charge> charges);

	/**
	 * Decides all charges together, for a request that may have waited for the store
	 * before. By default as {@link #acquire(List)} does: a store that nobody waits for
	 * needs no more.
	 * @param charges the charges of one stage of a request, in any order
	 * @param waits whether the request still waits for the store; ended by a call that
	 * fails
	 * @return the answer, with a decision for every charge
	 */
	default Answer acquire(List<Charge> charges, Waits waits) {
		return acquire(charges);
	}

	/**
	 * Answers every charge as if it came alone, and spends nothing.
	 * @param charges the charges, in any order
	 * @return one decision a charge, in their order
	 */
	List<Decision> peek(List<Charge> charges);

	/**
	 * Answers as {@link #peek} does, and tells where that was found.
	 * @param charges the charges, in any order
	 * @return one decision a charge, and the charges as they would be decided; by default
	 * by {@link #peek}, in the store proper
	 */
	default Answer look(List<Charge> charges) {
		return new Answer(true, new ArrayList<>(peek(charges)), charges);
	}

	/**
	 * Refunds charges: to every bucket the difference that the charge still makes. A
	 * bucket that has been full since gets nothing back. A charge without a receipt adds
	 * its cost, up to the capacity. A store that can't be reached refunds nothing.
	 * @param charges charges that were acquired before, as the answer named them, each at
	 * most once
	 */
	void refund(List<Charge> charges);

	/**
	 * Refunds charges of a request that may have waited for the store before. By default
	 * as {@link #refund(List)} does.
	 * @param charges charges that were acquired before, as the answer named them, each at
	 * most once
	 * @param waits whether the request still waits for the store; ended by a call that
	 * fails
	 */
	default void refund(List<Charge> charges, Waits waits) {
		refund(charges);
	}

	/**
	 * Makes a bucket full.
	 * @param key the bucket; one that the store does not know is full already
	 * @return whether it is done: not if the store can't be reached
	 */
	boolean reset(BucketKey key);

	/**
	 * Makes a bucket full, for a request that may have waited for the store before. By
	 * default as {@link #reset(BucketKey)} does.
	 * @param key the bucket; one that the store does not know is full already
	 * @param waits whether the request still waits for the store; ended by a call that
	 * fails
	 * @return whether it is done: not if the store can't be reached
	 */
	default boolean reset(BucketKey key, Waits waits) {
		return reset(key);
	}

	/**
	 * Makes all buckets of a rule full, one by one.
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
