package io.tierlimit.evaluation;

import java.util.List;
import java.util.function.Function;

import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * An evaluation of a transaction that was rejected because permits are in use, and that
 * is repeated when they are released.
 */
final class PendingEvaluation {

	final List<MatchedRule> matched;

	final Caller caller;

	/** Whether the request itself is evaluated, not a call within the request. */
	final boolean ofRequest;

	final Runnable precondition;

	final @Nullable Function<RuleCharge, @Nullable RuleCharge> selection;

	final ReleaseWait wait;

	/** The first verdict. */
	final Verdict rejection;

	/** The verdict for observers: the request is not rejected yet. */
	final Verdict observed = new Verdict(Outcome.ALLOWED, List.of());

	/** The rules of the handler if the evaluation is the call to the handler. */
	@Nullable MethodRules handler;

	PendingEvaluation(List<MatchedRule> matched, Caller caller, boolean ofRequest, Runnable precondition,
			@Nullable Function<RuleCharge, @Nullable RuleCharge> selection, ReleaseWait wait, Verdict rejection) {
		this.matched = matched;
		this.caller = caller;
		this.ofRequest = ofRequest;
		this.precondition = precondition;
		this.selection = selection;
		this.wait = wait;
		this.rejection = rejection;
	}

	/** Whether a verdict is the first verdict. Another verdict may be equal to it. */
	@SuppressWarnings("ReferenceEquality")
	boolean isOf(Verdict verdict) {
		return verdict == this.rejection || verdict == this.observed;
	}

}
