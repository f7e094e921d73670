package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.tierlimit.evaluation.Verdict.Outcome;
import io.tierlimit.key.Caller;
import io.tierlimit.key.KeyBuilder;
import io.tierlimit.rule.AppliesTo;
import io.tierlimit.rule.Ending;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Waits;

import org.jspecify.annotations.Nullable;

/**
 * All charges of one request over its whole life.
 *
 * <pre>
 *             evaluate: rejected, rollback
 *                 +-----------+
 *  begin --&gt; OPEN +           | evaluate: allowed (before authentication, after it)
 *             | ^ +-----------+
 *             | +-- restart: a filter has changed the request
 *             | commit: the handler is about to run; a forward: other code may have run
 *             v
 *         COMMITTED -- evaluateForward, evaluateCall; rollback has no effect
 *             | complete: the response is finished
 *             v
 *         COMPLETED    conditional charges are settled, listeners are notified once
 * </pre>
 *
 * There is one list of entries, one for each decision. All else is a view of it: what the
 * request has consumed of which bucket, what a rollback refunds, what the end of the
 * request settles, what headers show, what listeners get. An evaluation adds entries and
 * returns a verdict: waiting, answering and rolling back are up to the caller.
 * <p>
 * Safe for use by several threads: the code that serves a request may call annotated
 * methods in parallel. Keys and costs are resolved outside of the lock, since they may
 * run code of the application. Charges are decided and added within it, one evaluation
 * after the other.
 */
public final class RateLimitTransaction {

	private final RateLimitEvaluator evaluator;

	private final ReentrantLock lock = new ReentrantLock();

	private final Waits waits = new Waits();

	private final List<Entry> entries = new ArrayList<>(4);

	private Phase phase = Phase.OPEN;

	private Caller caller;

	/** The rules of the method that will serve the request, until it is called. */
	private MethodRules handler = MethodRules.NONE;

	/** How often the request has got another target: rules for calls count for each. */
	private int target;

	/** Of the last evaluation, and of the last one of the request itself. */
	private Outcome outcome = Outcome.ALLOWED;

	private Outcome requestOutcome = Outcome.ALLOWED;

	/**
	 * Begins a transaction.
	 * @param evaluator decides
	 * @param caller the caller
	 */
	public RateLimitTransaction(RateLimitEvaluator evaluator, Caller caller) {
		this.evaluator = evaluator;
		this.caller = caller;
	}

	/**
	 * Continues with another view of the same caller, who may be authenticated by now.
	 * @param caller the caller
	 */
	public void continueAs(Caller caller) {
		locked(() -> this.caller = caller);
	}

	/**
	 * Sets which method will serve the request.
	 * @param handler the rules of the method, or {@link MethodRules#NONE}
	 */
	public void expect(MethodRules handler) {
		locked(() -> {
			this.handler = handler;
			this.target++;
		});
	}

	/**
	 * Whether a method is the handler that is about to serve the request.
	 * @param rules the rules of the method
	 * @return whether it is; false once it was called
	 */
	public boolean isHandler(MethodRules rules) {
		return locked(() -> rules == this.handler && !rules.isEmpty());
	}

	/**
	 * Evaluates one stage of the request, together with those rules of its handler that
	 * need no argument.
	 * @param matched the rules of that stage that apply to the request
	 * @param stage the stage
	 * @return the verdict; if it rejects the request, the caller rolls back
	 */
	public Verdict evaluate(List<MatchedRule> matched, Stage stage) {
		return evaluate(locked(() -> this.handler.join(matched, stage)), caller(), true, (due) -> due);
	}

	/**
	 * Evaluates what a forwarded or dispatched request is charged for its new target.
	 * Other code has run for it, so earlier charges stand. A bucket is charged once a
	 * request: another bucket in full, the same one the difference to a higher cost.
	 * @param matched the rules that apply to the request at its new target
	 * @param stage which of them can be decided by now
	 * @return the verdict on what is added
	 */
	public Verdict evaluateForward(List<MatchedRule> matched, Stage stage) {
		List<MatchedRule> due = locked(() -> {
			this.phase = (this.phase == Phase.OPEN) ? Phase.COMMITTED : this.phase;
			return new ArrayList<>(this.handler.join(matched, stage));
		});
		due.removeIf((match) -> !stage.decides(match.rule()));
		return evaluate(due, caller(), true, this::missing);
	}

	/**
	 * Evaluates the call of an annotated method. The call of the handler is charged what
	 * is missing of its rules. For any other call, a rule for requests that has charged
	 * the request is left out.
	 * @param rules the rules of the method
	 * @param arguments the arguments of the call
	 * @return the verdict on the call; if it is the call of the handler itself, the
	 * caller commits or rolls back
	 */
	public Verdict evaluateCall(MethodRules rules, @Nullable Object[] arguments) {
		if (isHandler(rules)) {
			List<MatchedRule> due = new ArrayList<>(rules.all());
			due.removeIf((match) -> isChargedAtTarget(match.rule().rule()));
			Verdict verdict = evaluate(due, rules.caller(caller(), arguments), true, this::missing);
			locked(() -> this.handler = verdict.allowed() ? MethodRules.NONE : this.handler);
			return verdict;
		}
		List<MatchedRule> due = new ArrayList<>(rules.all());
		due.removeIf((match) -> match.rule().appliesToRequests() && isCharged(match.rule().rule()));
		return evaluate(due, rules.caller(caller(), arguments), false, this::uncharged);
	}

	/**
	 * Notifies listeners of a call within the request, other than that of its handler.
	 * @param verdict the verdict on the call
	 */
	public void publishCall(Verdict verdict) {
		this.evaluator.publish(verdict, caller());
	}

	private Caller caller() {
		return locked(() -> this.caller);
	}

	private Verdict evaluate(List<MatchedRule> matched, Caller caller, boolean ofRequest,
			Function<Due, @Nullable Due> selection) {
		if (matched.isEmpty()) {
			locked(() -> add(Verdict.UNLIMITED, ofRequest));
			return Verdict.UNLIMITED;
		}
		return this.evaluator.observe(() -> {
			RateLimitEvaluator.Resolution resolution = this.evaluator.resolve(matched, caller);
			return locked(() -> {
				Verdict verdict = resolution.verdict(selection, (dues) -> this.evaluator.acquire(dues, this.waits));
				add(verdict, ofRequest);
				return verdict;
			});
		});
	}

	private void add(Verdict verdict, boolean ofRequest) {
		this.outcome = verdict.outcome();
		this.requestOutcome = ofRequest ? verdict.outcome() : this.requestOutcome;
		if (!verdict.allowed()) {
			this.entries.forEach((entry) -> entry.outdated |= entry.isViolated());
		}
		for (RuleDecision decision : verdict.decisions()) {
			add(new Entry(decision, null, ofRequest, this.target, verdict.allowed()));
		}
		for (UnaskedRule unasked : verdict.unasked()) {
			add(new Entry(null, unasked, ofRequest, this.target, verdict.allowed()));
		}
	}

	/**
	 * Adds an entry. Of calls under one rule the list has the latest, so that a loop of
	 * calls does not make it long; what the end of the request has to settle is linked.
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
	 * What a forward or a handler has to add to what was consumed: by a rule for
	 * requests, or for the present target by a rule for calls.
	 */
	private @Nullable Due missing(Due due) {
		boolean known = false;
		long consumed = 0;
		for (Entry entry : this.entries) {
			boolean counts = isForRequests(due.rule()) || (entry.ofRequest && entry.target == this.target);
			if (entry.charged && counts && entry.isOf(due.rule())) {
				RuleDecision decision = entry.decision;
				if (decision == null) {
					return null;
				}
				if (decision.charge().key().key().equals(due.charge().key().key())) {
					known = true;
					consumed += decision.charge().cost();
				}
			}
		}
		if (!known) {
			return due;
		}
		return (due.charge().cost() > consumed) ? due.costing(due.charge().cost() - consumed) : null;
	}

	/** What a call has to pay: a rule for requests charges a request once. */
	private @Nullable Due uncharged(Due due) {
		return (isForRequests(due.rule()) && isCharged(due.rule())) ? null : due;
	}

	private static boolean isForRequests(Rule rule) {
		return rule.selection().appliesTo() == AppliesTo.REQUESTS;
	}

	/**
	 * Whether all violated rules are rules of the handler's annotations.
	 * @return whether there are any, and the call of the handler would have thrown the
	 * same rejection
	 */
	public boolean isRejectedOnlyByHandler() {
		return locked(() -> {
			List<RuleDecision> violated = view(this.outcome, Entry::isViolated, false).decisions();
			return !violated.isEmpty() && violated.stream().allMatch((decision) -> this.handler.holds(decision.rule()));
		});
	}

	/**
	 * Whether a rule has charged the request.
	 * @param rule the rule
	 * @return whether it has, and that was not refunded
	 */
	public boolean isCharged(Rule rule) {
		return locked(() -> this.entries.stream().anyMatch((entry) -> entry.charged && entry.isOf(rule)));
	}

	private boolean isChargedAtTarget(Rule rule) {
		return locked(() -> this.entries.stream()
			.anyMatch((entry) -> entry.charged && entry.ofRequest && entry.target == this.target && entry.isOf(rule)));
	}

	/**
	 * Waits in this thread until the permits of a verdict are there. Returns at once if
	 * nothing was reserved. If the thread is interrupted, the permits are refunded.
	 * @param verdict a verdict of this transaction
	 * @throws java.util.concurrent.CancellationException if the thread is interrupted
	 * before
	 */
	public void await(Verdict verdict) {
		this.evaluator.waitQueue().await(verdict, this);
	}

	/**
	 * Records that the caller has waited for its permits.
	 * @param time how long
	 */
	void waited(Duration time) {
		locked(() -> this.entries.forEach((entry) -> entry.waited += time.toNanos() / 1000));
	}

	/**
	 * Refunds the charges of a verdict, and rolls back if it is on the request itself.
	 */
	void cancel(Verdict verdict) {
		locked(() -> {
			Set<RuleDecision> canceled = Collections.newSetFromMap(new IdentityHashMap<>());
			canceled.addAll(verdict.decisions());
			List<Entry> known = withEarlierCalls();
			known.removeIf((entry) -> !canceled.remove(entry.decision));
			boolean ofRequest = known.stream().anyMatch((entry) -> entry.ofRequest);
			refund(known);
			// A later call has replaced the others.
			this.evaluator.refund(List.copyOf(canceled), this.waits);
			if (ofRequest) {
				rollback();
			}
		});
	}

	/**
	 * Refunds what the request was charged, if no other code has run for it: has no
	 * effect once the transaction is committed. The decisions stay visible.
	 */
	public void rollback() {
		locked(() -> {
			if (this.phase == Phase.OPEN) {
				refundRequest((rule) -> true);
			}
		});
	}

	/**
	 * Begins anew, for a request that has changed since it was evaluated: refunds what it
	 * was charged, and forgets what was decided. Only before the transaction is
	 * committed.
	 * @return what was refunded
	 */
	public List<RuleDecision> restart() {
		return locked(() -> {
			List<RuleDecision> refunded = refundRequest((rule) -> true);
			this.entries.removeIf((entry) -> entry.ofRequest);
			return refunded;
		});
	}

	/**
	 * Whether charges are provisional: no other code has run for the request.
	 * @return whether the transaction is neither committed nor completed
	 */
	public boolean isOpen() {
		return locked(() -> this.phase == Phase.OPEN);
	}

	/**
	 * Charges again what was refunded, as far as the buckets contain it.
	 * @param refunded what {@link #restart()} has returned
	 */
	public void chargeAgain(List<RuleDecision> refunded) {
		locked(() -> this.evaluator.chargeAgain(refunded, this.waits));
	}

	/**
	 * Refunds the request's charges of some rules, because it turned out not to be of the
	 * kind that they limit.
	 * @param rules which rules
	 */
	public void refundRules(Predicate<Rule> rules) {
		locked(() -> {
			refundRequest(rules);
		});
	}

	private List<RuleDecision> refundRequest(Predicate<Rule> rules) {
		List<Entry> selected = new ArrayList<>(this.entries);
		selected.removeIf((entry) -> !entry.ofRequest || !rules.test(entry.rule()));
		return refund(selected);
	}

	private List<RuleDecision> refund(List<Entry> selected) {
		List<RuleDecision> refunded = new ArrayList<>(selected.size());
		for (Entry entry : selected) {
			if (entry.charged) {
				entry.charged = false;
				if (entry.decision != null) {
					refunded.add(entry.decision);
				}
			}
		}
		this.evaluator.refund(refunded, this.waits);
		return refunded;
	}

	/**
	 * Makes the charges stand, since the handler or other code of the application is
	 * about to run. If the handler is annotated, its call has to be evaluated before.
	 */
	public void commit() {
		locked(() -> {
			if (this.phase == Phase.OPEN && this.handler.isEmpty()) {
				this.phase = Phase.COMMITTED;
			}
		});
	}

	/**
	 * Settles conditional charges by how the request has ended: refunds those for which
	 * nothing has happened, and resets buckets. Notifies listeners of what was decided
	 * for the request itself. Further calls do nothing.
	 * @param ending how the request has ended
	 */
	public void complete(Ending ending) {
		Verdict decided = locked(() -> {
			if (this.phase == Phase.COMPLETED) {
				return Verdict.UNLIMITED;
			}
			settle(ending);
			this.phase = Phase.COMPLETED;
			return view(this.requestOutcome, (entry) -> entry.ofRequest, false);
		});
		this.evaluator.publish(decided, caller());
	}

	/**
	 * Whether the response is finished.
	 * @return whether the transaction is completed
	 */
	public boolean isCompleted() {
		return locked(() -> this.phase == Phase.COMPLETED);
	}

	private void settle(Ending ending) {
		List<Entry> open = withEarlierCalls();
		open.removeIf((entry) -> !entry.isSettledAtTheEnd() || entry.isRejectedInShadow());
		for (Entry entry : open) {
			RuleDecision decision = entry.decision;
			BucketKey reset = (decision != null && decision.isResetBy(ending)) ? ownBucket(decision) : null;
			if (reset != null) {
				this.evaluator.reset(reset, this.waits);
				entry.charged = false;
			}
		}
		open.removeIf((entry) -> entry.rule().charging().charges(ending));
		refund(open);
	}

	/** The entries, and those conditional ones that later calls have replaced. */
	private List<Entry> withEarlierCalls() {
		List<Entry> all = new ArrayList<>(this.entries.size());
		for (Entry latest : this.entries) {
			for (Entry entry = latest; entry != null; entry = entry.earlier) {
				all.add(entry);
			}
		}
		return all;
	}

	/**
	 * The bucket that a request may reset; {@code null} if it does not belong to one
	 * account alone, because the address stands in for that, or because there was no room
	 * for a bucket of its own.
	 */
	private static @Nullable BucketKey ownBucket(RuleDecision decision) {
		Charge charge = decision.charge();
		String rule = decision.rule().id();
		boolean shared = KeyBuilder.hasStandIn(charge.key().key())
				|| !(decision.local() || charge.key().rule().equals(rule));
		return shared ? null : new BucketKey(rule, charge.key().key(), charge.key().owner());
	}

	/**
	 * What was decided so far, as of now: the last outcome with the latest decision of
	 * each rule.
	 * @return the verdict to be shown to the client
	 */
	public Verdict verdict() {
		return locked(() -> view(this.outcome, (entry) -> !entry.outdated, true));
	}

	private Verdict view(Outcome outcome, Predicate<Entry> selection, boolean asOfNow) {
		List<RuleDecision> decisions = new ArrayList<>(this.entries.size());
		List<UnaskedRule> unasked = new ArrayList<>(0);
		for (int i = 0; i < this.entries.size(); i++) {
			Entry entry = this.entries.get(i);
			if (!selection.test(entry) || isRepeated(i, selection)) {
				continue;
			}
			if (entry.unasked != null) {
				unasked.add(entry.unasked);
			}
			else if (entry.decision != null) {
				decisions.add(asOfNow ? entry.decision.after(entry.waited) : entry.decision);
			}
		}
		return new Verdict(outcome, decisions, unasked);
	}

	/** Whether there is a later entry of the same kind for the same rule. */
	private boolean isRepeated(int index, Predicate<Entry> selection) {
		Entry entry = this.entries.get(index);
		for (int i = index + 1; i < this.entries.size(); i++) {
			Entry later = this.entries.get(i);
			if (selection.test(later) && later.isOf(entry.rule())
					&& (later.unasked == null) == (entry.unasked == null)) {
				return true;
			}
		}
		return false;
	}

	private void locked(Runnable action) {
		this.lock.lock();
		try {
			action.run();
		}
		finally {
			this.lock.unlock();
		}
	}

	private <R> R locked(Supplier<R> action) {
		this.lock.lock();
		try {
			return action.get();
		}
		finally {
			this.lock.unlock();
		}
	}

	private enum Phase {

		/** Charges are provisional. */
		OPEN,

		/** Charges stand. */
		COMMITTED,

		/** The request is over. */
		COMPLETED

	}

	/**
	 * One rule in one evaluation: what it has decided, or that it could not be decided.
	 */
	private static final class Entry {

		private final @Nullable RuleDecision decision;

		private final @Nullable UnaskedRule unasked;

		/** Whether it belongs to the request itself, not to a call within it. */
		private final boolean ofRequest;

		private final int target;

		/**
		 * Whether it counts as charged: until a refund or a reset, also for a rule in
		 * shadow mode, or one that could not be decided in an allowed request.
		 */
		private boolean charged;

		/**
		 * Whether a later evaluation has rejected instead: headers show its violations.
		 */
		private boolean outdated;

		/** A call under the same rule that is settled at the end of the request. */
		private @Nullable Entry earlier;

		/** How long the caller has waited since, in ticks. */
		private long waited;

		private Entry(@Nullable RuleDecision decision, @Nullable UnaskedRule unasked, boolean ofRequest, int target,
				boolean charged) {
			this.decision = decision;
			this.unasked = unasked;
			this.ofRequest = ofRequest;
			this.target = target;
			this.charged = charged;
		}

		private Rule rule() {
			if (this.decision != null) {
				return this.decision.rule();
			}
			return Objects.requireNonNull(this.unasked).rule();
		}

		private boolean isOf(Rule rule) {
			return rule().id().equals(rule.id());
		}

		private boolean isViolated() {
			return this.decision != null && this.decision.violated();
		}

		/**
		 * Whether a later call replaces it: a rule for requests counts once a request.
		 */
		private boolean isReplacedBy(Rule rule) {
			return !this.ofRequest && isOf(rule) && (!this.charged || !isForRequests(rule));
		}

		private boolean isRejectedInShadow() {
			return this.decision != null && !this.decision.decision().allowed();
		}

		private boolean isSettledAtTheEnd() {
			return this.charged && !rule().charging().isStandard();
		}

	}

}
