package io.tierlimit.evaluation;

import java.time.Duration;

import io.tierlimit.PermitRequest;
import io.tierlimit.RuleDecision;
import io.tierlimit.option.OptionMeter;
import io.tierlimit.option.settlement.ActualCost;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.TestRules;
import org.jspecify.annotations.Nullable;

/**
 * Requests whose actual costs replace an estimate of 10 permits.
 */
abstract class SettledTraffic extends SimulatedTraffic {

	final RecordedCalls recorded = new RecordedCalls(this.store);

	/** A rule with the estimate 10, and 100 permits that are not refilled in a test. */
	static Rule tokens(String actualCost) {
		return tokens(actualCost, null);
	}

	static Rule tokens(String actualCost, @Nullable Long maxDebt) {
		return with(TestRules.rule("r", 100).cost("10"), new ActualCost(actualCost, maxDebt));
	}

	/** The consumed permits, and what the bucket owes. */
	static long consumed(TestEvaluator evaluator) {
		return consumed(evaluator, PermitRequest.of("r"));
	}

	static long consumed(TestEvaluator evaluator, PermitRequest bucket) {
		long day = Duration.ofDays(1).toNanos() / 1000;
		RuleDecision level = evaluator.limiter().peek(bucket.cost(0)).decisions().get(0);
		return -Math.floorDiv(-level.decision().resetTicks(), day);
	}

	static long meter(TestEvaluator evaluator, String name) {
		return (long) evaluator.rule("r")
			.options()
			.meters()
			.stream()
			.filter((meter) -> meter.name().equals(name) && meter.type() == OptionMeter.Type.COUNTER)
			.findFirst()
			.orElseThrow()
			.value()
			.getAsDouble();
	}

}
