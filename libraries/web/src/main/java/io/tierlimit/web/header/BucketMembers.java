package io.tierlimit.web.header;

import java.util.LinkedHashMap;
import java.util.Map;

import io.tierlimit.RuleDecision;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Decision;

/**
 * Describes the level of a bucket as members of a JSON object: the same numbers as in the
 * headers of one rule, and the wait if no permit is left. The level of a
 * {@link Concurrency} limit has no times, because it is not known when permits are
 * released.
 */
public final class BucketMembers {

	private BucketMembers() {
	}

	/**
	 * Describes a bucket.
	 * @param bucket the decision on a cost of 0
	 * @return the members by name: times in seconds, rounded up
	 */
	public static Map<String, Object> of(RuleDecision bucket) {
		Decision decision = bucket.decision();
		String plan = bucket.plan();
		Map<String, Object> members = new LinkedHashMap<>();
		members.put("rule", bucket.rule());
		if (plan != null) {
			members.put("plan", plan);
		}
		members.put("limit", bucket.limit().capacity());
		members.put("remaining", decision.remaining());
		if (bucket.limit().algorithm().holdsPermits()) {
			return members;
		}
		members.put("reset", RateLimitHeaders.seconds(decision.resetTicks()));
		if (decision.remaining() == 0) {
			members.put("retry-after", RateLimitHeaders.secondsAtLeastOne(decision.nextPermitTicks()));
		}
		return members;
	}

}
