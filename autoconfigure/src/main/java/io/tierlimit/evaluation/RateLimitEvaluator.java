package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.tierlimit.evaluation.Verdict.Outcome;
import io.tierlimit.key.Caller;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.KeyResolver;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.rule.Anonymous;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.store.Answer;
import io.tierlimit.store.Answer.Source;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Waits;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.jspecify.annotations.Nullable;

/**
 * Holds a caller against rules, all at once: makes a charge of every rule that holds, has
 * the store decide them together, and words the verdict.
 */
public final class RateLimitEvaluator {

	private static final Log logger = LogFactory.getLog(RateLimitEvaluator.class);

	private final Map<String, KeyResolver> resolvers;

	private final KeyHash hash;

	private final BucketStore store;

	private final OncePerRule failures = new OncePerRule(logger);

	private final OncePerRule hopeless = new OncePerRule(logger);

	private final Set<CompiledRule> variants = ConcurrentHashMap.newKeySet();

	/** Replaced as a whole when a rule is added. */
	private volatile Map<String, CompiledRule> rules;

	/**
	 * Creates an evaluator; parses and looks up all that rules name.
	 * @param rules the rules in force
	 * @param resolvers key resolvers by the scope that they define
	 * @param hash hides parts of keys
	 * @param store where buckets live
	 * @throws IllegalArgumentException if a rule has a scope that there is no resolver
	 * for or an expression that can't be parsed
	 */
	public RateLimitEvaluator(RuleSet rules, Map<String, KeyResolver> resolvers, KeyHash hash, BucketStore store) {
		this.resolvers = Map.copyOf(resolvers);
		this.hash = hash;
		this.store = store;
		Map<String, CompiledRule> compiled = new LinkedHashMap<>();
		rules.rules().forEach((rule) -> compiled.put(rule.id(), compileAnew(rule, List.of())));
		this.rules = compiled;
	}

	/**
	 * Puts one more rule in force.
	 * @param rule a rule with an id of its own
	 * @param arguments names that its key and cost may read of a method's arguments
	 * @return the rule
	 * @throws IllegalArgumentException if there is a rule with that id, or as in the
	 * constructor
	 */
	public synchronized CompiledRule add(Rule rule, Collection<String> arguments) {
		if (this.rules.containsKey(rule.id())) {
			throw new IllegalArgumentException("There is a rule '" + rule.id() + "' already");
		}
		Map<String, CompiledRule> more = new LinkedHashMap<>(this.rules);
		CompiledRule added = compileAnew(rule, arguments);
		more.put(rule.id(), added);
		this.rules = more;
		return added;
	}

	/**
	 * The rules in force.
	 * @return all rules, in the order in which they were given
	 */
	public List<CompiledRule> rules() {
		return List.copyOf(this.rules.values());
	}

	/**
	 * The variants of rules in force.
	 * @return what was compiled beside {@link #rules()} so far, in any order
	 */
	public Set<CompiledRule> variants() {
		return Set.copyOf(this.variants);
	}

	/**
	 * Looks up a rule.
	 * @param id the rule's id
	 * @return the rule, or {@code null} if none in force has that id
	 */
	public @Nullable CompiledRule rule(String id) {
		return this.rules.get(id);
	}

	/**
	 * Makes a variant of a rule in force: the same buckets by another key, or at another
	 * cost.
	 * @param rule the variant, with the id of the rule
	 * @param arguments names that its key and cost may read of a method's arguments
	 * @return the variant, to be evaluated beside rules in force
	 * @throws IllegalArgumentException as in the constructor
	 */
	public CompiledRule compile(Rule rule, Collection<String> arguments) {
		CompiledRule variant = compileAnew(rule, arguments);
		this.variants.add(variant);
		return variant;
	}

	private CompiledRule compileAnew(Rule rule, Collection<String> arguments) {
		return new CompiledRule(rule, arguments, this.resolvers, this.hash, this.failures);
	}

	/**
	 * Decides a request.
	 * @param matched the rules that the request is held against, each at most once
	 * @param caller who asks
	 * @return the verdict; nothing is charged unless it allows the request
	 */
	public Verdict evaluate(List<MatchedRule> matched, Caller caller) {
		return evaluate(matched, caller, new Waits());
	}

	/** Decides a stage of a request that may have waited for the store before. */
	Verdict evaluate(List<MatchedRule> matched, Caller caller, Waits waits) {
		List<Rule> charged = new ArrayList<>(matched.size());
		List<Charge> charges = new ArrayList<>(matched.size());
		for (MatchedRule match : matched) {
			CompiledRule rule = match.rule();
			Limit limit = rule.holds(caller) ? rule.limit(caller) : null;
			if (limit == null) {
				continue;
			}
			Charge charge = rule.charge(limit, caller, match.endpoint());
			if (charge != null) {
				charged.add(rule.rule());
				charges.add(charge);
			}
			else if (denies(rule.rule())) {
				return Verdict.DENIED;
			}
		}
		return charges.isEmpty() ? Verdict.UNLIMITED : verdict(charged, this.store.acquire(charges, waits));
	}

	/** Gives back what a verdict took, and where it was taken. */
	void giveBack(Verdict verdict, Waits waits) {
		List<Charge> taken = new ArrayList<>();
		for (RuleDecision decision : verdict.decisions()) {
			if (verdict.allowed() && decision.decision().allowed()) {
				taken.add(decision.charge());
			}
		}
		if (!taken.isEmpty()) {
			this.store.refund(taken, waits);
		}
	}

	Verdict acquire(List<Claim> claims) {
		List<Rule> charged = new ArrayList<>(claims.size());
		List<Charge> charges = new ArrayList<>(claims.size());
		addCharges(claims, charged, charges);
		return charges.isEmpty() ? Verdict.UNLIMITED : verdict(charged, this.store.acquire(charges));
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
		return verdict(charged, new Answer(admitted, decisions, charges));
	}

	void refund(List<Claim> claims) {
		List<Charge> charges = new ArrayList<>(claims.size());
		addCharges(claims, new ArrayList<>(), charges);
		this.store.refund(charges);
	}

	boolean reset(List<Claim> claims) {
		List<Charge> charges = new ArrayList<>(claims.size());
		addCharges(claims, new ArrayList<>(), charges);
		boolean done = true;
		for (Charge charge : charges) {
			done &= this.store.reset(charge.key());
		}
		return done;
	}

	boolean resetAll(String rule) {
		return this.store.resetAll(compiled(rule).rule().id());
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
		CompiledRule compiled = rule(id);
		if (compiled == null) {
			throw new IllegalArgumentException("Rule '" + id + "' is not one of " + this.rules.keySet());
		}
		return compiled;
	}

	private static boolean denies(Rule rule) {
		return !rule.isShadow() && rule.scope().anonymous() == Anonymous.DENY;
	}

	private Verdict verdict(List<Rule> rules, Answer answer) {
		if (answer.source() == Source.NONE) {
			return Verdict.UNAVAILABLE;
		}
		List<RuleDecision> decisions = new ArrayList<>(rules.size());
		for (int i = 0; i < rules.size(); i++) {
			Charge charge = answer.charges().get(i);
			Decision decision = answer.decisions().get(i);
			if (decision != null) {
				decisions.add(new RuleDecision(rules.get(i), charge, decision));
				warnIfHopeless(rules.get(i), charge, decision);
			}
		}
		return new Verdict(answer.admitted() ? Outcome.ALLOWED : Outcome.REFUSED, decisions);
	}

	private void warnIfHopeless(Rule rule, Charge charge, Decision decision) {
		if (decision.neverPasses()) {
			this.hopeless.warn(rule.id(), "refused a request whose cost is above the capacity of "
					+ charge.limit().capacity() + ": it can never pass");
		}
	}

}
