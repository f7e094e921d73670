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
import java.util.function.LongConsumer;
import java.util.stream.Stream;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;

import org.springframework.boot.json.BasicJsonParser;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Operations on one or several buckets with the expected decisions, which were computed
 * in exact fractions, independently of any implementation. All times are absolute. The
 * time until the next permit is not compared.
 *
 * @param name the name of the vector
 * @param limits the limits of the buckets
 * @param steps the operations
 */
record LimitVector(String name, List<Limit> limits, List<Step> steps) {

	private static final List<LimitVector> ALL = Stream
		.of("token-bucket", "fixed-window", "sliding-log", "several-token-buckets")
		.flatMap((file) -> tree(file + ".json").stream())
		.map(LimitVector::of)
		.toList();

	/**
	 * All vectors.
	 * @return 76 token buckets, 42 fixed windows, 10 sliding logs, and 40 times several
	 * token buckets
	 */
	static List<LimitVector> all() {
		return ALL;
	}

	/**
	 * Compares the results of a store.
	 * @param store a store in which the buckets are full
	 * @param clock sets the clock of the store
	 */
	void replay(BucketStore store, LongConsumer clock) {
		for (Step step : this.steps) {
			clock.accept(step.now);
			List<Charge> charges = new ArrayList<>();
			for (int i = 0; i < this.limits.size(); i++) {
				BucketKey key = new BucketKey("vector " + i, this.name);
				charges.add(new Charge(key, this.limits.get(i), step.costs.get(i)));
			}
			switch (step.operation) {
				case "acquire" -> {
					AcquireResult result = store.acquire(charges, new StoreFailureFlag());
					assertThat(result.admitted()).as("%s", step).isEqualTo(step.admitted);
					step.check(result);
				}
				case "peek" -> step.check(store.peek(charges));
				case "refund" -> store.refund(charges, new StoreFailureFlag());
				case "reset" -> store.reset(charges.get(0).key(), new StoreFailureFlag());
				default -> throw new IllegalArgumentException("A vector has the unknown operation " + step.operation);
			}
		}
	}

	/**
	 * An operation.
	 *
	 * @param operation acquire, peek, refund or reset
	 * @param now the current time in ticks
	 * @param costs one cost for each bucket
	 * @param admitted whether an acquire is admitted
	 * @param answers the expected decisions of acquire and peek
	 */
	record Step(String operation, long now, List<Long> costs, boolean admitted, List<Expected> answers) {

		void check(AcquireResult result) {
			assertThat(result.decisions().stream().map(Expected::of)).as("%s", this)
				.containsExactlyElementsOf(this.answers);
		}

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

		static Expected of(Decision decision) {
			return new Expected(decision.allowed(), decision.remaining(), decision.retryAfterTicks(),
					decision.resetTicks());
		}

	}

	private static LimitVector of(Object node) {
		Map<?, ?> fields = (Map<?, ?>) node;
		boolean several = fields.containsKey("limits");
		List<?> limits = several ? list(field(node, "limits")) : List.of(field(node, "limit"));
		return new LimitVector(field(node, "name").toString(), limits.stream().map(LimitVector::limit).toList(),
				list(field(node, "steps")).stream()
					.map((step) -> several ? together(list(step)) : alone(list(step)))
					.toList());
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

	private static Step alone(List<?> node) {
		long cost = (node.size() > 2) ? number(node.get(2)) : 0;
		List<Expected> answers = (node.size() > 3) ? List.of(expected(node.subList(3, 7))) : List.of();
		return new Step(node.get(0).toString(), number(node.get(1)), List.of(cost),
				answers.stream().allMatch(Expected::allowed), answers);
	}

	private static Step together(List<?> node) {
		return new Step("acquire", number(node.get(0)), list(node.get(1)).stream().map(LimitVector::number).toList(),
				Boolean.parseBoolean(node.get(2).toString()),
				list(node.get(3)).stream().map((answer) -> expected(list(answer))).toList());
	}

	private static Expected expected(List<?> node) {
		String wait = String.valueOf(node.get(2));
		return new Expected(Boolean.parseBoolean(node.get(0).toString()), number(node.get(1)),
				wait.equals("null") ? Decision.NEVER : Long.parseLong(wait), number(node.get(3)));
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
		try (InputStream in = LimitVector.class.getResourceAsStream("vectors/" + resource)) {
			byte[] bytes = Objects.requireNonNull(in, resource).readAllBytes();
			return new BasicJsonParser().parseList(new String(bytes, StandardCharsets.UTF_8).replace("\n", ""));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
