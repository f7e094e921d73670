package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

import io.tierlimit.AnonymousPolicy;
import io.tierlimit.RuleDecision;
import io.tierlimit.UndecidedRule;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.key.KeyHash;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.spi.AcquireResult;
import io.tierlimit.spi.AcquireResult.Source;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.BucketStore;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.InvalidFactException;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.spi.StoreBudget;
import org.jspecify.annotations.Nullable;

/**
 * Holds a caller against rules, all at once: makes a charge of every rule that holds, has
 * the store decide them together, and words the verdict.
 */
public final class RateLimitEvaluator {

	private static final Verdict DENIED = new Verdict(Outcome.DENIED, List.of());

	private static final Verdict INVALID = new Verdict(Outcome.INVALID, List.of());

	private final Map<String, KeyResolver> resolvers;

	private final KeyHash hash;

	private final BucketStore store;

	private final VerdictPublisher publisher;

	private final WaitQueue waitQueue;

	private final OnceLogger warnings = new OnceLogger(RateLimitEvaluator.class);

	private final Set<CompiledRule> variants = ConcurrentHashMap.newKeySet();

	/** Replaced as a whole when a rule is added. */
	private volatile Map<String, CompiledRule> rules;

	/**
	 * Creates an evaluator; parses and looks up all that rules name.
	 * @param rules the rules in force
	 * @param resolvers key resolvers by the scope that they define
	 * @param hash hides parts of keys
	 * @param store where buckets live
	 * @param publisher notifies observers and listeners
	 * @param waitQueue where requests wait for their permits
	 * @throws IllegalArgumentException if a rule has a scope that there is no resolver
	 * for or an expression that can't be parsed
	 */
	public RateLimitEvaluator(RuleSet rules, Map<String, KeyResolver> resolvers, KeyHash hash, BucketStore store,
			VerdictPublisher publisher, WaitQueue waitQueue) {
		this.resolvers = Map.copyOf(resolvers);
		this.hash = hash;
		this.store = store;
		this.publisher = publisher;
		this.waitQueue = waitQueue;
		Map<String, CompiledRule> compiled = new LinkedHashMap<>();
		rules.rules().forEach((rule) -> compiled.put(rule.id(), compileAnew(rule, List.of())));
		this.rules = compiled;
	}

	/**
	 * Creates an evaluator without listeners, under which nothing waits.
	 * @param rules the rules in force
	 * @param resolvers key resolvers by the scope that they define
	 * @param hash hides parts of keys
	 * @param store where buckets live
	 * @throws IllegalArgumentException if a rule has a scope that there is no resolver
	 * for or an expression that can't be parsed
	 */
	public RateLimitEvaluator(RuleSet rules, Map<String, KeyResolver> resolvers, KeyHash hash, BucketStore store) {
		this(rules, resolvers, hash, store, VerdictPublisher.NONE, WaitQueue.NONE);
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
		return new CompiledRule(rule, arguments, this.resolvers, this.hash, this.warnings);
	}

	/**
	 * Evaluates a request that does not wait, and that nothing completes.
	 * @param matched the rules that apply to the request, each at most once
	 * @param caller the caller
	 * @return the verdict; nothing is charged unless it allows the request
	 */
	public Verdict evaluate(List<MatchedRule> matched, Caller caller) {
		return matched.isEmpty() ? Verdict.UNLIMITED
				: observe(() -> resolve(matched, caller).verdict((ruleCharge) -> ruleCharge,
						(ruleCharges) -> decide(ruleCharges.stream().map(RuleCharge::withoutWaiting).toList(),
								new StoreBudget())));
	}

	WaitQueue waitQueue() {
		return this.waitQueue;
	}

	/** Surrounds an evaluation by the observer. */
	Verdict observe(Supplier<Verdict> evaluation) {
		return this.publisher.observe(evaluation);
	}

	/** Notifies listeners of what was decided for a request or a call. */
	void publish(Verdict verdict, Caller caller) {
		this.publisher.publish(verdict, caller);
	}

	/** Resolves limits, keys and costs, and charges nothing. */
	Resolution resolve(List<MatchedRule> matched, Caller caller) {
		List<RuleCharge> ruleCharges = new ArrayList<>(matched.size());
		for (MatchedRule match : matched) {
			CompiledRule rule = match.rule();
			try {
				Limit limit = rule.appliesTo(caller) ? rule.limit(caller) : null;
				if (limit == null) {
					continue;
				}
				RuleCharge ruleCharge = rule.ruleCharge(limit, caller, match);
				if (ruleCharge != null) {
					ruleCharges.add(ruleCharge);
				}
				else if (denies(rule.rule())) {
					if (!match.preflight()) {
						return new Resolution(DENIED, List.of());
					}
					ruleCharges.add(rule.chargePreflight(caller));
				}
			}
			catch (InvalidFactException ex) {
				if (match.preflight()) {
					ruleCharges.add(rule.chargePreflight(caller));
				}
				else if (!rule.rule().isShadow()) {
					return new Resolution(INVALID, List.of());
				}
			}
		}
		return new Resolution(null, ruleCharges);
	}

	/**
	 * Decides charges, all or nothing. A request that is allowed later has a slot in the
	 * wait queue, and is to wait there.
	 */
	Verdict acquire(List<RuleCharge> ruleCharges, StoreBudget budget) {
		if (ruleCharges.isEmpty()) {
			return Verdict.UNLIMITED;
		}
		if (!this.waitQueue.hasRoom()) {
			return decide(ruleCharges.stream().map(RuleCharge::withoutWaiting).toList(), budget);
		}
		Verdict verdict = decide(ruleCharges, budget);
		if (!verdict.allowed() || verdict.timeToAct().isZero() || this.waitQueue.enter()) {
			return verdict;
		}
		// Other requests were faster, so this one cannot wait.
		refund(verdict.decisions().stream().map(ChargeDecision::of).toList(), budget);
		return decide(ruleCharges.stream().map(RuleCharge::withoutWaiting).toList(), budget);
	}

	private Verdict decide(List<RuleCharge> ruleCharges, StoreBudget budget) {
		return ruleCharges.isEmpty() ? Verdict.UNLIMITED
				: verdict(ruleCharges, this.store.acquire(charges(ruleCharges), budget));
	}

	/**
	 * Refunds what a verdict consumed, where it was consumed. A verdict that only looked
	 * has no receipts.
	 */
	void refund(Verdict verdict) {
		if (verdict.allowed()) {
			refund(verdict.decisions()
				.stream()
				.map(ChargeDecision::of)
				.filter((decision) -> decision.charge().receipt() != null)
				.toList(), new StoreBudget());
		}
	}

	/** Refunds what decisions that stand together have consumed. */
	void refund(List<ChargeDecision> decisions, StoreBudget budget) {
		List<Charge> consumed = new ArrayList<>(decisions.size());
		for (ChargeDecision decision : decisions) {
			if (decision.decision().allowed()) {
				consumed.add(decision.charge());
			}
		}
		if (!consumed.isEmpty()) {
			this.store.refund(consumed, budget);
		}
	}

	/**
	 * Consumes once more what was refunded, from each bucket by itself. No outcome
	 * settles these charges, so rules with conditional charges are left out.
	 */
	void chargeAgain(List<ChargeDecision> refunded, StoreBudget budget) {
		for (ChargeDecision decision : refunded) {
			if (!decision.local() && decision.decision().allowed()
					&& decision.ruleCharge().rule().chargePolicy().isStandard()) {
				this.store.acquire(List.of(decision.charge()), budget);
			}
		}
	}

	/** Decides what a program asks for. */
	Verdict acquire(List<RuleCharge> ruleCharges) {
		if (ruleCharges.isEmpty()) {
			return Verdict.UNLIMITED;
		}
		Verdict verdict = observe(() -> decide(ruleCharges, new StoreBudget()));
		publish(verdict, Caller.UNKNOWN);
		return verdict;
	}

	void add(List<RuleCharge> ruleCharges) {
		this.store.refund(charges(ruleCharges), new StoreBudget());
	}

	/** How buckets stand, each by itself. */
	List<ChargeDecision> look(List<RuleCharge> ruleCharges) {
		return ruleCharges.isEmpty() ? List.of()
				: verdict(ruleCharges, this.store.peek(charges(ruleCharges))).decisions()
					.stream()
					.map(ChargeDecision::of)
					.toList();
	}

	boolean reset(BucketKey key) {
		return this.store.reset(key, new StoreBudget());
	}

	void reset(BucketKey key, StoreBudget budget) {
		this.store.reset(key, budget);
	}

	boolean resetAll(String rule) {
		return this.store.resetAll(compiled(rule).rule().id());
	}

	private static List<Charge> charges(List<RuleCharge> ruleCharges) {
		List<Charge> charges = new ArrayList<>(ruleCharges.size());
		ruleCharges.forEach((ruleCharge) -> charges.add(ruleCharge.charge()));
		return charges;
	}

	CompiledRule compiled(String id) {
		CompiledRule compiled = rule(id);
		if (compiled == null) {
			throw new IllegalArgumentException("Rule '" + id + "' is not one of " + this.rules.keySet());
		}
		return compiled;
	}

	private static boolean denies(Rule rule) {
		return !rule.isShadow() && rule.scope().anonymous() == AnonymousPolicy.DENY;
	}

	private Verdict verdict(List<RuleCharge> ruleCharges, AcquireResult result) {
		List<RuleDecision> decisions = new ArrayList<>(ruleCharges.size());
		List<UndecidedRule> undecided = new ArrayList<>(0);
		if (result.source() == Source.NONE) {
			for (RuleCharge ruleCharge : ruleCharges) {
				if (result.charges().contains(ruleCharge.charge())) {
					undecided.add(new UndecidedCharge(ruleCharge, true));
				}
			}
			return new Verdict(Outcome.UNAVAILABLE, decisions, undecided);
		}
		boolean local = result.source() == Source.FALLBACK;
		for (int i = 0; i < ruleCharges.size(); i++) {
			RuleCharge ruleCharge = ruleCharges.get(i);
			Decision decision = result.decisions().get(i);
			if (decision != null) {
				Charge charge = result.charges().get(i);
				decisions.add(new ChargeDecision(ruleCharge, charge, decision, local));
				warnIfUnsatisfiable(ruleCharge.rule(), charge, decision);
			}
			else if (local) {
				undecided.add(new UndecidedCharge(ruleCharge, false));
			}
		}
		return new Verdict(result.admitted() ? Outcome.ALLOWED : Outcome.REJECTED, decisions, undecided);
	}

	private void warnIfUnsatisfiable(Rule rule, Charge charge, Decision decision) {
		if (decision.neverPasses()) {
			this.warnings.warn("Rule '" + rule.id() + "' rejected a request whose cost is above the capacity of "
					+ charge.limit().capacity() + ": it can never pass");
		}
	}

	/**
	 * What a request is to be charged.
	 *
	 * @param rejection the verdict if the request is rejected before any bucket is asked;
	 * otherwise {@code null}
	 * @param ruleCharges the charges otherwise
	 */
	record Resolution(@Nullable Verdict rejection, List<RuleCharge> ruleCharges) {

		/** Has the charges decided that a selection leaves, in whole or in part. */
		Verdict verdict(Function<RuleCharge, @Nullable RuleCharge> selection,
				Function<List<RuleCharge>, Verdict> decision) {
			if (this.rejection != null) {
				return this.rejection;
			}
			List<RuleCharge> selected = new ArrayList<>(this.ruleCharges.size());
			for (RuleCharge ruleCharge : this.ruleCharges) {
				RuleCharge left = selection.apply(ruleCharge);
				if (left != null) {
					selected.add(left);
				}
			}
			return decision.apply(selected);
		}

	}

}
