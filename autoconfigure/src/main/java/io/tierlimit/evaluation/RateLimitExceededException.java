package io.tierlimit.evaluation;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Says that a limit was exceeded, and carries the verdict. In a web request it becomes
 * the same 429 as the filter's.
 */
public final class RateLimitExceededException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient Verdict verdict;

	/**
	 * Creates the exception.
	 * @param verdict a verdict that refuses
	 */
	public RateLimitExceededException(Verdict verdict) {
		super(message(verdict));
		this.verdict = verdict;
	}

	private static String message(Verdict verdict) {
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
