package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.evaluation.Verdict.Outcome;
import io.tierlimit.key.Caller;
import io.tierlimit.key.KeyResolver;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.rule.Anonymous;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.store.Answer;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.jspecify.annotations.Nullable;

/**
 * Holds a caller against rules, all at once: makes a charge of every rule that holds, has
 * the store decide them together, and words the verdict.
 */
public final class RateLimitEvaluator {

	private static final Log logger = LogFactory.getLog(RateLimitEvaluator.class);

	private final Map<String, CompiledRule> rules = new LinkedHashMap<>();

	private final BucketStore store;

	private final OncePerRule hopeless = new OncePerRule(logger);

	/**
	 * Creates an evaluator; parses and looks up all that rules name.
	 * @param rules the rules in force
	 * @param resolvers key resolvers by the scope that they define
	 * @param store where buckets live
	 * @throws IllegalArgumentException if a rule has a scope that there is no resolver
	 * for or an expression that can't be parsed
	 */
	public RateLimitEvaluator(RuleSet rules, Map<String, KeyResolver> resolvers, BucketStore store) {
		OncePerRule failures = new OncePerRule(logger);
		for (Rule rule : rules.rules()) {
			this.rules.put(rule.id(), new CompiledRule(rule, resolvers, failures));
		}
		this.store = store;
	}

	/**
	 * Decides a request.
	 * @param matched the rules that the request is held against, each at most once, out
	 * of those that the evaluator was created with
	 * @param caller who asks
	 * @return the verdict; nothing is charged unless it allows the request
	 */
	public Verdict evaluate(List<MatchedRule> matched, Caller caller) {
		List<Rule> charged = new ArrayList<>(matched.size());
		List<Charge> charges = new ArrayList<>(matched.size());
		for (MatchedRule match : matched) {
			CompiledRule rule = compiled(match.rule().id());
			Limit limit = rule.holds(caller) ? rule.limit(caller) : null;
			if (limit == null) {
				continue;
			}
			Charge charge = rule.charge(limit, caller, match.path());
			if (charge != null) {
				charged.add(rule.rule());
				charges.add(charge);
			}
			else if (denies(rule.rule())) {
				return Verdict.DENIED;
			}
		}
		return charges.isEmpty() ? Verdict.UNLIMITED : verdict(charged, charges, this.store.acquire(charges));
	}

	Verdict acquire(List<Claim> claims) {
		List<Rule> charged = new ArrayList<>(claims.size());
		List<Charge> charges = new ArrayList<>(claims.size());
		addCharges(claims, charged, charges);
		return charges.isEmpty() ? Verdict.UNLIMITED : verdict(charged, charges, this.store.acquire(charges));
	}

	Verdict peek(List<Claim> claims) {
		List<Rule> charged = new ArrayList<>(claims.size());
		List<Charge> charges = new ArrayList<>(claims.size());
		addCharges(claims, charged, charges);
		List<Decision> decisions = this.store.peek(charges);
		boolean admitted = true;
		for (int i = 0; i < charges.size(); i++) {
			admitted &= charges.get(i).shadow() || decisions.get(i).allowed();
		}
		return verdict(charged, charges, new Answer(admitted, decisions));
	}

	void refund(List<Claim> claims) {
		List<Charge> charges = new ArrayList<>(claims.size());
		addCharges(claims, new ArrayList<>(), charges);
		this.store.refund(charges);
	}

	void reset(List<Claim> claims) {
		List<Charge> charges = new ArrayList<>(claims.size());
		addCharges(claims, new ArrayList<>(), charges);
		charges.forEach((charge) -> this.store.reset(charge.key()));
	}

	private void addCharges(List<Claim> claims, List<Rule> charged, List<Charge> charges) {
		for (Claim claim : claims) {
			CompiledRule rule = compiled(claim.rule());
			Charge charge = rule.charge(claim);
			if (charge != null) {
				charged.add(rule.rule());
				charges.add(charge);
			}
		}
	}

	private CompiledRule compiled(String id) {
		@Nullable CompiledRule compiled = this.rules.get(id);
		if (compiled == null) {
			throw new IllegalArgumentException("Rule '" + id + "' is not one of " + this.rules.keySet());
		}
		return compiled;
	}

	private static boolean denies(Rule rule) {
		return !rule.isShadow() && rule.scope().anonymous() == Anonymous.DENY;
	}

	private Verdict verdict(List<Rule> rules, List<Charge> charges, Answer answer) {
		List<RuleDecision> decisions = new ArrayList<>(charges.size());
		for (int i = 0; i < charges.size(); i++) {
			RuleDecision decision = new RuleDecision(rules.get(i), charges.get(i), answer.decisions().get(i));
			if (decision.decision().neverPasses()) {
				this.hopeless.warn(decision.rule().id(), "refused a request whose cost is above the capacity of "
						+ decision.charge().limit().capacity() + ": it can never pass");
			}
			decisions.add(decision);
		}
		return new Verdict(answer.admitted() ? Outcome.ALLOWED : Outcome.REFUSED, decisions);
	}

}
