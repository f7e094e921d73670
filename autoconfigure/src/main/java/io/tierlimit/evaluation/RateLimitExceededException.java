package io.tierlimit.evaluation;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Says that a call may not go on because of a limit, and carries the verdict. In a web
 * request it becomes the same 429 as the filter's, or 403 for an anonymous caller of what
 * is not for such.
 */
public final class RateLimitExceededException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient Verdict verdict;

	/**
	 * Creates the exception.
	 * @param verdict a verdict that doesn't allow the call
	 */
	public RateLimitExceededException(Verdict verdict) {
		super(message(verdict));
		this.verdict = verdict;
	}

	private static String message(Verdict verdict) {
		if (verdict.outcome() == Verdict.Outcome.DENIED) {
			return "Not for anonymous callers";
		}
		StringBuilder message = new StringBuilder("Over the limit of");
		for (RuleDecision decision : verdict.violated()) {
			Duration wait = decision.decision().retryAfter();
			message.append(" '")
				.append(decision.rule().id())
				.append((wait != null) ? "' (retry after " + wait + ")" : "' (can never pass)");
		}
		return message.toString();
	}

	/**
	 * Every decision, and which rules refused.
	 * @return the verdict; {@code null} if the exception was serialized
	 */
	public @Nullable Verdict verdict() {
		return this.verdict;
	}

}
