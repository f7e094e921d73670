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
 * The health of the store. The status is also up while the store is not available. All
 * instances share the store, so it would not help to take one out of service, and each
 * rule defines what happens without the store. The details show this.
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
			health.withDetail("rulesGoOn", rulesGoOn(status.onFailure()));
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
	private Map<String, Long> rulesGoOn(@Nullable StoreFailurePolicy standard) {
		Map<String, Long> counts = new TreeMap<>();
		for (CompiledRule rule : this.evaluator.rules()) {
			counts.merge(onFailure(rule.rule(), standard), 1L, Long::sum);
		}
		return counts;
	}

	private static String onFailure(Rule rule, @Nullable StoreFailurePolicy standard) {
		StoreFailurePolicy own = rule.options().store().onFailure();
		StoreFailurePolicy policy = (own != null) ? own : standard;
		return (policy != null) ? KebabCase.of(policy) : "unknown";
	}

}
