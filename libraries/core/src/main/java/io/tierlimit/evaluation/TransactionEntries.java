package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.tierlimit.RuleDecision;
import io.tierlimit.UndecidedRule;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.option.EndedCharge;
import io.tierlimit.option.OutcomeEffect;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

/**
 * The decisions of one request, in their order, and views of them: consumed permits,
 * decisions for headers and listeners, and the charges that are settled at the end of the
 * request. Guarded by the lock of its transaction.
 * <p>
 * Most requests are evaluated once. In this case each view is the verdict itself, and no
 * entries are created. Entries are created only when they are needed: for a second
 * evaluation, a wait, or a refund.
 */
final class TransactionEntries {

	/** Stands for a charge without a decision. It has no bucket that could be reset. */
	private static final EndedCharge UNDECIDED = new EndedCharge("", false, false);

	/** The verdict of the only evaluation, until entries are created. */
	private @Nullable Verdict only;

	/** Whether the only evaluation is an evaluation of the request itself. */
	private boolean onlyOfRequest;

	private final List<Entry> entries = new ArrayList<>(0);

	/** The outcome of the last evaluation. */
	private Outcome outcome = Outcome.ALLOWED;

	/**
	 * The outcome of the last evaluation of the request itself, without calls that it
	 * makes.
	 */
	private Outcome requestOutcome = Outcome.ALLOWED;

	/** What the restart of the request has refunded. */
	List<ChargeDecision> refundedByRestart = List.of();

	/** The number of target changes. A rule for calls charges once for each target. */
	private int target;

	/** Records that the request now has another method or path. */
	void nextTarget() {
		entries();
		this.target++;
	}

	/** Returns all entries. Creates them if there is only a verdict so far. */
	private List<Entry> entries() {
		Verdict verdict = this.only;
		if (verdict != null) {
			this.only = null;
			addEntries(verdict, this.onlyOfRequest);
		}
		return this.entries;
	}

	/** Adds the decisions for the request itself or for a call within it. */
	void add(Verdict verdict, boolean ofRequest) {
		this.outcome = verdict.outcome();
		this.requestOutcome = ofRequest ? verdict.outcome() : this.requestOutcome;
		if (verdict.decisions().isEmpty() && verdict.undecided().isEmpty() && verdict.allowed()) {
			return;
		}
		if (this.only == null && this.entries.isEmpty()) {
			this.only = verdict;
			this.onlyOfRequest = ofRequest;
			return;
		}
		List<Entry> earlier = entries();
		if (!verdict.allowed()) {
			earlier.forEach((entry) -> entry.outdated |= entry.isViolated());
		}
		addEntries(verdict, ofRequest);
	}

	private void addEntries(Verdict verdict, boolean ofRequest) {
		for (RuleDecision decision : verdict.decisions()) {
			ChargeDecision charge = ChargeDecision.of(decision);
			add(new Entry(charge.ruleCharge(), charge, null, ofRequest, this.target, verdict.allowed()));
		}
		for (UndecidedRule undecided : verdict.undecided()) {
			RuleCharge ruleCharge = ((UndecidedCharge) undecided).ruleCharge();
			add(new Entry(ruleCharge, null, undecided, ofRequest, this.target, verdict.allowed()));
		}
	}

	/**
	 * Adds an entry. For the calls under one rule, the list contains only the latest
	 * entry, so that calls in a loop do not make the list long. Earlier entries that must
	 * be settled at the end of the request are linked to it.
	 */
	private void add(Entry added) {
		for (int i = this.entries.size() - 1; i >= 0 && !added.ofRequest; i--) {
			Entry entry = this.entries.get(i);
			if (entry.isReplacedBy(added.rule())) {
				this.entries.remove(i);
				added.earlier = entry.isSettledAtTheEnd() ? entry : entry.earlier;
			}
		}
		this.entries.add(added);
	}

	/**
	 * The charge of a forward or a handler, minus the permits that its rule has already
	 * consumed from the same bucket. For a rule for calls, only permits for the current
	 * target are subtracted.
	 */
	@Nullable RuleCharge lessEarlierCharges(RuleCharge ruleCharge) {
		boolean known = false;
		long consumed = 0;
		for (Entry entry : entries()) {
			boolean counts = ruleCharge.rule().appliesToRequests() || (entry.ofRequest && entry.target == this.target);
			if (entry.charged && counts && entry.isOf(ruleCharge.rule())) {
				ChargeDecision decision = entry.decision;
				if (decision == null) {
					return null;
				}
				if (decision.charge().key().key().equals(ruleCharge.key().key())) {
					known = true;
					consumed += decision.charge().cost();
				}
			}
		}
		if (!known) {
			return ruleCharge;
		}
		return (ruleCharge.cost() > consumed) ? ruleCharge.cost(ruleCharge.cost() - consumed) : null;
	}

	/**
	 * The charge of a call; {@code null} if the rule is a rule for requests, which
	 * charges a request only once, and has charged it.
	 */
	@Nullable RuleCharge unlessCharged(RuleCharge ruleCharge) {
		return (ruleCharge.rule().appliesToRequests() && isCharged(ruleCharge.rule())) ? null : ruleCharge;
	}

	/** Whether a rule has charged the request, and the charge was not refunded. */
	boolean isCharged(Rule rule) {
		for (Entry entry : entries()) {
			if (entry.charged && entry.isOf(rule)) {
				return true;
			}
		}
		return false;
	}

	/** Whether a rule has charged the request itself for its current target. */
	boolean isChargedAtTarget(Rule rule) {
		return entries().stream()
			.anyMatch((entry) -> entry.charged && entry.ofRequest && entry.target == this.target && entry.isOf(rule));
	}

	/** Records that the caller has waited for its permits. */
	void waited(long ticks) {
		entries().forEach((entry) -> entry.waited += ticks);
	}

	/** Removes the decisions for the request itself. */
	void removeRequest() {
		entries().removeIf((entry) -> entry.ofRequest);
	}

	/**
	 * Whether there may be any charge. False if the only evaluation has rejected the
	 * request.
	 */
	boolean mayBeCharged() {
		return this.only == null || this.only.allowed();
	}

	/** The entries of some rules for the request itself. */
	List<Entry> ofRequest(Predicate<Rule> rules) {
		return entries().stream().filter((entry) -> entry.ofRequest && rules.test(entry.rule())).toList();
	}

	/**
	 * All entries, including the entries of earlier calls that later calls have replaced.
	 * For each rule, the earliest entry is the first.
	 */
	List<Entry> all() {
		List<Entry> all = new ArrayList<>();
		for (Entry latest : entries()) {
			int position = all.size();
			for (Entry entry = latest; entry != null; entry = entry.earlier) {
				all.add(position, entry);
			}
		}
		return all;
	}

	/** Whether any charge is settled at the end of the request. */
	boolean isSettledAtTheEnd() {
		if (this.only != null && isStandard(this.only)) {
			return false;
		}
		for (Entry entry : entries()) {
			if (entry.isSettledAtTheEnd() || entry.earlier != null) {
				return true;
			}
		}
		return false;
	}

	private static boolean isStandard(Verdict verdict) {
		List<RuleDecision> decisions = verdict.decisions();
		for (int i = 0; i < decisions.size(); i++) {
			if (ChargeDecision.of(decisions.get(i)).ruleCharge().compiled().isSettledAtTheEnd()) {
				return false;
			}
		}
		return verdict.undecided().isEmpty();
	}

	/** The costs of a rule that the end of the request settles. */
	List<BucketCost> settledCosts(String rule) {
		return settledCosts().stream().filter((cost) -> cost.rule().equals(rule)).toList();
	}

	/** All costs that the end of the request settles. */
	List<BucketCost> settledCosts() {
		if (!isSettledAtTheEnd()) {
			return List.of();
		}
		List<ChargeDecision> decisions = new ArrayList<>();
		for (Entry entry : all()) {
			if (entry.charged && entry.decision != null) {
				decisions.add(entry.decision);
			}
		}
		return BucketCost.of(decisions);
	}

	/** The charges that are settled at the end of the request. */
	List<Entry> settledAtTheEnd() {
		List<Entry> settled = all();
		settled.removeIf((entry) -> !entry.isSettledAtTheEnd() || entry.isRejectedInShadow());
		return settled;
	}

	/**
	 * The decisions for headers: the last outcome, and the latest decision of each rule,
	 * with times that take later waits into account.
	 */
	Verdict shown() {
		Verdict all = this.only;
		return (all != null && all.outcome() == this.outcome) ? all
				: view(this.outcome, (entry) -> !entry.outdated, true);
	}

	/**
	 * Whether headers show violations, and all of them are violations of a method's
	 * rules.
	 */
	boolean areViolatedOnlyBy(MethodRules method) {
		List<RuleDecision> violated = view(this.outcome, (entry) -> !entry.outdated && entry.isViolated(), false)
			.decisions();
		return !violated.isEmpty() && violated.stream().allMatch((decision) -> method.contains(decision.rule()));
	}

	/** Whether the request itself is allowed. */
	boolean isRequestAllowed() {
		return this.requestOutcome == Outcome.ALLOWED;
	}

	/** The decisions for listeners: the decisions for the request itself. */
	Verdict published() {
		Verdict all = this.only;
		return (all != null && all.outcome() == this.requestOutcome && this.onlyOfRequest) ? all
				: view(this.requestOutcome, (entry) -> entry.ofRequest, false);
	}

	private Verdict view(Outcome outcome, Predicate<Entry> selection, boolean asOfNow) {
		List<RuleDecision> decisions = new ArrayList<>();
		List<UndecidedRule> undecided = new ArrayList<>(0);
		for (int i = 0; i < entries().size(); i++) {
			Entry entry = this.entries.get(i);
			if (!selection.test(entry) || isRepeated(i, selection)) {
				continue;
			}
			if (entry.undecided != null) {
				undecided.add(entry.undecided);
			}
			else if (entry.decision != null) {
				decisions.add(asOfNow ? entry.decision.after(entry.waited) : entry.decision);
			}
		}
		return new Verdict(outcome, decisions, undecided);
	}

	/** Whether there is a later entry of the same kind for the same rule. */
	private boolean isRepeated(int index, Predicate<Entry> selection) {
		Entry entry = this.entries.get(index);
		for (int i = index + 1; i < this.entries.size(); i++) {
			Entry later = this.entries.get(i);
			if (selection.test(later) && later.isOf(entry.rule())
					&& (later.undecided == null) == (entry.undecided == null)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * One rule in one evaluation, with its decision if there is one.
	 */
	static final class Entry {

		final RuleCharge ruleCharge;

		/** The decision; {@code null} if there is none. */
		final @Nullable ChargeDecision decision;

		private final @Nullable UndecidedRule undecided;

		/**
		 * Whether the entry belongs to the request itself, not to a call within the
		 * request.
		 */
		final boolean ofRequest;

		private final int target;

		/**
		 * Whether the rule is treated as charged. This is true until a refund or a reset,
		 * even for a shadow rule, and for a rule without a decision in an allowed
		 * request.
		 */
		boolean charged;

		/**
		 * Whether a later evaluation has rejected the request: headers then show the
		 * violations of that evaluation instead.
		 */
		private boolean outdated;

		/**
		 * The entry of an earlier call under the same rule, which is settled at the end
		 * of the request.
		 */
		private @Nullable Entry earlier;

		/** How long the caller has waited since this decision, in ticks. */
		private long waited;

		private Entry(RuleCharge ruleCharge, @Nullable ChargeDecision decision, @Nullable UndecidedRule undecided,
				boolean ofRequest, int target, boolean charged) {
			this.ruleCharge = ruleCharge;
			this.decision = decision;
			this.undecided = undecided;
			this.ofRequest = ofRequest;
			this.target = target;
			this.charged = charged;
		}

		Rule rule() {
			return this.ruleCharge.rule();
		}

		private boolean isOf(Rule rule) {
			return rule().id().equals(rule.id());
		}

		private boolean isViolated() {
			return this.decision != null && this.decision.violated();
		}

		/**
		 * Whether a later call replaces this entry. The entry of a rule for requests that
		 * has charged is kept, since the rule charges once for each request.
		 */
		private boolean isReplacedBy(Rule rule) {
			return !this.ofRequest && isOf(rule) && (!this.charged || !rule.appliesToRequests());
		}

		private boolean isRejectedInShadow() {
			return this.decision != null && !this.decision.decision().allowed();
		}

		/** What happens to the charge at the end of the request. */
		OutcomeEffect effect(RequestOutcome outcome) {
			return this.ruleCharge.compiled()
				.options()
				.effect(outcome, (this.decision != null) ? this.decision.atTheEnd() : UNDECIDED);
		}

		private boolean isSettledAtTheEnd() {
			return this.charged && this.ruleCharge.compiled().isSettledAtTheEnd() && !endsWithCall();
		}

		/** Whether the end of a call releases the permits, not the end of the request. */
		private boolean endsWithCall() {
			return !this.ofRequest && this.ruleCharge.holdsPermits() && !rule().appliesToRequests();
		}

	}

}
