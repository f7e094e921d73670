package io.tierlimit.sample.operations;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Counts the responses of customers by the meters that the shop should report.
 */
final class Tally {

	/** Rules that distinguish the plan {@code pro}. */
	private static final Set<String> WITH_PLANS = Set.of("per-user", "per-plan");

	/** Rules that reject customers before authentication. */
	private static final List<String> FIRST_STAGE = List.of("per-address", "search");

	/**
	 * The number of requests that the shadow rule {@code bulk-reading} applies to, which
	 * headers do not show.
	 */
	private static final int READS = 10;

	private final Map<String, Double> requests = new TreeMap<>();

	private final Map<String, Double> nearLimit = new TreeMap<>();

	/** The rules in the headers of an allowed request, by the kind of request. */
	private final Map<String, Set<String>> shown = new HashMap<>();

	private final Map<String, Integer> local = new HashMap<>();

	private int reads;

	private int evaluations;

	private int decidedWithoutStore;

	private int onCachedRejection;

	/**
	 * Counts a response.
	 * @param user the user, or empty for an anonymous caller
	 * @param address the client address
	 * @param path the path of the request
	 * @param answer the response
	 */
	void add(String user, String address, String path, Answer answer) {
		this.evaluations += (answer.isDenied() || FIRST_STAGE.stream().anyMatch(answer.violated()::contains)) ? 1 : 2;
		this.decidedWithoutStore += (answer.isDenied() || answer.isLocal()) ? 1 : 0;
		if (answer.isDenied()) {
			count("login-failures-per-account other store-denied");
			count("login-failures-per-address other store-denied");
			return;
		}
		if (answer.isLocal()) {
			this.local.merge(address, 1, Integer::sum);
			count("shop other store-allowed");
			count("generous other store-allowed");
			count("generous.candidate other store-allowed");
		}
		else if (answer.isRejected()) {
			// A rejection without a call to Redis shows no other rule.
			boolean all = this.shown.get(user + path).equals(answer.capacities().keySet());
			this.onCachedRejection += all ? 0 : 1;
		}
		else {
			this.shown.put(user + path, answer.capacities().keySet());
		}
		answer.capacities().keySet().forEach((rule) -> count(rule, user, answer));
		if (path.matches("/api/products/\\d+")) {
			countRead();
		}
		else if (path.equals("/api/imports")) {
			countImport();
		}
	}

	private void count(String rule, String user, Answer answer) {
		String plan = (user.equals("paula") && WITH_PLANS.contains(rule)) ? "pro" : "other";
		String outcome = answer.isLocal() ? "store-local" : "allowed";
		count(rule + " " + plan + " " + (answer.violated().contains(rule) ? "rejected" : outcome));
		if (answer.isNearLimit(rule)) {
			this.nearLimit.merge(rule + " " + plan, 1.0, Double::sum);
		}
		if (rule.equals("shop")) {
			// They apply to all requests of the shop.
			count("generous other allowed");
			count("generous.candidate other allowed");
		}
	}

	private void countRead() {
		this.reads++;
		count("bulk-reading other " + ((this.reads <= READS) ? "allowed" : "shadow-rejected"));
		if (this.reads <= READS && 5 * (READS - this.reads) < READS) {
			this.nearLimit.merge("bulk-reading other", 1.0, Double::sum);
		}
	}

	/** Two batches whose permits are available, and one that is reserved. */
	private void countImport() {
		count("imports other allowed");
		count("imports other allowed");
		count("imports other delayed");
		this.nearLimit.merge("imports other", 2.0, Double::sum);
		this.evaluations += 3;
	}

	private void count(String series) {
		this.requests.merge(series, 1.0, Double::sum);
	}

	/** The numbers of requests by rule, plan and outcome. */
	Map<String, Double> requests() {
		return this.requests;
	}

	/** The numbers of requests near the limit, by rule and plan. */
	Map<String, Double> nearLimit() {
		return this.nearLimit;
	}

	/** Requests for which Redis was required, but was not available. */
	int decidedWithoutStore() {
		return this.decidedWithoutStore;
	}

	int onCachedRejection() {
		return this.onCachedRejection;
	}

	/** Stages of requests that rules applied to. */
	int evaluations() {
		return this.evaluations;
	}

	/** Requests from an address that the shop decided without Redis. */
	int local(String address) {
		return this.local.getOrDefault(address, 0);
	}

}
