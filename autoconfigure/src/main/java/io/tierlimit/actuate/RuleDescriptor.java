package io.tierlimit.actuate;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.tierlimit.RuleOutcome;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.option.adaptive.AdaptiveRate;
import io.tierlimit.option.schedule.ActiveSchedule;
import io.tierlimit.rule.ChargePolicy;
import io.tierlimit.rule.EnforcedShare;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.OutcomeCondition;
import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A rule in force.
 *
 * @param id the rule's id
 * @param origin where it was written: a file and line, an annotation, or code
 * @param mode {@code enforce} or {@code shadow}
 * @param scope the names of the scopes, and {@code key} for a key expression, joined by
 * {@code +}; {@code global} for none
 * @param keyParts the parts of a bucket's key, in their order, except for the plan
 * @param limit the limit of callers without a plan that the rule lists
 * @param plans the limits of the listed plans
 * @param cost permits that a request consumes: a number or an expression
 * @param charge the outcomes of requests that are charged, or {@code always}
 * @param resetOn the outcomes that reset the bucket
 * @param appliesTo {@code requests} or {@code methods}
 * @param paths path patterns that select requests; empty: all
 * @param excludePaths path patterns of requests that are excluded
 * @param methods HTTP methods that select requests; empty: all
 * @param condition an expression that selects callers, or {@code null}
 * @param anonymous the policy for callers without a value that the key needs
 * @param headers whether headers show the rule
 * @param onStoreFailure the policy while the store is not available; {@code null} for the
 * configured default
 * @param maxReserved the maximum debt of a bucket, in permits; {@code null} for none
 * @param maxWait how long requests may wait; {@code null} if they do not wait
 * @param ban when callers are banned; {@code null} for never
 * @param enforcePercent the share of the keys for which the rule rejects requests, in
 * percent; {@code null} for all
 * @param active when the rule applies; {@code null} for all times
 * @param candidate the candidate and its decisions; {@code null} for none
 * @param candidateOf the id of the rule that this is the candidate of; {@code null} for
 * none
 * @param adaptive when the rate is reduced, and by how much; {@code null} for a constant
 * rate
 * @param totals the number of requests since this instance started, by outcome; without
 * outcomes that have not occurred
 */
record RuleDescriptor(String id, String origin, String mode, String scope, List<String> keyParts, LimitDescriptor limit,
		Map<String, LimitDescriptor> plans, String cost, List<String> charge, List<String> resetOn, String appliesTo,
		Collection<String> paths, Collection<String> excludePaths, Collection<String> methods,
		@Nullable String condition, String anonymous, String headers, @Nullable String onStoreFailure,
		@Nullable Long maxReserved, @Nullable Duration maxWait, @Nullable BanPolicyDescriptor ban,
		@Nullable Double enforcePercent, @Nullable ActiveDescriptor active, @Nullable CandidateDescriptor candidate,
		@Nullable String candidateOf, @Nullable AdaptiveDescriptor adaptive,
		Map<String, Long> totals) implements OperationResponseBody {

	static RuleDescriptor of(CompiledRule compiled, String origin, RuleTotals allTotals) {
		Rule rule = compiled.rule();
		Map<RuleOutcome, Long> totals = allTotals.of(rule.id());
		CompiledRule compared = compiled.candidate();
		CandidateDescriptor candidate = (compared != null) ? CandidateDescriptor.of(compared.rule().id(), allTotals)
				: null;
		ActiveDescriptor active = ActiveDescriptor.of(compiled.option(ActiveSchedule.class));
		Map<String, LimitDescriptor> plans = new TreeMap<>();
		rule.limits().plans().forEach((plan, limit) -> plans.put(plan, LimitDescriptor.of(limit)));
		Map<String, Long> counts = new TreeMap<>();
		totals.forEach((outcome, count) -> counts.put(KebabCase.of(outcome), count));
		StoreFailurePolicy onFailure = rule.options().store().onFailure();
		long maxReserved = rule.reservations().maxReserved();
		Duration maxWait = rule.reservations().maxWait();
		EnforcedShare share = rule.options().rollout().share();
		return new RuleDescriptor(rule.id(), origin, KebabCase.of(rule.options().mode()), rule.scope().toString(),
				compiled.key().names(), LimitDescriptor.of(rule.limits().standard()), plans, rule.cost(), charge(rule),
				words(rule.chargePolicy().resetOn()), KebabCase.of(rule.selection().appliesTo()),
				rule.selection().paths(), rule.selection().excludePaths(), rule.selection().methods(),
				rule.selection().condition(), KebabCase.of(rule.scope().anonymous()),
				KebabCase.of(rule.options().visibility()), (onFailure != null) ? KebabCase.of(onFailure) : null,
				(maxReserved > 0) ? maxReserved : null, maxWait.isZero() ? null : maxWait,
				BanPolicyDescriptor.of(rule.options().ban()), share.equals(EnforcedShare.ALL) ? null : share.percent(),
				active, candidate, rule.options().rollout().candidateOf(),
				AdaptiveDescriptor.of(compiled.option(AdaptiveRate.class)), counts);
	}

	private static List<String> charge(Rule rule) {
		List<OutcomeCondition> charge = rule.chargePolicy().charge();
		return charge.isEmpty() ? List.of(ChargePolicy.ALWAYS) : words(charge);
	}

	private static List<String> words(List<OutcomeCondition> conditions) {
		return conditions.stream().map(OutcomeCondition::toString).toList();
	}

}
