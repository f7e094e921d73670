package io.tierlimit.evaluation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.rule.AppliesTo;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.BucketKey;

import org.jspecify.annotations.Nullable;

/**
 * What one request has consumed of each bucket: a rule for requests charges a bucket once
 * for each of them, however often the request is forwarded.
 */
final class ConsumedPermits {

	private final Map<BucketKey, Long> permits = new HashMap<>();

	/** Whether a rule has charged the request. */
	boolean isCharged(Rule rule) {
		return this.permits.keySet().stream().anyMatch((bucket) -> bucket.rule().equals(rule.id()));
	}

	/**
	 * What is still to be charged: the whole charge of a bucket that the request has not
	 * consumed from, and of a rule for calls; otherwise the difference to a higher cost.
	 * @return the charge, or {@code null} if there is no difference
	 */
	@Nullable Due missing(Due due) {
		Long consumed = this.permits.get(due.charge().key());
		if (consumed == null || due.rule().selection().appliesTo() != AppliesTo.REQUESTS) {
			return due;
		}
		long difference = due.charge().cost() - consumed;
		return (difference > 0) ? due.costing(difference) : null;
	}

	/** Adds what was consumed. */
	void add(List<Due> dues) {
		dues.forEach((due) -> this.permits.merge(due.charge().key(), due.charge().cost(), Long::sum));
	}

	/** Takes out what a rule was refunded. */
	void remove(Rule rule) {
		this.permits.keySet().removeIf((bucket) -> bucket.rule().equals(rule.id()));
	}

}
