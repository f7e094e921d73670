package io.tierlimit.actuate;

import java.util.Map;
import java.util.TreeMap;

import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.BucketStore;
import io.tierlimit.spi.StoreStatus;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Reports the health of the store. The status is up even while the store is not
 * available: all instances share the store, so taking one instance out of service would
 * not help. Each rule defines a policy for this case. The details show whether the store
 * is available, and the number of rules with each policy.
 */
public final class RateLimitHealthIndicator extends AbstractHealthIndicator {

	private final RateLimitEvaluator evaluator;

	private final BucketStore store;

	/**
	 * Creates an indicator.
	 * @param evaluator has the rules
	 * @param store stores the buckets
	 */
	public RateLimitHealthIndicator(RateLimitEvaluator evaluator, BucketStore store) {
		this.evaluator = evaluator;
		this.store = store;
	}

	@Override
	protected void doHealthCheck(Health.Builder health) {
		StoreStatus status = this.store.status();
		health.up()
			.withDetail("store", this.store.name())
			.withDetail("reachable", status.reachable())
			.withDetail("degraded", !status.reachable());
		if (!status.reachable()) {
			health.withDetail("rulesByStoreFailurePolicy", rulesByStoreFailurePolicy(status.onFailure()));
		}
		if (!status.breakers().isEmpty()) {
			health.withDetail("breakers", new TreeMap<>(status.breakers()));
		}
		StoreStatus.Failure failure = status.lastFailure();
		if (failure != null) {
			health.withDetail("lastFailure", Map.of("reason", failure.reason(), "at", failure.at()));
		}
	}

	/** The number of rules with each policy. */
	private Map<String, Long> rulesByStoreFailurePolicy(@Nullable StoreFailurePolicy defaultPolicy) {
		Map<String, Long> counts = new TreeMap<>();
		for (CompiledRule rule : this.evaluator.rules()) {
			counts.merge(onFailure(rule.rule(), defaultPolicy), 1L, Long::sum);
		}
		return counts;
	}

	private static String onFailure(Rule rule, @Nullable StoreFailurePolicy defaultPolicy) {
		StoreFailurePolicy own = rule.options().store().onFailure();
		StoreFailurePolicy policy = (own != null) ? own : defaultPolicy;
		return (policy != null) ? KebabCase.of(policy) : "unknown";
	}

}
