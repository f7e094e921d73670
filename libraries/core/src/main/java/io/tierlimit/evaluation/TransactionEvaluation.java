package io.tierlimit.evaluation;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import io.tierlimit.Verdict;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.StoreFailureFlag;
import org.jspecify.annotations.Nullable;

/**
 * One evaluation of a transaction: the rules, the caller, and the wait of an evaluation
 * that is rejected only because permits are in use. Such an evaluation is decided again
 * in each turn of its wait. One thread decides it. Other threads read the first verdict.
 */
final class TransactionEvaluation {

	final List<MatchedRule> matched;

	private final Caller caller;

	/** Whether the request itself is evaluated, not a call within the request. */
	final boolean ofRequest;

	private final Runnable precondition;

	private final @Nullable Function<RuleCharge, @Nullable RuleCharge> selection;

	/** The rules of the handler if its call is evaluated. */
	final MethodRules handler;

	/** {@code null} unless the evaluation must wait until permits in use are released. */
	private @Nullable ReleaseWait wait;

	/** The first verdict, which is a rejection if the evaluation must wait. */
	Verdict first = Verdict.UNLIMITED;

	private TransactionEvaluation(List<MatchedRule> matched, Caller caller, boolean ofRequest, Runnable precondition,
			@Nullable Function<RuleCharge, @Nullable RuleCharge> selection, MethodRules handler) {
		this.matched = matched;
		this.caller = caller;
		this.ofRequest = ofRequest;
		this.precondition = precondition;
		this.selection = selection;
		this.handler = handler;
	}

	/**
	 * The evaluation of a request at its target.
	 * @param precondition called after keys and costs were resolved
	 * @param selection omits or reduces charges; {@code null} if it changes none
	 */
	static TransactionEvaluation ofRequest(List<MatchedRule> matched, Caller caller, Runnable precondition,
			@Nullable Function<RuleCharge, @Nullable RuleCharge> selection) {
		return new TransactionEvaluation(matched, caller, true, precondition, selection, MethodRules.NONE);
	}

	/**
	 * The evaluation of the call to the handler, which is a part of the request.
	 * @param selection omits or reduces charges
	 */
	static TransactionEvaluation ofHandlerCall(List<MatchedRule> matched, Caller caller, MethodRules handler,
			Function<RuleCharge, @Nullable RuleCharge> selection) {
		return new TransactionEvaluation(matched, caller, true, RateLimitTransaction::none, selection, handler);
	}

	/**
	 * The evaluation of a call to any other method.
	 * @param selection omits charges
	 */
	static TransactionEvaluation ofCall(List<MatchedRule> matched, Caller caller,
			Function<RuleCharge, @Nullable RuleCharge> selection) {
		return new TransactionEvaluation(matched, caller, false, RateLimitTransaction::none, selection,
				MethodRules.NONE);
	}

	/** Resolves keys and costs. This may run code of the application. */
	Resolution resolve() {
		Resolution resolution = Resolution.of(this.matched, this.caller);
		this.precondition.run();
		return resolution;
	}

	/**
	 * Decides the charges, for the first time or in a turn of the wait.
	 * @return the verdict; {@code null} if the evaluation must wait for its next turn
	 */
	@Nullable Verdict decide(Resolution resolution, Admission admission, StoreFailureFlag failureFlag) {
		Verdict rejection = resolution.rejection();
		Verdict verdict = (rejection != null) ? rejection
				: admission.acquire(resolution.selected(this.selection), failureFlag, this.wait);
		return beginOrContinueWait(verdict, admission) ? null : verdict;
	}

	private boolean beginOrContinueWait(Verdict verdict, Admission admission) {
		ReleaseWait begun = this.wait;
		if (begun != null) {
			return begun.continuesAfter(verdict);
		}
		this.first = verdict;
		this.wait = ReleaseWait.begin(admission.queue(), verdict);
		return isWaiting();
	}

	/** Whether the first verdict is not final. */
	boolean isWaiting() {
		return this.wait != null;
	}

	ReleaseWait releaseWait() {
		return Objects.requireNonNull(this.wait);
	}

}
