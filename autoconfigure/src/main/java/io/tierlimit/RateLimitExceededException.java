package io.tierlimit;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Says that a call may not go on because of a limit, and carries the verdict. In a web
 * request it becomes the same 429 as the filter's, 403 for an anonymous caller of what is
 * not for such, 400 for a client-supplied value that is not valid, or 503 if the limits
 * can't be looked up.
 */
public final class RateLimitExceededException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient Verdict verdict;

	private final @Nullable Duration retryAfter;

	/**
	 * Creates the exception.
	 * @param verdict a verdict that doesn't allow the call
	 */
	public RateLimitExceededException(Verdict verdict) {
		super(message(verdict));
		this.verdict = verdict;
		this.retryAfter = longest(verdict.violated());
	}

	private static @Nullable Duration longest(List<RuleDecision> violated) {
		Duration longest = null;
		for (RuleDecision decision : violated) {
			Duration wait = decision.decision().retryAfter();
			if (wait == null) {
				return null;
			}
			longest = (longest != null && longest.compareTo(wait) > 0) ? longest : wait;
		}
		return longest;
	}

	private static String message(Verdict verdict) {
		return switch (verdict.outcome()) {
			case DENIED -> "Not for anonymous callers";
			case INVALID -> "A client-supplied value that a rule needs is not valid";
			case UNAVAILABLE -> "The limits can't be looked up at present";
			default -> "Over the limit of" + violated(verdict);
		};
	}

	private static String violated(Verdict verdict) {
		StringBuilder message = new StringBuilder();
		for (RuleDecision decision : verdict.violated()) {
			Duration wait = decision.decision().retryAfter();
			message.append(" '")
				.append(decision.rule())
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

	/**
	 * How long to wait before the same is worth another try.
	 * @return the longest wait of the rules that refused; {@code null} if it can never
	 * pass, or if no limit refused
	 */
	public @Nullable Duration retryAfter() {
		return this.retryAfter;
	}

}
