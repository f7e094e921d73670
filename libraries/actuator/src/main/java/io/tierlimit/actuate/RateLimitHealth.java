package io.tierlimit.actuate;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.PlanSource;
import io.tierlimit.evaluation.ReloadResult;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.StoreStatus;
import org.jspecify.annotations.Nullable;

/**
 * The details that a health indicator reports about the store and the rules. The status
 * is always up, even while the store or a rule source is unavailable: all instances share
 * the store and the sources, so taking one instance out of service would not help.
 * Without the store, each rule applies its policy; without a source, the previous rules
 * remain active. This is a separate class, since Spring Boot 3.5 and 4 have different
 * types of health indicators.
 *
 * @param rules supplies the current rules
 * @param store stores the buckets
 * @param reloader reads the rules again
 * @param plans has the plans of users
 */
public record RateLimitHealth(ActiveRules rules, BucketStore store, RuleReloader reloader, PlanSource plans) {

	private static final MathContext PERCENT_DIGITS = new MathContext(3);

	/**
	 * Returns whether the store is available and, if it is not, the number of rules with
	 * each policy; the share of every limit that this instance enforces alone while the
	 * store is unavailable, with the number of instances; the last reload of the rules,
	 * if it had problems; and the reason why plans cannot be read.
	 * @return the details by their names, in the order in which they are shown
	 */
	public Map<String, Object> details() {
		StoreStatus status = this.store.status();
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("store", this.store.name());
		details.put("reachable", status.reachable());
		details.put("degraded", !status.reachable());
		if (!status.reachable()) {
			details.put("rulesByStoreFailurePolicy", rulesByStoreFailurePolicy(status.onStoreFailure()));
		}
		StoreStatus.LocalShare localShare = status.localShare();
		if (localShare != null) {
			details.put("localShare", localShare(localShare));
		}
		if (!status.breakers().isEmpty()) {
			details.put("breakers", new TreeMap<>(status.breakers()));
		}
		StoreStatus.Failure failure = status.lastFailure();
		if (failure != null) {
			details.put("lastFailure", Map.of("reason", failure.reason(), "at", failure.at()));
		}
		ReloadResult reload = this.reloader.last();
		if (!reload.problems().isEmpty()) {
			details.put("rules", ReloadDescriptor.of(reload));
		}
		String problem = this.plans.problem();
		if (problem != null) {
			details.put("plans", Map.of("problem", problem));
		}
		return details;
	}

	static Map<String, Object> localShare(StoreStatus.LocalShare localShare) {
		Map<String, Object> described = new LinkedHashMap<>();
		BigDecimal percent = localShare.share().movePointRight(2).round(PERCENT_DIGITS);
		described.put("share", percent.stripTrailingZeros().toPlainString() + "%");
		if (localShare.instances() != null) {
			described.put("instances", localShare.instances());
		}
		if (localShare.problem() != null) {
			described.put("problem", localShare.problem());
		}
		return described;
	}

	/** The number of rules with each policy. */
	private Map<String, Long> rulesByStoreFailurePolicy(@Nullable StoreFailurePolicy defaultPolicy) {
		Map<String, Long> counts = new TreeMap<>();
		for (CompiledRule rule : this.rules.current().all()) {
			counts.merge(onStoreFailure(rule.rule(), defaultPolicy), 1L, Long::sum);
		}
		return counts;
	}

	private static String onStoreFailure(Rule rule, @Nullable StoreFailurePolicy defaultPolicy) {
		StoreFailurePolicy own = rule.options().onStoreFailure();
		StoreFailurePolicy policy = (own != null) ? own : defaultPolicy;
		return (policy != null) ? KebabCase.of(policy) : "unknown";
	}

}
