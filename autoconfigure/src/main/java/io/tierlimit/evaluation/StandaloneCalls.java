package io.tierlimit.evaluation;

import io.tierlimit.Verdict;
import io.tierlimit.spi.CallerResolver;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates calls of annotated methods outside of web requests. Each call has its own
 * transaction, which no response completes, so every call is charged, even if it fails.
 */
public final class StandaloneCalls implements CurrentRequest {

	private final RateLimitEvaluator evaluator;

	private final CallerResolver callers;

	/**
	 * Creates an evaluator of calls.
	 * @param evaluator decides
	 * @param callers resolves the caller
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
