package io.tierlimit.actuate;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A current rule.
 *
 * @param id the rule's id
 * @param origin where the rule is defined: a file and line, an annotation, or code
 * @param summary the rule in one line
 * @param mode {@code enforce} or {@code shadow}
 * @param scope the names of the scopes, and {@code key} for a key expression, joined by
 * {@code +}; {@code global} for none
 * @param keyParts the parts of a bucket's key, in their order, except for the plan
 * @param limit the limit of callers without a listed plan
 * @param plans the limits of the listed plans
 * @param cost permits that a request consumes: a number or an expression
 * @param appliesTo what the rule limits: requests, or code that names the rule
 * @param paths path patterns that select requests; empty: all
 * @param excludePaths path patterns of requests that are excluded
 * @param methods HTTP methods that select requests; empty: all
 * @param onMissingKey the policy for callers without a value that the key needs
 * @param headers whether headers show the rule
 * @param onStoreFailure the policy while the store is not available; {@code null} for the
 * configured default
 * @param options the other options that the rule sets, by name
 * @param totals the number of requests since this instance started, by outcome; without
 * outcomes that have not occurred
 */
record RuleDescriptor(String id, String origin, String summary, String mode, String scope, List<String> keyParts,
		LimitDescriptor limit, Map<String, LimitDescriptor> plans, String cost, String appliesTo,
		Collection<String> paths, Collection<String> excludePaths, Collection<String> methods, String onMissingKey,
		String headers, @Nullable String onStoreFailure, @JsonAnyGetter Map<String, Object> options,
		Map<String, Long> totals) implements OperationResponseBody {

	static RuleDescriptor of(CompiledRule compiled, String summary, String origin, RuleTotals allTotals) {
		Rule rule = compiled.rule();
		Map<String, LimitDescriptor> plans = new TreeMap<>();
		rule.limits().plans().forEach((plan, limit) -> plans.put(plan, LimitDescriptor.of(limit)));
		Map<String, Long> counts = new TreeMap<>();
		allTotals.of(rule.id()).forEach((outcome, count) -> counts.put(KebabCase.of(outcome), count));
		StoreFailurePolicy onStoreFailure = rule.options().onStoreFailure();
		return new RuleDescriptor(rule.id(), origin, summary, KebabCase.of(rule.options().mode()),
				rule.scope().toString(), compiled.key().names(), LimitDescriptor.of(rule.limits().standard()), plans,
				rule.cost(), KebabCase.of(rule.selection().appliesTo()), rule.selection().paths(),
				rule.selection().excludePaths(), rule.selection().methods(), KebabCase.of(rule.scope().onMissingKey()),
				KebabCase.of(rule.options().visibility()),
				(onStoreFailure != null) ? KebabCase.of(onStoreFailure) : null, options(compiled), counts);
	}

	/** The options. A rule that does not set an option is shown with the default. */
	private static Map<String, Object> options(CompiledRule compiled) {
		Map<String, Object> options = new LinkedHashMap<>();
		options.put("chargeOn", List.of("always"));
		options.put("resetOn", List.of());
		compiled.options().describe(options);
		return options;
	}

}
