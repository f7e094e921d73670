package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.MatchedRule.Handling;
import io.tierlimit.limit.Decision;
import io.tierlimit.option.CallerFacts;
import io.tierlimit.option.ChargeFacts;
import io.tierlimit.option.Terms;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import org.jspecify.annotations.Nullable;

/**
 * The charges for a request.
 *
 * @param rejection the verdict if the request is rejected without looking at a bucket;
 * otherwise {@code null}
 * @param ruleCharges the charges; empty if there is such a verdict
 */
record Resolution(@Nullable Verdict rejection, List<RuleCharge> ruleCharges) {

	private static final Verdict DENIED = new Verdict(Outcome.DENIED, List.of());

	private static final Verdict INVALID = new Verdict(Outcome.INVALID, List.of());

	/** Resolves limits, keys and costs, and charges nothing. */
	static Resolution of(List<MatchedRule> matched, Caller caller) {
		List<RuleCharge> ruleCharges = new ArrayList<>(matched.size());
		CallerFacts callerFacts = new CallerFacts(caller);
		for (MatchedRule match : matched) {
			Verdict rejection = charge(match, callerFacts, ruleCharges);
			if (rejection != null) {
				return new Resolution(rejection, List.of());
			}
		}
		return new Resolution(null, ruleCharges);
	}

	/**
	 * Adds the charges of a rule. Returns a verdict if the rule rejects the request
	 * without looking at a bucket; otherwise {@code null}.
	 */
	private static @Nullable Verdict charge(MatchedRule match, CallerFacts caller, List<RuleCharge> ruleCharges) {
		CompiledRule rule = match.rule();
		try {
			if (!rule.appliesTo(caller.caller())) {
				return null;
			}
			String plan = rule.planOf(caller.caller());
			ChargeFacts facts = rule.facts(caller, plan, match.endpoint());
			Terms terms = rule.terms(facts);
			RuleCharge ruleCharge = terms.charged() ? rule.charge(match, terms, facts, plan, caller.caller()) : null;
			if (ruleCharge != null) {
				rule.add(ruleCharge, ruleCharges);
			}
			else if (terms.charged() && rule.rule().scope().onMissingKey() == MissingKeyPolicy.DENY
					&& rule.rejectsWithoutKey(caller.caller(), terms.block())) {
				return chargeWithoutKey(match, caller.caller(), terms.block(), DENIED, ruleCharges);
			}
			return null;
		}
		catch (InvalidRequestValueException ex) {
			return chargeWithoutKey(match, caller.caller(), block(rule, caller, match.endpoint()), INVALID,
					ruleCharges);
		}
	}

	/**
	 * Handles a request without a value for the key or the cost of a rule: charges the
	 * address of a preflight, and rejects other requests.
	 */
	private static @Nullable Verdict chargeWithoutKey(MatchedRule match, Caller caller, @Nullable Decision block,
			Verdict rejection, List<RuleCharge> ruleCharges) {
		CompiledRule rule = match.rule();
		if (match.handling() == Handling.PREFLIGHT) {
			rule.add(rule.chargeAddress(match, caller, block), ruleCharges);
			return null;
		}
		return rule.rejectsWithoutKey(caller, block) ? rejection : null;
	}

	/** The decision if the caller is blocked, even if other facts are not valid. */
	private static @Nullable Decision block(CompiledRule rule, CallerFacts caller, @Nullable String endpoint) {
		try {
			return rule.terms(rule.facts(caller, null, endpoint)).block();
		}
		catch (InvalidRequestValueException ex) {
			return null;
		}
	}

	/**
	 * The charges that remain after a selection.
	 * @param selection omits or reduces charges; {@code null} if it changes none
	 */
	List<RuleCharge> selected(@Nullable Function<RuleCharge, @Nullable RuleCharge> selection) {
		if (selection == null) {
			return this.ruleCharges;
		}
		List<RuleCharge> selected = new ArrayList<>(this.ruleCharges.size());
		for (RuleCharge ruleCharge : this.ruleCharges) {
			RuleCharge left = selection.apply(ruleCharge);
			if (left != null) {
				selected.add(left);
			}
		}
		return selected;
	}

}
