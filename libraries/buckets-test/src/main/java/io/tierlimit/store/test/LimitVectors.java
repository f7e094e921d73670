package io.tierlimit.store.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.TokenBucket;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.json.BasicJsonParser;

/**
 * Sequences of operations with the expected decisions, which were computed in exact
 * fractions, independently of any implementation. The time until the next permit is not
 * compared.
 */
final class LimitVectors {

	private static final List<Case> SINGLE = Stream.of("token-bucket", "fixed-window", "sliding-log")
		.flatMap((algorithm) -> read(algorithm).stream())
		.toList();

	private static final List<MultiBucketCase> SEVERAL = readSeveral();

	private LimitVectors() {
	}

	/**
	 * One bucket.
	 *
	 * @param name the name of the case
	 * @param limit the bucket's limit
	 * @param steps the operations on the bucket
	 */
	record Case(String name, Limit limit, List<Step> steps) {

	}

	/**
	 * One operation on one bucket.
	 *
	 * @param operation acquire, peek, refund or reset
	 * @param now the current time in ticks
	 * @param cost the cost; 0 for a reset
	 * @param answer the expected decision of acquire and peek; {@code null} for other
	 * operations
	 */
	record Step(String operation, long now, long cost, @Nullable Expected answer) {

	}

	/**
	 * Several buckets that are decided together.
	 *
	 * @param name the name of the case
	 * @param limits the buckets' limits
	 * @param steps the requests
	 */
	record MultiBucketCase(String name, List<Limit> limits, List<Request> steps) {

	}

	/**
	 * One request on several buckets.
	 *
	 * @param now the current time in ticks
	 * @param costs one cost per bucket
	 * @param admitted whether the request is admitted
	 * @param answers one decision per bucket
	 */
	record Request(long now, List<Long> costs, boolean admitted, List<Expected> answers) {

	}

	/**
	 * The expected parts of a decision.
	 *
	 * @param allowed whether the bucket has enough permits
	 * @param remaining whole permits left
	 * @param retryAfter ticks, {@link Decision#NEVER} for never
	 * @param reset ticks until the bucket is full
	 */
	record Expected(boolean allowed, long remaining, long retryAfter, long reset) {

		/**
		 * Selects the parts of a decision that are compared.
		 * @param decision a decision
		 * @return the parts that can be compared
		 */
		static Expected of(Decision decision) {
			return new Expected(decision.allowed(), decision.remaining(), decision.retryAfterTicks(),
					decision.resetTicks());
		}

	}

	/**
	 * The cases with one bucket.
	 * @return 76 token buckets, 42 fixed windows and 10 sliding logs
	 */
	static List<Case> single() {
		return SINGLE;
	}

	private static List<Case> read(String algorithm) {
		List<Case> cases = new ArrayList<>();
		for (Object node : tree(algorithm + ".json")) {
			List<Step> steps = list(field(node, "steps")).stream().map((step) -> step(list(step))).toList();
			cases.add(new Case(field(node, "name").toString(), limit(field(node, "limit")), steps));
		}
		return cases;
	}

	/**
	 * The cases with several buckets that are decided together.
	 * @return 40 cases
	 */
	static List<MultiBucketCase> several() {
		return SEVERAL;
	}

	private static List<MultiBucketCase> readSeveral() {
		List<MultiBucketCase> cases = new ArrayList<>();
		for (Object node : tree("several-token-buckets.json")) {
			List<Limit> limits = list(field(node, "limits")).stream().map(LimitVectors::limit).toList();
			List<Request> steps = list(field(node, "steps")).stream().map((step) -> request(list(step))).toList();
			cases.add(new MultiBucketCase(field(node, "name").toString(), limits, steps));
		}
		return cases;
	}

	private static Limit limit(Object node) {
		Rate rate = new Rate(number(field(node, "permits")), ticks(field(node, "period")));
		return switch (field(node, "algorithm").toString()) {
			case "token-bucket" -> new TokenBucket(rate, number(field(node, "burst")));
			case "fixed-window" -> new FixedWindow(rate, number(field(node, "capacity")), ticks(field(node, "start")));
			case "sliding-log" -> new SlidingLog(rate);
			default -> throw new IllegalArgumentException("A vector has an unknown algorithm: " + node);
		};
	}

	private static Duration ticks(Object number) {
		return Duration.of(number(number), ChronoUnit.MICROS);
	}

	private static Step step(List<?> node) {
		long cost = (node.size() > 2) ? number(node.get(2)) : 0;
		Expected answer = (node.size() > 3) ? expected(node, 3) : null;
		return new Step(node.get(0).toString(), number(node.get(1)), cost, answer);
	}

	private static Request request(List<?> node) {
		List<Long> costs = list(node.get(1)).stream().map(LimitVectors::number).toList();
		List<Expected> answers = list(node.get(3)).stream().map((answer) -> expected(list(answer), 0)).toList();
		return new Request(number(node.get(0)), costs, Boolean.parseBoolean(node.get(2).toString()), answers);
	}

	private static Expected expected(List<?> node, int at) {
		String wait = String.valueOf(node.get(at + 2));
		return new Expected(Boolean.parseBoolean(node.get(at).toString()), number(node.get(at + 1)),
				wait.equals("null") ? Decision.NEVER : Long.parseLong(wait), number(node.get(at + 3)));
	}

	private static long number(Object node) {
		return Long.parseLong(node.toString());
	}

	private static List<?> list(Object node) {
		return (List<?>) node;
	}

	private static Object field(Object node, String name) {
		return Objects.requireNonNull(((Map<?, ?>) node).get(name), name);
	}

	// This parser needs no further library. It expects all values on one line.
	private static List<?> tree(String resource) {
		try (InputStream in = LimitVectors.class.getResourceAsStream("vectors/" + resource)) {
			byte[] bytes = Objects.requireNonNull(in, resource).readAllBytes();
			return new BasicJsonParser().parseList(new String(bytes, StandardCharsets.UTF_8).replace("\n", ""));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
