package io.tierlimit.web.header;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongUnaryOperator;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;

/**
 * Formats a verdict as headers. Seconds are rounded up, so that a client that waits for
 * that long is never too early. Shadow rules and hidden rules are omitted, but the wait
 * of a hidden rule counts for {@code Retry-After}. One jitter lengthens all waits of a
 * rejection.
 */
public final class RateLimitHeaders {

	private static final Comparator<RuleDecision> CLOSEST_TO_REJECTION = Comparator
		.<RuleDecision>comparingLong((decision) -> decision.violated() ? -decision.decision().retryAfterTicks() : 0)
		.thenComparing((decision) -> decision.decision().remaining())
		.thenComparing((decision) -> -decision.decision().resetTicks())
		.thenComparing((decision) -> decision.rule());

	private final Set<HeaderStyle> styles;

	private final XRateLimitReset xRateLimitReset;

	private final RetryAfterJitter jitter;

	private final InstantSource clock;

	/**
	 * Creates a formatter.
	 * @param styles the families to write
	 * @param xRateLimitReset what {@code X-RateLimit-Reset} counts
	 * @param jitter lengthens the waits of rejected clients
	 * @param clock the time for resets that count from the epoch
	 */
	public RateLimitHeaders(Collection<HeaderStyle> styles, XRateLimitReset xRateLimitReset, RetryAfterJitter jitter,
			InstantSource clock) {
		this.styles = Set.copyOf(styles);
		this.xRateLimitReset = xRateLimitReset;
		this.jitter = jitter;
		this.clock = clock;
	}

	/**
	 * Formats a verdict. Call this once for each rejection: the jitter differs in each
	 * call.
	 * @param verdict the verdict on a request
	 * @return the headers by name, in the order in which they are written; empty if all
	 * rules that apply are shadow or hidden rules
	 */
	public Map<String, String> of(Verdict verdict) {
		Map<String, String> headers = new LinkedHashMap<>();
		boolean rejected = verdict.outcome() == Verdict.Outcome.REJECTED;
		LongUnaryOperator lengthening = rejected ? this.jitter.next() : LongUnaryOperator.identity();
		List<RuleDecision> shown = verdict.decisions().stream().filter(RateLimitHeaders::isShown).toList();
		if (!shown.isEmpty()) {
			addStyles(shown, rejected, lengthening, headers);
		}
		if (rejected) {
			retryAfter(verdict.violated(), lengthening)
				.ifPresent((seconds) -> headers.put("Retry-After", Long.toString(seconds)));
		}
		return headers;
	}

	/**
	 * Whether headers show a decision.
	 * @param decision a rule's decision
	 * @return whether the rule is enforced and not hidden
	 */
	public static boolean isShown(RuleDecision decision) {
		return !decision.shadow() && !decision.hidden();
	}

	/** Empty if a violated rule can never allow the request. */
	private static OptionalLong retryAfter(List<RuleDecision> violated, LongUnaryOperator lengthening) {
		if (violated.stream().anyMatch((decision) -> decision.decision().neverAllowed())) {
			return OptionalLong.empty();
		}
		return violated.stream().mapToLong((decision) -> wait(decision.decision(), lengthening)).max();
	}

	private void addStyles(List<RuleDecision> shown, boolean rejected, LongUnaryOperator lengthening,
			Map<String, String> headers) {
		if (this.styles.contains(HeaderStyle.IETF)) {
			headers.put("RateLimit-Policy", policies(shown));
			List<RuleDecision> limiting = rejected ? shown.stream().filter(RuleDecision::violated).toList() : shown;
			if (!limiting.isEmpty()) {
				headers.put("RateLimit", limits(limiting, lengthening));
			}
		}
		RuleDecision closest = shown.stream().min(CLOSEST_TO_REJECTION).orElseThrow();
		if (this.styles.contains(HeaderStyle.CLASSIC)) {
			addTriple("RateLimit-", closest, seconds(closest.decision().resetTicks()), headers);
		}
		if (this.styles.contains(HeaderStyle.X_RATELIMIT)) {
			addTriple("X-RateLimit-", closest, xRateLimitReset(closest.decision()), headers);
		}
	}

	private static String policies(List<RuleDecision> decisions) {
		StringBuilder field = new StringBuilder();
		for (RuleDecision decision : decisions) {
			Limit limit = decision.limit();
			startItem(field, decision).append(";q=")
				.append(limit.quota())
				.append(";w=")
				.append(secondsAtLeastOne(limit.quotaWindow()));
		}
		return field.toString();
	}

	private static String limits(List<RuleDecision> decisions, LongUnaryOperator lengthening) {
		StringBuilder field = new StringBuilder();
		for (RuleDecision decision : decisions) {
			startItem(field, decision);
			if (!decision.violated()) {
				field.append(";r=")
					.append(decision.decision().remaining())
					.append(";t=")
					.append(secondsAtLeastOne(decision.limit().quotaWindow(decision.decision())));
			}
			else if (decision.decision().neverAllowed()) {
				field.append(";r=0");
			}
			else {
				field.append(";r=0;t=").append(wait(decision.decision(), lengthening));
			}
		}
		return field.toString();
	}

	private static StringBuilder startItem(StringBuilder field, RuleDecision decision) {
		if (!field.isEmpty()) {
			field.append(", ");
		}
		return field.append('"').append(decision.rule()).append('"');
	}

	private static void addTriple(String prefix, RuleDecision decision, long reset, Map<String, String> headers) {
		headers.put(prefix + "Limit", Long.toString(decision.limit().capacity()));
		headers.put(prefix + "Remaining", Long.toString(decision.decision().remaining()));
		headers.put(prefix + "Reset", Long.toString(reset));
	}

	private long xRateLimitReset(Decision decision) {
		if (this.xRateLimitReset == XRateLimitReset.DELTA) {
			return seconds(decision.resetTicks());
		}
		Instant reset = this.clock.instant().plus(decision.resetAfter());
		return (reset.getNano() > 0) ? reset.getEpochSecond() + 1 : reset.getEpochSecond();
	}

	private static long wait(Decision decision, LongUnaryOperator lengthening) {
		return secondsAtLeastOne(lengthening.applyAsLong(decision.retryAfterTicks()));
	}

	private static long secondsAtLeastOne(long ticks) {
		return Math.max(1, seconds(ticks));
	}

	private static long seconds(long ticks) {
		return -Math.floorDiv(-ticks, 1_000_000L);
	}

}
