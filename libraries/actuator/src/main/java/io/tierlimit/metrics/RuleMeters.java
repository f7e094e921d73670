package io.tierlimit.metrics;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.tierlimit.RuleOutcome;
import io.tierlimit.metrics.RateLimitMeter.RateLimitTag;
import io.tierlimit.rule.OptionValue.Enforcement;
import io.tierlimit.rule.Rule;

/**
 * The meters of one rule, looked up once.
 */
final class RuleMeters {

	private final MeterRegistry registry;

	private final Rule rule;

	private final Timer waits;

	/** The meters by plan. */
	private final ConcurrentMap<String, PlanMeters> plans = new ConcurrentHashMap<>();

	RuleMeters(MeterRegistry registry, Rule rule) {
		this.registry = registry;
		this.rule = rule;
		this.waits = Timer.builder(RateLimitMeter.WAIT.getName())
			.description("Waits of requests and calls that are delayed")
			.tags(List.of(RateLimitTag.RULE.of(rule.id())))
			.register(registry);
	}

	void time(Duration wait) {
		this.waits.record(wait);
	}

	PlanMeters of(String plan) {
		PlanMeters meters = this.plans.get(plan);
		return (meters != null) ? meters : this.plans.computeIfAbsent(plan, PlanMeters::new);
	}

	/**
	 * The meters of one plan.
	 */
	final class PlanMeters {

		private final ConcurrentMap<RuleOutcome, Counter> outcomes = new ConcurrentHashMap<>();

		private final List<Tag> tags;

		private final Counter nearLimit;

		private PlanMeters(String plan) {
			this.tags = List.of(RateLimitTag.RULE.of(RuleMeters.this.rule.id()),
					RateLimitTag.SCOPE.of(RuleMeters.this.rule.scope().toString()), RateLimitTag.PLAN.of(plan));
			for (RuleOutcome outcome : RuleOutcome.values()) {
				if (isPossible(outcome)) {
					counter(outcome);
				}
			}
			this.nearLimit = Counter.builder(RateLimitMeter.NEAR_LIMIT.getName())
				.description("Charges that left less than 20% of a bucket's capacity")
				.tags(this.tags)
				.register(RuleMeters.this.registry);
		}

		private boolean isPossible(RuleOutcome outcome) {
			Rule rule = RuleMeters.this.rule;
			return switch (outcome) {
				case REJECTED -> !rule.isShadow();
				case SHADOW_REJECTED -> rule.options().enforcement() != Enforcement.ALL;
				default -> true;
			};
		}

		void count(RuleOutcome outcome) {
			counter(outcome).increment();
		}

		/**
		 * The counter of an outcome, which is registered if it is new: a request may end
		 * under the previous rule set, in which the rule had another mode.
		 */
		private Counter counter(RuleOutcome outcome) {
			Counter counter = this.outcomes.get(outcome);
			return (counter != null) ? counter : this.outcomes.computeIfAbsent(outcome, this::register);
		}

		private Counter register(RuleOutcome outcome) {
			return Counter.builder(RateLimitMeter.REQUESTS.getName())
				.description("Requests and calls under every rule that applied to them")
				.tags(this.tags)
				.tags(List.of(RateLimitTag.OUTCOME.of(outcome)))
				.register(RuleMeters.this.registry);
		}

		void countNearLimit() {
			this.nearLimit.increment();
		}

	}

}
