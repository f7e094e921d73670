package io.tierlimit.benchmarks.web;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A limit for one purpose: buckets without keys, and headers with names and rules that
 * are written in the code.
 */
final class WrittenByHand {

	private static final String[] POLICIES = { "", "\"tier-0\";q=100;w=1", "", "",
			"\"tier-0\";q=100;w=1, \"tier-1\";q=100;w=1, \"tier-2\";q=100;w=1, \"tier-3\";q=100;w=1" };

	private final AtomicLong[] fullAt = { new AtomicLong(), new AtomicLong(), new AtomicLong(), new AtomicLong() };

	int serve(int tiers, int status, PlainResponse response) {
		StringBuilder limits = new StringBuilder(tiers * 20);
		for (int i = 0; i < tiers; i++) {
			long now = System.nanoTime();
			long before = this.fullAt[i].get();
			long after = Math.max(before, now) + 1;
			this.fullAt[i].compareAndSet(before, after);
			limits.append("\"tier-").append(i).append("\";r=").append(after - now).append(";t=1");
		}
		if (tiers > 0) {
			response.setHeader("RateLimit-Policy", POLICIES[tiers]);
			response.setHeader("RateLimit", limits.toString());
			response.setHeader("RateLimit-Limit", "100");
			response.setHeader("RateLimit-Remaining", Integer.toString(limits.length()));
			response.setHeader("RateLimit-Reset", "1");
		}
		response.setStatus(status);
		return status;
	}

}
