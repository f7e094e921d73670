package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.tierlimit.evaluation.Verdict.Outcome;
import io.tierlimit.key.Caller;
import io.tierlimit.key.InvalidFactException;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.KeyResolver;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.rule.Anonymous;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.store.Answer;
import io.tierlimit.store.Answer.Source;
import io.tierlimit.store.BucketKey;
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

	private final Watchers watchers;

	private final WaitingRoom waitingRoom;

	private final OncePerRule failures = new OncePerRule(logger);

	private final OncePerRule hopeless = new OncePerRule(logger);

	private final Set<CompiledRule> variants = ConcurrentHashMap.newKeySet();

	private volatile boolean holdsRequests;

	/** Replaced as a whole when a rule is added. */
	private volatile Map<String, CompiledRule> rules;

	/**
	 * Creates an evaluator; parses and looks up all that rules name.
	 * @param rules the rules in force
	 * @param resolvers key resolvers by the scope that they define
	 * @param hash hides parts of keys
	 * @param store where buckets live
	 * @param watchers are told what is decided
	 * @param waitingRoom holds those whose permits have not come yet
	 * @throws IllegalArgumentException if a rule has a scope that there is no resolver
	 * for or an expression that can't be parsed
	 */
	public RateLimitEvaluator(RuleSet rules, Map<String, KeyResolver> resolvers, KeyHash hash, BucketStore store,
			Watchers watchers, WaitingRoom waitingRoom) {
		this.resolvers = Map.copyOf(resolvers);
		this.hash = hash;
		this.store = store;
		this.watchers = watchers;
		this.waitingRoom = waitingRoom;
		Map<String, CompiledRule> compiled = new LinkedHashMap<>();
		rules.rules().forEach((rule) -> compiled.put(rule.id(), compileAnew(rule, List.of())));
		this.rules = compiled;
	}

	/**
	 * Creates an evaluator that nobody watches, and that holds nobody.
	 * @param rules the rules in force
	 * @param resolvers key resolvers by the scope that they define
	 * @param hash hides parts of keys
	 * @param store where buckets live
	 * @throws IllegalArgumentException if a rule has a scope that there is no resolver
	 * for or an expression that can't be parsed
	 */
	public RateLimitEvaluator(RuleSet rules, Map<String, KeyResolver> resolvers, KeyHash hash, BucketStore store) {
		this(rules, resolvers, hash, store, Watchers.NONE, WaitingRoom.NONE);
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
		if (!rule.reservations().maxWait().isZero()) {
			this.holdsRequests = true;
		}
		return new CompiledRule(rule, arguments, this.resolvers, this.hash, this.failures);
	}

	/**
	 * Decides a request that can't wait.
	 * @param matched the rules that the request is held against, each at most once
	 * @param caller who asks
	 * @return the verdict; nothing is charged unless it allows the request
	 */
	public Verdict evaluate(List<MatchedRule> matched, Caller caller) {
		return matched.isEmpty() ? Verdict.UNLIMITED : this.watchers
			.observe(() -> decide(matched, caller, new Waits(), false, new ConsumedPermits(), false));
	}

	/**
	 * Decides a stage of a request that may have waited for the store before. Who is
	 * allowed to go on later has a seat in the waiting room, and is to be held. What is
	 * consumed is added to what the request has consumed before; only what is missing is
	 * charged if the caller says so.
	 */
	Verdict evaluate(List<MatchedRule> matched, Caller caller, Waits waits, boolean hasSeat, ConsumedPermits consumed,
			boolean onlyMissing) {
		if (matched.isEmpty()) {
			return Verdict.UNLIMITED;
		}
		boolean canWait = hasSeat || this.waitingRoom.hasSeats();
		Verdict verdict = this.watchers.observe(() -> decide(matched, caller, waits, canWait, consumed, onlyMissing));
		if (verdict.timeToAct().isZero() || hasSeat || this.waitingRoom.enter()) {
			return verdict;
		}
		// Others were faster: who can't wait has reserved nothing.
		giveBack(verdict, waits);
		verdict.decisions().forEach((decision) -> consumed.remove(decision.rule()));
		return this.watchers.observe(() -> decide(matched, caller, waits, false, consumed, onlyMissing));
	}

	/** The turn of who is allowed to go on later, and has a seat. */
	Turn turn(Duration timeToAct) {
		return this.waitingRoom.turn(timeToAct);
	}

	/**
	 * Whether requests may have to wait.
	 * @return whether a rule in force holds them, or a variant
	 */
	public boolean holdsRequests() {
		return this.holdsRequests;
	}

	private Verdict decide(List<MatchedRule> matched, Caller caller, Waits waits, boolean canWait,
			ConsumedPermits consumed, boolean onlyMissing) {
		List<Due> dues = new ArrayList<>(matched.size());
		for (MatchedRule match : matched) {
			CompiledRule rule = match.rule();
			try {
				Limit limit = rule.appliesTo(caller) ? rule.limit(caller) : null;
				if (limit == null) {
					continue;
				}
				Due due = rule.due(limit, caller, match, canWait);
				if (due != null) {
					dues.add(due);
				}
				else if (denies(rule.rule())) {
					if (!match.preflight()) {
						return Verdict.DENIED;
					}
					dues.add(rule.duePreflight(caller, canWait));
				}
			}
			catch (InvalidFactException ex) {
				if (match.preflight()) {
					dues.add(rule.duePreflight(caller, canWait));
				}
				else if (!rule.rule().isShadow()) {
					return Verdict.INVALID;
				}
			}
		}
		List<Due> missing = onlyMissing ? dues.stream().map(consumed::missing).filter(Objects::nonNull).toList() : dues;
		if (missing.isEmpty()) {
			return Verdict.UNLIMITED;
		}
		Verdict verdict = verdict(missing, this.store.acquire(charges(missing), waits));
		if (verdict.allowed()) {
			consumed.add(missing);
		}
		return verdict;
	}

	/** Tells those who listen what was decided for a request or a call. */
	void tell(Verdict verdict, Caller caller) {
		this.watchers.tell(verdict, caller);
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

	/** Charges what a verdict took once more, each bucket by itself. */
	void chargeAgain(Verdict verdict, Waits waits) {
		for (RuleDecision decision : verdict.decisions()) {
			if (decision.decision().allowed() && !decision.local()) {
				this.store.acquire(List.of(decision.charge()), waits);
			}
		}
	}

	/** Does what the end of a request asks for. */
	void settle(Settlement settlement, Waits waits) {
		settlement.full().forEach((key) -> this.store.reset(key, waits));
		if (!settlement.free().isEmpty()) {
			this.store.refund(settlement.free(), waits);
		}
	}

	/** Decides what a program asks for. */
	Verdict acquire(List<Due> dues) {
		if (dues.isEmpty()) {
			return Verdict.UNLIMITED;
		}
		Verdict verdict = this.watchers.observe(() -> verdict(dues, this.store.acquire(charges(dues))));
		tell(verdict, Caller.UNKNOWN);
		return verdict;
	}

	void refund(List<Due> dues) {
		this.store.refund(charges(dues));
	}

	/** How buckets stand, each by itself. */
	List<RuleDecision> look(List<Due> dues) {
		return dues.isEmpty() ? List.of() : verdict(dues, this.store.look(charges(dues))).decisions();
	}

	boolean reset(BucketKey key) {
		return this.store.reset(key);
	}

	boolean resetAll(String rule) {
		return this.store.resetAll(compiled(rule).rule().id());
	}

	private static List<Charge> charges(List<Due> dues) {
		List<Charge> charges = new ArrayList<>(dues.size());
		dues.forEach((due) -> charges.add(due.charge()));
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
		return !rule.isShadow() && rule.scope().anonymous() == Anonymous.DENY;
	}

	private Verdict verdict(List<Due> dues, Answer answer) {
		List<RuleDecision> decisions = new ArrayList<>(dues.size());
		List<UnaskedRule> unasked = new ArrayList<>(0);
		if (answer.source() == Source.NONE) {
			for (Due due : dues) {
				if (answer.charges().contains(due.charge())) {
					unasked.add(new UnaskedRule(due.rule(), due.plan(), true));
				}
			}
			return new Verdict(Outcome.UNAVAILABLE, decisions, unasked);
		}
		boolean local = answer.source() == Source.FALLBACK;
		for (int i = 0; i < dues.size(); i++) {
			Due due = dues.get(i);
			Decision decision = answer.decisions().get(i);
			if (decision != null) {
				Charge charge = answer.charges().get(i);
				decisions.add(new RuleDecision(due.rule(), due.plan(), charge, decision, local, due.resetTerms()));
				warnIfHopeless(due.rule(), charge, decision);
			}
			else if (local) {
				unasked.add(new UnaskedRule(due.rule(), due.plan(), false));
			}
		}
		return new Verdict(answer.admitted() ? Outcome.ALLOWED : Outcome.REFUSED, decisions, unasked);
	}

	private void warnIfHopeless(Rule rule, Charge charge, Decision decision) {
		if (decision.neverPasses()) {
			this.hopeless.warn(rule.id(), "refused a request whose cost is above the capacity of "
					+ charge.limit().capacity() + ": it can never pass");
		}
	}

}
