package io.tierlimit.store.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.store.StoreListener;

/**
 * What a store told of its calls.
 */
final class CallLog implements StoreListener {

	private final List<CallOutcome> outcomes = Collections.synchronizedList(new ArrayList<>());

	private final AtomicInteger rejections = new AtomicInteger();

	@Override
	public void called(CallOutcome outcome, long nanos) {
		if (nanos < 0) {
			throw new IllegalArgumentException("Nobody waits for " + nanos + " ns");
		}
		this.outcomes.add(outcome);
	}

	@Override
	public void onCachedRejection() {
		this.rejections.incrementAndGet();
	}

	/** What there was since this was asked last. */
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
