package io.tierlimit.store.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.store.StoreListener;

/**
 * Records the calls of a store.
 */
final class CallLog implements StoreListener {

	private final List<CallOutcome> outcomes = Collections.synchronizedList(new ArrayList<>());

	private final AtomicInteger rejections = new AtomicInteger();

	private final AtomicInteger lostHolders = new AtomicInteger();

	@Override
	public void onCall(CallOutcome outcome, long nanos) {
		if (nanos < 0) {
			throw new IllegalArgumentException("Invalid wait of " + nanos + " ns");
		}
		this.outcomes.add(outcome);
	}

	@Override
	public void onCachedRejection() {
		this.rejections.incrementAndGet();
	}

	@Override
	public void onLostHolder(String rule) {
		this.lostHolders.incrementAndGet();
	}

	int lostHolders() {
		return this.lostHolders.get();
	}

	/** The calls since this method was last called. */
	List<CallOutcome> next() {
		synchronized (this.outcomes) {
			List<CallOutcome> next = List.copyOf(this.outcomes);
			this.outcomes.clear();
			return next;
		}
	}

	int cachedRejections() {
		return this.rejections.get();
	}

}
