package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.tierlimit.EstimatedCost;
import io.tierlimit.Verdict;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.StoreFailureFlag;
import org.jspecify.annotations.Nullable;

/**
 * All charges of one request, from its start to its completion.
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
 *             |        rollback has no effect, waive refunds
 *             | complete: the response is finished
 *             v
 *         COMPLETED    conditional charges are settled, listeners are notified once
 * </pre>
 *
 * There is one list of entries, one for each decision. Everything else is a view of this
 * list ({@link TransactionEntries}): the permits that the request has consumed from each
 * bucket, the refunds of a rollback, the charges that the end of the request settles, and
 * the decisions for headers and listeners. An evaluation adds entries and returns a
 * verdict. The caller waits, writes the response and rolls back.
 * <p>
 * Thread-safe, because the code that serves a request may call annotated methods in
 * parallel. Keys and costs are resolved outside of the lock, since this may run code of
 * the application. Charges are decided and added within the lock, one evaluation after
 * the other.
 */
public final class RateLimitTransaction {

	private final RateLimitEvaluator evaluator;

	private final ReentrantLock lock = new ReentrantLock();

	private final StoreFailureFlag failureFlag = new StoreFailureFlag();

	private final TransactionEntries entries = new TransactionEntries();

	private final InFlightObjects inFlight = new InFlightObjects();

	private final Runnable precondition;

	private Phase phase = Phase.OPEN;

	private volatile Caller caller;

	/** The rules of the method that will serve the request, until it is called. */
	private volatile MethodRules handler = MethodRules.NONE;

	/** {@code null} until it is needed. */
	private @Nullable TransactionCosts costs;

	/** {@code null} until it is needed. */
	private volatile @Nullable TransactionWaits waits;

	/**
	 * Begins a transaction.
	 * @param evaluator decides the charges
	 * @param caller the caller
	 */
	public RateLimitTransaction(RateLimitEvaluator evaluator, Caller caller) {
		this(evaluator, caller, RateLimitTransaction::none);
	}

	/**
	 * Begins a transaction.
	 * @param evaluator decides the charges
	 * @param caller the caller
	 * @param precondition called in each evaluation of the request itself, after keys and
	 * costs were resolved; if it throws an exception, the evaluation consumes nothing
	 */
	public RateLimitTransaction(RateLimitEvaluator evaluator, Caller caller, Runnable precondition) {
		this.evaluator = evaluator;
		this.caller = caller;
		this.precondition = precondition;
	}

	/** A precondition that is always met. */
	static void none() {
	}

	/**
	 * Continues with another view of the same caller, which may be authenticated now.
	 * @param caller the caller
	 */
	public void continueAs(Caller caller) {
		this.caller = caller;
		this.inFlight.continueAs(caller);
	}

	/**
	 * Sets the rules of the method that will serve the request.
	 * @param handler the rules of the method, or {@link MethodRules#NONE}
	 */
	public void expect(MethodRules handler) {
		locked(() -> {
			this.handler = handler;
			this.entries.nextTarget();
		});
	}

	/**
	 * Begins a call to an annotated method.
	 * @param rules the rules of the method
	 * @return whether it is the call to the handler that is about to serve the request.
	 * Only the first call is, unless it is rejected. Further calls, including calls from
	 * other threads, are treated as calls to any other method
	 */
	public boolean beginHandlerCall(MethodRules rules) {
		return locked(() -> {
			boolean first = rules == this.handler && !rules.isEmpty();
			this.handler = first ? MethodRules.NONE : this.handler;
			return first;
		});
	}

	/**
	 * Evaluates one stage of the request, together with the rules of its handler that do
	 * not read arguments.
	 * @param matched the rules of that stage that apply to the request
	 * @param stage the stage
	 * @return the verdict; if it rejects the request, the caller rolls back
	 */
	public Verdict evaluate(List<MatchedRule> matched, Stage stage) {
		return evaluate(TransactionEvaluation.ofRequest(this.handler.join(matched, stage), this.caller,
				this.precondition, null));
	}

	/**
	 * Evaluates the charges of a forwarded or dispatched request for its new target.
	 * Other code may have run for the request, so earlier charges are kept. Each bucket
	 * is charged once for each request: if the new target has another bucket, it is
	 * charged the full cost; if it has the same bucket and a higher cost, the difference
	 * is charged.
	 * @param matched the rules that apply to the request at its new target
	 * @param stage the stage of the rules that can be evaluated
	 * @return the verdict on the additional charges
	 */
	public Verdict evaluateForward(List<MatchedRule> matched, Stage stage) {
		locked(() -> this.phase = (this.phase == Phase.OPEN) ? Phase.COMMITTED : this.phase);
		List<MatchedRule> remaining = new ArrayList<>(this.handler.join(matched, stage));
		remaining.removeIf((match) -> !stage.decides(match.rule()));
		return evaluate(TransactionEvaluation.ofRequest(remaining, this.caller, this.precondition,
				this.entries::lessEarlierCharges));
	}

	/**
	 * Evaluates a call to the handler, after {@link #beginHandlerCall}. If a rule has
	 * already charged the request, only the rest of the cost is charged.
	 * @param rules the rules of the handler
	 * @param arguments the arguments of the call
	 * @return the verdict; the caller commits or rolls back
	 */
	public Verdict evaluateHandlerCall(MethodRules rules, @Nullable Object[] arguments) {
		List<MatchedRule> remaining = new ArrayList<>(rules.all());
		remaining.removeIf((match) -> locked(() -> this.entries.isChargedAtTarget(match.rule().rule())));
		TransactionEvaluation call = TransactionEvaluation.ofHandlerCall(remaining,
				rules.caller(this.caller, arguments), rules, this.entries::lessEarlierCharges);
		boolean expected = true;
		try {
			Verdict verdict = evaluate(call);
			expected = !verdict.allowed() && !call.isWaiting();
			return verdict;
		}
		finally {
			if (expected) {
				expectAgain(rules);
			}
		}
	}

	/**
	 * Expects the call to the handler again, since it was not allowed.
	 * @param handler the rules of the handler; no effect if there are none
	 */
	void expectAgain(MethodRules handler) {
		locked(() -> this.handler = handler.isEmpty() ? this.handler : handler);
	}

	/**
	 * Evaluates a call to an annotated method other than the handler. A rule for requests
	 * that has already charged the request is skipped.
	 * @param rules the rules of the method
	 * @param arguments the arguments of the call
	 * @return the verdict; if it rejects the call, the charges of the request are kept
	 */
	public Verdict evaluateCall(MethodRules rules, @Nullable Object[] arguments) {
		List<MatchedRule> remaining = new ArrayList<>(rules.all());
		remaining.removeIf((match) -> match.rule().rule().appliesToRequests() && isCharged(match.rule().rule()));
		return evaluate(TransactionEvaluation.ofCall(remaining, rules.caller(this.caller, arguments),
				this.entries::unlessCharged));
	}

	/**
	 * Begins a call that {@link #evaluateCall} has allowed. The permits that a rule for
	 * code holds are released at the end of the call, which may be after the end of the
	 * request. The permits that a rule for requests holds are released at the end of the
	 * request.
	 * @param verdict the verdict on the call
	 * @param completes whether the transaction is completed at the end of the request;
	 * otherwise the end of the call releases all its permits
	 * @return the call
	 */
	public RunningCall beginCall(Verdict verdict, boolean completes) {
		List<ChargeDecision> held = ChargeDecision.held(verdict);
		return held.isEmpty() ? RunningCall.WITHOUT_PERMITS
				: () -> locked(() -> settlements().endCall(held, completes && this.phase != Phase.COMPLETED));
	}

	/**
	 * Notifies listeners of a call within the request, other than the call to its
	 * handler.
	 * @param verdict the verdict on the call
	 */
	public void publishCall(Verdict verdict) {
		this.evaluator.publish(verdict, this.caller);
	}

	private Verdict evaluate(TransactionEvaluation evaluation) {
		if (evaluation.matched.isEmpty()) {
			add(evaluation, Verdict.UNLIMITED);
			return Verdict.UNLIMITED;
		}
		// An evaluation that must wait is not rejected yet.
		Verdict observed = this.evaluator
			.observe(() -> Objects.requireNonNullElse(decide(evaluation), Verdict.UNLIMITED));
		return evaluation.isWaiting() ? locked(this::waits).add(evaluation) : observed;
	}

	/**
	 * Decides an evaluation, for the first time or in a turn of its wait.
	 * @return the verdict; {@code null} if the evaluation must wait for its next turn
	 */
	@Nullable Verdict decide(TransactionEvaluation evaluation) {
		Resolution resolution = evaluation.resolve();
		this.lock.lock();
		try {
			Verdict verdict = evaluation.decide(resolution, this.evaluator.admission(), this.failureFlag);
			if (verdict != null) {
				add(verdict, evaluation.ofRequest);
			}
			return verdict;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Adds the verdict of an evaluation that has acquired nothing. */
	void add(TransactionEvaluation evaluation, Verdict verdict) {
		locked(() -> add(verdict, evaluation.ofRequest));
	}

	private void add(Verdict verdict, boolean ofRequest) {
		this.entries.add(verdict, ofRequest);
		if (ofRequest && this.phase == Phase.COMPLETED) {
			// Nothing else would release permits for a request that has ended.
			settlements().cancel(ChargeDecision.held(verdict));
		}
	}

	/**
	 * Whether all violated rules are rules of the handler's annotations.
	 * @return true if there are violated rules and all are rules of the handler, so that
	 * a call to the handler would have been rejected in the same way
	 */
	public boolean isRejectedOnlyByHandler() {
		return !this.handler.isEmpty() && locked(() -> this.entries.areViolatedOnlyBy(this.handler));
	}

	/**
	 * Whether a rule has charged the request.
	 * @param rule the rule
	 * @return whether it has, and the charge was not refunded
	 */
	public boolean isCharged(Rule rule) {
		return locked(() -> this.entries.isCharged(rule));
	}

	/**
	 * Waits in the current thread until the permits of a verdict are available. Returns
	 * at once if no permits were reserved, and if a rejection is final. If the thread is
	 * interrupted, the permits are refunded.
	 * <p>
	 * A request that is rejected only because permits are in use waits until other
	 * requests release them, for at most the {@code max-wait} of the violated rules. In
	 * the meantime, no permits of the evaluation are acquired. All rules are then decided
	 * again.
	 * @param verdict a verdict of this transaction, which must be passed to this method
	 * even if it is a rejection
	 * @return the verdict after the wait
	 * @throws java.util.concurrent.CancellationException if the thread is interrupted
	 */
	public Verdict await(Verdict verdict) {
		return (this.waits == null && verdict.delay().isZero()) ? verdict : locked(this::waits).await(verdict);
	}

	private TransactionWaits waits() {
		this.waits = Objects.requireNonNullElseGet(this.waits,
				() -> new TransactionWaits(this, this.evaluator, this.inFlight));
		return this.waits;
	}

	/**
	 * Begins the objects that the rules of a verdict keep for the request, such as
	 * measurements, until the transaction is completed.
	 * @param verdict a verdict of this transaction, after the wait for its permits
	 */
	public void begin(Verdict verdict) {
		this.inFlight.begin(verdict, this.caller);
	}

	/**
	 * Cancels the objects that rules keep for the request, because the request does not
	 * indicate whether the server is healthy.
	 */
	public void cancelInFlight() {
		this.inFlight.cancel();
	}

	/**
	 * Records that the caller has waited for its permits.
	 * @param time the duration of the wait
	 */
	void waited(Duration time) {
		locked(() -> this.entries.waited(time.toNanos() / 1000));
	}

	/**
	 * Refunds the charges of a verdict. If it is the verdict on the request itself, the
	 * transaction is rolled back.
	 */
	void cancel(Verdict verdict) {
		locked(() -> {
			if (settlements().cancel(ChargeDecision.of(verdict))) {
				rollback();
			}
		});
	}

	/**
	 * Refunds the charges of the request. Has no effect after the transaction was
	 * committed. The decisions remain visible.
	 */
	public void rollback() {
		locked(() -> {
			if (this.phase == Phase.OPEN) {
				settlements().refundRequest();
				this.inFlight.cancel();
			}
		});
	}

	/**
	 * Restarts the transaction of a request that has changed since it was evaluated:
	 * refunds its charges, and removes its decisions. Must be called before the
	 * transaction is committed.
	 */
	public void restart() {
		locked(() -> {
			settlements().restart();
			this.inFlight.cancel();
		});
	}

	/**
	 * Whether charges are provisional. Even then, servlets and filters of the application
	 * may have run.
	 * @return whether the transaction is neither committed nor completed
	 */
	public boolean isOpen() {
		return locked(() -> this.phase == Phase.OPEN);
	}

	/**
	 * Consumes the permits again that the restart has refunded, if they are still
	 * available.
	 */
	public void undoRestart() {
		locked(() -> settlements().undoRestart());
	}

	/**
	 * Makes the charges final, since the handler or other code of the application is
	 * about to run. If the handler is annotated, its call must be evaluated before.
	 */
	public void commit() {
		locked(() -> {
			if (this.phase == Phase.OPEN && this.handler.isEmpty()) {
				this.phase = Phase.COMMITTED;
			}
		});
	}

	/**
	 * Refunds the charges of some rules for the request itself, even if the transaction
	 * was committed. The request is then not measured by any rule, including rules that
	 * are not selected.
	 * @param rules selects the rules for which the request is free
	 */
	public void waive(Predicate<Rule> rules) {
		locked(() -> {
			if (this.phase != Phase.COMPLETED) {
				settlements().refundRequest(rules);
				this.inFlight.cancel();
			}
		});
	}

	/**
	 * Settles charges at the end of the request: refunds conditional charges whose
	 * condition is not met, resets buckets, and replaces estimated costs. Notifies
	 * listeners of the decisions for the request itself. Further calls have no effect.
	 * @param outcome the outcome of the request
	 */
	public void complete(RequestOutcome outcome) {
		Map<BucketKey, Long> actualCosts = endCosts(outcome);
		Verdict decided;
		this.lock.lock();
		try {
			if (this.phase == Phase.COMPLETED) {
				return;
			}
			if (this.entries.isSettledAtTheEnd()) {
				settlements().settle(outcome, actualCosts);
			}
			this.inFlight.end(outcome, this.entries.isRequestAllowed());
			this.phase = Phase.COMPLETED;
			decided = this.entries.published();
		}
		finally {
			this.lock.unlock();
		}
		this.evaluator.publish(decided, this.caller);
	}

	/**
	 * Determines the actual costs outside of the lock, since their expressions may run
	 * code of the application. Afterwards, code can no longer report costs.
	 */
	private Map<BucketKey, Long> endCosts(RequestOutcome outcome) {
		List<BucketCost> charged = locked(
				() -> (this.phase != Phase.COMPLETED) ? this.entries.settledCosts() : List.of());
		return charged.isEmpty() ? Map.of() : locked(this::costs).end(charged, outcome, this.caller);
	}

	private TransactionCosts costs() {
		this.costs = Objects.requireNonNullElseGet(this.costs, TransactionCosts::new);
		return this.costs;
	}

	/**
	 * The cost of the request under a rule, which code may report until the request ends.
	 * @param rule the id of a rule with an actual cost
	 * @return the cost, always the same object for a rule
	 */
	public EstimatedCost estimatedCost(String rule) {
		return locked(() -> (this.phase == Phase.COMPLETED) ? DisabledRateLimiter.NOTHING
				: costs().of(rule, this.evaluator.metering(), () -> locked(() -> this.entries.settledCosts(rule))));
	}

	/** Created only when needed: most requests have nothing to settle. */
	private TransactionSettlements settlements() {
		return new TransactionSettlements(this.evaluator.buckets(), this.failureFlag, this.entries);
	}

	/**
	 * The current verdict: the last outcome, and the latest decision of each rule. Times
	 * in the decisions are relative to the end of the last wait.
	 * @return the verdict to show to the client
	 */
	public Verdict verdict() {
		this.lock.lock();
		try {
			return this.entries.shown();
		}
		finally {
			this.lock.unlock();
		}
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

		/** Charges are final. */
		COMMITTED,

		/** The request has ended. */
		COMPLETED

	}

}
