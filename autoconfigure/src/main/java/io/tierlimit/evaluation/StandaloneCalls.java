package io.tierlimit.evaluation;

import io.tierlimit.Verdict;
import io.tierlimit.spi.CallerResolver;
import org.jspecify.annotations.Nullable;

/**
 * Calls of annotated methods outside of web requests: a transaction for each of them,
 * which no response completes. So every call is charged, whatever comes of it.
 */
public final class StandaloneCalls implements CurrentRequest {

	private final RateLimitEvaluator evaluator;

	private final CallerResolver callers;

	/**
	 * Creates an evaluation of calls.
	 * @param evaluator decides
	 * @param callers finds the caller
	 */
	public StandaloneCalls(RateLimitEvaluator evaluator, CallerResolver callers) {
		this.evaluator = evaluator;
		this.callers = callers;
	}

	@Override
	public Verdict evaluateCall(MethodRules rules, @Nullable Object[] arguments) {
		RateLimitTransaction transaction = new RateLimitTransaction(this.evaluator, this.callers.resolve());
		Verdict verdict = transaction.evaluateCall(rules, arguments);
		transaction.await(verdict);
		transaction.publishCall(verdict);
		return verdict;
	}

}
