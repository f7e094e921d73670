package io.tierlimit.limit;

import java.io.InputStream;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.jspecify.annotations.Nullable;

/**
 * Sequences with their answers, computed in exact fractions apart from any
 * implementation. An answer has no next permit: the vectors say nothing of it.
 */
public final class LimitVectors {

	private LimitVectors() {
	}

	/**
	 * One bucket.
	 *
	 * @param name what identifies the case
	 * @param limit the bucket's limit
	 * @param steps what happens to the bucket
	 */
	public record Case(String name, Limit limit, List<Step> steps) {

	}

	/**
	 * One thing that happens to one bucket.
	 *
	 * @param operation acquire, peek, refund or reset
	 * @param now the moment in ticks
	 * @param cost the cost; 0 for a reset
	 * @param answer what acquire and peek must say; {@code null} for the rest
	 */
	public record Step(String operation, long now, long cost, @Nullable Expected answer) {

	}

	/**
	 * Several buckets that are decided together.
	 *
	 * @param name what identifies the case
	 * @param limits the buckets' limits
	 * @param steps the requests
	 */
	public record Together(String name, List<Limit> limits, List<Request> steps) {

	}

	/**
	 * One request on several buckets.
	 *
	 * @param now the moment in ticks
	 * @param costs one cost a bucket
	 * @param admitted whether the request passes
	 * @param answers one answer a bucket
	 */
	public record Request(long now, List<Long> costs, boolean admitted, List<Expected> answers) {

	}

	/**
	 * What the vectors say of a decision.
	 *
	 * @param allowed whether the bucket has enough permits
	 * @param remaining whole permits left
	 * @param retryAfter ticks, {@link Decision#NEVER} for never
	 * @param reset ticks until the bucket is full
	 */
	public record Expected(boolean allowed, long remaining, long retryAfter, long reset) {

		/**
		 * The part of a decision that the vectors know.
		 * @param decision a decision
		 * @return what can be compared
		 */
		public static Expected of(Decision decision) {
			return new Expected(decision.allowed(), decision.remaining(), decision.retryAfterTicks(),
					decision.resetTicks());
		}

	}

	/**
	 * The cases with one bucket.
	 * @return 76 token buckets, 42 fixed windows and 10 sliding logs
	 */
	public static List<Case> single() {
		List<Case> cases = new ArrayList<>(read("token-bucket"));
		cases.addAll(read("fixed-window"));
		cases.addAll(read("sliding-log"));
		return cases;
	}

	private static List<Case> read(String algorithm) {
		List<Case> cases = new ArrayList<>();
		for (JsonNode node : tree("/vectors/" + algorithm + ".json")) {
			List<Step> steps = new ArrayList<>();
			for (JsonNode step : node.get("steps")) {
				steps.add(step(step));
			}
			cases.add(new Case(node.get("name").asString(), limit(node.get("limit")), steps));
		}
		return cases;
	}

	/**
	 * The cases with several buckets that are decided together.
	 * @return 40 cases
	 */
	public static List<Together> several() {
		List<Together> cases = new ArrayList<>();
		for (JsonNode node : tree("/vectors/several-token-buckets.json")) {
			List<Limit> limits = new ArrayList<>();
			for (JsonNode limit : node.get("limits")) {
				limits.add(limit(limit));
			}
			List<Request> steps = new ArrayList<>();
			for (JsonNode step : node.get("steps")) {
				steps.add(request(step));
			}
			cases.add(new Together(node.get("name").asString(), limits, steps));
		}
		return cases;
	}

	private static Limit limit(JsonNode node) {
		Rate rate = new Rate(node.get("permits").asLong(), ticks(node.get("period")));
		if (node.has("capacity")) {
			return new FixedWindow(rate, node.get("capacity").asLong(), ticks(node.get("start")));
		}
		return node.has("burst") ? new TokenBucket(rate, node.get("burst").asLong()) : new SlidingLog(rate);
	}

	private static Duration ticks(JsonNode number) {
		return Duration.of(number.asLong(), ChronoUnit.MICROS);
	}

	private static Step step(JsonNode node) {
		long cost = (node.size() > 2) ? node.get(2).asLong() : 0;
		Expected answer = (node.size() > 3) ? expected(node, 3) : null;
		return new Step(node.get(0).asString(), node.get(1).asLong(), cost, answer);
	}

	private static Request request(JsonNode node) {
		List<Long> costs = new ArrayList<>();
		for (JsonNode cost : node.get(1)) {
			costs.add(cost.asLong());
		}
		List<Expected> answers = new ArrayList<>();
		for (JsonNode answer : node.get(3)) {
			answers.add(expected(answer, 0));
		}
		return new Request(node.get(0).asLong(), costs, node.get(2).asBoolean(), answers);
	}

	private static Expected expected(JsonNode node, int at) {
		JsonNode wait = node.get(at + 2);
		return new Expected(node.get(at).asBoolean(), node.get(at + 1).asLong(),
				wait.isNull() ? Decision.NEVER : wait.asLong(), node.get(at + 3).asLong());
	}

	private static JsonNode tree(String resource) {
		InputStream in = LimitVectors.class.getResourceAsStream(resource);
		return JsonMapper.shared().readTree(Objects.requireNonNull(in, resource));
	}

}
