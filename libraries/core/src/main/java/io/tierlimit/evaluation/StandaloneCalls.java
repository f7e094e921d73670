package io.tierlimit.evaluation;

import java.lang.reflect.Method;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.Verdict;
import io.tierlimit.spi.CallerResolver;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates calls to annotated methods outside of web requests. Each call has its own
 * transaction. Since no response completes the transaction, every call is charged, even
 * if it fails. Permits that a call holds are released at the end of the call.
 *
 * @param rules the current rules
 * @param methods finds the rules of a method
 * @param evaluator decides the calls
 * @param callers resolves the caller
 */
public record StandaloneCalls(ActiveRules rules, MethodRulesLookup methods, RateLimitEvaluator evaluator,
		CallerResolver callers) implements CurrentRequest {

	@Override
	public RunningCall beginCall(Method method, Class<?> type, @Nullable Object[] arguments) {
		MethodRules rules = this.methods.of(this.rules.current(), method, type);
		if (rules.isEmpty()) {
			return RunningCall.WITHOUT_PERMITS;
		}
		RateLimitTransaction transaction = new RateLimitTransaction(this.evaluator, this.callers.resolve());
		Verdict verdict = transaction.await(transaction.evaluateCall(rules, arguments));
		transaction.publishCall(verdict);
		if (!verdict.allowed()) {
			throw new RateLimitExceededException(verdict);
		}
		return transaction.beginCall(verdict, false);
	}

}
