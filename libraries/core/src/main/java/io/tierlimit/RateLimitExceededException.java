package io.tierlimit;

import java.time.Duration;
import java.util.List;

import io.tierlimit.limit.Decision;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a call is rejected. Contains the verdict. In a web request, it results in the
 * same response as a rejection by the filter: 429, or 403 if a rule denies callers
 * without a value for its key, 400 for an invalid client-supplied value, or 503 if the
 * store cannot be reached.
 */
public final class RateLimitExceededException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient Verdict verdict;

	private final @Nullable Duration retryAfter;

	/**
	 * Creates the exception.
	 * @param verdict a verdict that rejects the call
	 */
	public RateLimitExceededException(Verdict verdict) {
		super(message(verdict));
		this.verdict = verdict;
		this.retryAfter = longest(verdict.violated());
	}

	private static @Nullable Duration longest(List<RuleDecision> violated) {
		Duration longest = null;
		for (RuleDecision decision : violated) {
			if (decision.decision().neverAllowed()) {
				return null;
			}
			Duration wait = decision.decision().retryAfter();
			boolean longer = wait != null && (longest == null || wait.compareTo(longest) > 0);
			longest = longer ? wait : longest;
		}
		return longest;
	}

	private static String message(Verdict verdict) {
		return switch (verdict.outcome()) {
			case DENIED -> "A rule rejects callers without a value for its key";
			case INVALID -> "A client-supplied value that a rule needs is not valid";
			case UNAVAILABLE -> "The store of the limits cannot be reached";
			default -> "Over the limit of" + violated(verdict);
		};
	}

	private static String violated(Verdict verdict) {
		StringBuilder message = new StringBuilder();
		for (RuleDecision decision : verdict.violated()) {
			message.append(" '").append(decision.rule()).append("' (").append(wait(decision.decision())).append(')');
		}
		return message.toString();
	}

	private static String wait(Decision decision) {
		if (decision.isWaitUnknown()) {
			return "it is not known when a permit becomes available";
		}
		return decision.neverAllowed() ? "can never be allowed" : "retry after " + decision.retryAfter();
	}

	/**
	 * The verdict with all decisions.
	 * @return the verdict; {@code null} if the exception was serialized
	 */
	public @Nullable Verdict verdict() {
		return this.verdict;
	}

	/**
	 * The time after which the same call is allowed, if no other call consumes permits in
	 * the meantime. Another call may release a permit of a concurrency limit at any time,
	 * so a violated rule with such a limit has a wait only if it has a
	 * {@code retry-after-hint}.
	 * @return the longest known wait of the violated rules; {@code null} if no wait is
	 * known, if the call can never be allowed, or if no rule is violated
	 */
	public @Nullable Duration retryAfter() {
		return this.retryAfter;
	}

}
