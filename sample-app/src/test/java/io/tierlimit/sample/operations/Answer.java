package io.tierlimit.sample.operations;

import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The response to a customer.
 *
 * @param status the status
 * @param capacities the capacities of all rules that were evaluated
 * @param left the remaining permits by rule; for a rejection, only of violated rules
 * @param violated the violated rules
 */
record Answer(int status, Map<String, Long> capacities, Map<String, Long> left, Set<String> violated) {

	private static final Pattern CAPACITY = Pattern.compile("\"([^\"]+)\";q=(\\d+)");

	private static final Pattern LEFT = Pattern.compile("\"([^\"]+)\";r=(\\d+)");

	private static final Pattern VIOLATED = Pattern.compile("\"violated-policies\":\\[([^]]*)]");

	static Answer of(HttpResponse<String> response) {
		Set<String> violated = new TreeSet<>();
		Matcher policies = VIOLATED.matcher(response.body());
		if (policies.find()) {
			Matcher rules = Pattern.compile("[^\",]+").matcher(policies.group(1));
			while (rules.find()) {
				violated.add(rules.group());
			}
		}
		return new Answer(response.statusCode(), read(response, "RateLimit-Policy", CAPACITY),
				read(response, "RateLimit", LEFT), violated);
	}

	private static Map<String, Long> read(HttpResponse<String> response, String field, Pattern item) {
		Map<String, Long> numbers = new TreeMap<>();
		Matcher items = item.matcher(response.headers().firstValue(field).orElse(""));
		while (items.find()) {
			numbers.put(items.group(1), Long.valueOf(items.group(2)));
		}
		return numbers;
	}

	boolean isRejected() {
		return this.status == 429;
	}

	/** Whether the store was not available, and the rule rejected the request. */
	boolean isDenied() {
		return this.status == 503;
	}

	/**
	 * Whether the response shows that Redis was unavailable: rules per address are
	 * decided by this instance, but the rule of the shop allows all requests then, and is
	 * not shown.
	 */
	boolean isLocal() {
		return this.capacities.containsKey("per-address") && !this.capacities.containsKey("shop");
	}

	boolean isNearLimit(String rule) {
		return !isRejected() && 5 * this.left.get(rule) < this.capacities.get(rule);
	}

}
