package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.tierlimit.RuleDecision;
import io.tierlimit.UndecidedRule;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.TransactionEntries.Entry;
import io.tierlimit.key.RuleKey;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.StoreBudget;
import org.jspecify.annotations.Nullable;

/**
 * All charges of one request over its whole life.
 *
 * <pre>
 *             evaluate: rejected, rollback
 *                 +-----------+
 *  begin --&gt; OPEN +           | evaluate: allowed (before authentication, after it),
 *             | ^ +-----------+ evaluateHandlerCall
 *             | +-- restart: a filter has changed the request
 *             | commit: the handler is about to run; a forward: other code may have run
 *             v
 *         COMMITTED -- evaluateForward, evaluateHandlerCall (after a forward), evaluateCall;
 *             |        rollback has no effect
 *             | complete: the response is finished
 *             v
 *         COMPLETED    conditional charges are settled, listeners are notified once
 * </pre>
 *
 * There is one list of entries, one for each decision. All else is a view of it
 * ({@link TransactionEntries}): what the request has consumed of which bucket, what a
 * rollback refunds, what the end of the request settles, what headers show, what
 * listeners get. An evaluation adds entries and returns a verdict: waiting, answering and
 * rolling back are up to the caller.
 * <p>
 * Safe for use by several threads: the code that serves a request may call annotated
 * methods in parallel. Keys and costs are resolved outside of the lock, since they may
 * run code of the application. Charges are decided and added within it, one evaluation
 * after the other.
 */
public final class RateLimitTransaction {

	private final RateLimitEvaluator evaluator;

	private final ReentrantLock lock = new ReentrantLock();

	private final StoreBudget budget = new StoreBudget();

	private final TransactionEntries entries = new TransactionEntries();

	private Phase phase = Phase.OPEN;

	private Caller caller;

	private List<ChargeDecision> refundedByRestart = List.of();

	/** The rules of the method that will serve the request, until it is called. */
	private MethodRules handler = MethodRules.NONE;

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
			this.entries.nextTarget();
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
		return evaluate(locked(() -> this.handler.join(matched, stage)), caller(), true, (ruleCharge) -> ruleCharge);
	}

	/**
	 * Evaluates what a forwarded or dispatched request is charged for its new target.
	 * Other code may have run for it, so earlier charges stand. A bucket is charged once
	 * a request: another bucket in full, the same one the difference to a higher cost.
	 * @param matched the rules that apply to the request at its new target
	 * @param stage which of them can be decided by now
	 * @return the verdict on what is added
	 */
	public Verdict evaluateForward(List<MatchedRule> matched, Stage stage) {
		List<MatchedRule> remaining = locked(() -> {
			this.phase = (this.phase == Phase.OPEN) ? Phase.COMMITTED : this.phase;
			return new ArrayList<>(this.handler.join(matched, stage));
		});
		remaining.removeIf((match) -> !stage.decides(match.rule()));
		return evaluate(remaining, caller(), true, this.entries::lessEarlierCharges);
	}

	/**
	 * Evaluates the call of the handler, which is charged what its rules have not charged
	 * the request before. Once another thread has called the handler, it is a call like
	 * any other.
	 * @param rules the rules of the handler
	 * @param arguments the arguments of the call
	 * @return the verdict; the caller commits or rolls back
	 */
	public Verdict evaluateHandlerCall(MethodRules rules, @Nullable Object[] arguments) {
		if (!isHandler(rules)) {
			return evaluateCall(rules, arguments);
		}
		List<MatchedRule> remaining = new ArrayList<>(rules.all());
		remaining.removeIf((match) -> locked(() -> this.entries.isChargedAtTarget(match.rule().rule())));
		Verdict verdict = evaluate(remaining, rules.caller(caller(), arguments), true,
				this.entries::lessEarlierCharges);
		locked(() -> this.handler = verdict.allowed() ? MethodRules.NONE : this.handler);
		return verdict;
	}

	/**
	 * Evaluates the call of an annotated method other than the handler. A rule for
	 * requests that has charged the request is left out.
	 * @param rules the rules of the method
	 * @param arguments the arguments of the call
	 * @return the verdict; if it rejects the call, the charges of the request stand
	 */
	public Verdict evaluateCall(MethodRules rules, @Nullable Object[] arguments) {
		List<MatchedRule> remaining = new ArrayList<>(rules.all());
		remaining.removeIf((match) -> match.rule().appliesToRequests() && isCharged(match.rule().rule()));
		return evaluate(remaining, rules.caller(caller(), arguments), false, this.entries::unlessCharged);
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
			Function<RuleCharge, @Nullable RuleCharge> selection) {
		if (matched.isEmpty()) {
			locked(() -> add(Verdict.UNLIMITED, ofRequest));
			return Verdict.UNLIMITED;
		}
		return this.evaluator.observe(() -> {
			RateLimitEvaluator.Resolution resolution = this.evaluator.resolve(matched, caller);
			return locked(() -> {
				Verdict verdict = resolution.verdict(selection,
						(ruleCharges) -> this.evaluator.acquire(ruleCharges, this.budget));
				add(verdict, ofRequest);
				return verdict;
			});
		});
	}

	private void add(Verdict verdict, boolean ofRequest) {
		this.outcome = verdict.outcome();
		this.requestOutcome = ofRequest ? verdict.outcome() : this.requestOutcome;
		this.entries.add(verdict, ofRequest);
	}

	/**
	 * Whether all violated rules are rules of the handler's annotations.
	 * @return whether there are any, and the call of the handler would have thrown the
	 * same rejection
	 */
	public boolean isRejectedOnlyByHandler() {
		return locked(() -> {
			List<RuleDecision> violated = this.entries.violations(this.outcome).decisions();
			return !violated.isEmpty()
					&& violated.stream().allMatch((decision) -> this.handler.contains(decision.rule()));
		});
	}

	/**
	 * Whether a rule has charged the request.
	 * @param rule the rule
	 * @return whether it has, and that was not refunded
	 */
	public boolean isCharged(Rule rule) {
		return locked(() -> this.entries.isCharged(rule));
	}

	/**
	 * StoreBudget in this thread until the permits of a verdict are there. Returns at
	 * once if nothing was reserved. If the thread is interrupted, the permits are
	 * refunded.
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
		locked(() -> this.entries.waited(time.toNanos() / 1000));
	}

	/**
	 * Refunds the charges of a verdict, and rolls back if it is on the request itself.
	 */
	void cancel(Verdict verdict) {
		locked(() -> {
			Set<ChargeDecision> canceled = Collections.newSetFromMap(new IdentityHashMap<>());
			verdict.decisions().forEach((decision) -> canceled.add(ChargeDecision.of(decision)));
			List<Entry> known = this.entries.all();
			known.removeIf((entry) -> !canceled.remove(entry.decision));
			boolean ofRequest = known.stream().anyMatch((entry) -> entry.ofRequest);
			refund(known);
			// A later call has replaced the others.
			this.evaluator.refund(List.copyOf(canceled), this.budget);
			if (ofRequest) {
				rollback();
			}
		});
	}

	/**
	 * Refunds what the request was charged. Has no effect once the transaction is
	 * committed. The decisions stay visible.
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
	 */
	public void restart() {
		locked(() -> {
			this.refundedByRestart = refundRequest((rule) -> true);
			this.entries.forgetRequest();
		});
	}

	/**
	 * Whether charges are provisional. Servlets and the filters of the application may
	 * have run nevertheless.
	 * @return whether the transaction is neither committed nor completed
	 */
	public boolean isOpen() {
		return locked(() -> this.phase == Phase.OPEN);
	}

	/** Charges again what the restart has refunded, as far as the buckets contain it. */
	public void undoRestart() {
		locked(() -> {
			this.evaluator.chargeAgain(this.refundedByRestart, this.budget);
			this.refundedByRestart = List.of();
		});
	}

	private List<ChargeDecision> refundRequest(Predicate<Rule> rules) {
		return refund(this.entries.ofRequest(rules));
	}

	private List<ChargeDecision> refund(List<Entry> selected) {
		List<ChargeDecision> refunded = new ArrayList<>(selected.size());
		for (Entry entry : selected) {
			if (entry.charged) {
				entry.charged = false;
				if (entry.decision != null) {
					refunded.add(entry.decision);
				}
			}
		}
		this.evaluator.refund(refunded, this.budget);
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
	 * Settles conditional charges by the outcome of the request: refunds those for which
	 * nothing has happened, and resets buckets. Notifies listeners of what was decided
	 * for the request itself. Further calls do nothing.
	 * @param outcome the outcome of the request
	 */
	public void complete(RequestOutcome outcome) {
		Verdict decided = locked(() -> {
			if (this.phase == Phase.COMPLETED) {
				return Verdict.UNLIMITED;
			}
			settle(outcome);
			this.phase = Phase.COMPLETED;
			return this.entries.published(this.requestOutcome);
		});
		this.evaluator.publish(decided, caller());
	}

	/** All refunds and resets that depend on the outcome of the request. */
	private void settle(RequestOutcome outcome) {
		if (outcome.preflight()) {
			// It never has credentials and does not reach a handler.
			refundRequest((rule) -> !rule.selection().methods().contains("OPTIONS"));
		}
		List<Entry> open = this.entries.conditional();
		for (Entry entry : open) {
			ChargeDecision decision = entry.decision;
			BucketKey reset = (decision != null && decision.isResetBy(outcome)) ? ownBucket(decision) : null;
			if (reset != null) {
				this.evaluator.reset(reset, this.budget);
				entry.charged = false;
			}
		}
		open.removeIf((entry) -> entry.rule.chargePolicy().charges(outcome));
		refund(open);
	}

	/**
	 * The bucket that a request may reset; {@code null} if it does not belong to one
	 * account alone, because the address stands in for that, or because there was no room
	 * for a bucket of its own.
	 */
	private static @Nullable BucketKey ownBucket(ChargeDecision decision) {
		Charge charge = decision.charge();
		String rule = decision.rule();
		boolean shared = RuleKey.hasStandIn(charge.key()) || !(decision.local() || charge.key().rule().equals(rule));
		return shared ? null : new BucketKey(rule, charge.key().key(), charge.key().affinityKey());
	}

	/**
	 * What was decided so far, as of now: the last outcome with the latest decision of
	 * each rule.
	 * @return the verdict to be shown to the client
	 */
	public Verdict verdict() {
		return locked(() -> this.entries.shown(this.outcome));
	}

	/**
	 * What was decided so far, and a later verdict that is not one of this transaction.
	 * @param later a verdict of a program
	 * @return the later outcome with all decisions; if the later one does not allow the
	 * request, it alone shows the violated rules
	 */
	public Verdict verdictWith(Verdict later) {
		Verdict earlier = verdict();
		List<RuleDecision> decisions = new ArrayList<>(earlier.decisions());
		if (!later.allowed()) {
			decisions.removeIf(RuleDecision::violated);
		}
		for (RuleDecision decision : later.decisions()) {
			decisions.removeIf((known) -> known.rule().equals(decision.rule()));
			decisions.add(decision);
		}
		List<UndecidedRule> undecided = new ArrayList<>(earlier.undecided());
		for (UndecidedRule rule : later.undecided()) {
			undecided.removeIf((known) -> known.rule().equals(rule.rule()));
			undecided.add(rule);
		}
		return new Verdict(later.outcome(), decisions, undecided);
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

}
