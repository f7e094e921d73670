package io.tierlimit.web.header;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import org.jspecify.annotations.Nullable;

/**
 * Formats a verdict as headers. Seconds are rounded up, so that a client that waits for
 * that long is never too early. Shadow rules and hidden rules are omitted, but the wait
 * of a hidden rule counts for {@code Retry-After}. One jitter lengthens all waits of a
 * rejection.
 * <p>
 * A request gets the same texts again and again, except for the remaining permits and the
 * times. So the texts that depend only on a rule and its limit are formatted once
 * ({@link Policy}), and there is one set of header names for each combination of headers.
 */
public final class RateLimitHeaders {

	private static final String POLICY = "RateLimit-Policy";

	private static final String LIMIT = "RateLimit";

	private static final String RETRY_AFTER = "Retry-After";

	private static final Triple CLASSIC = Triple.of("RateLimit-");

	private static final Triple X_RATELIMIT = Triple.of("X-RateLimit-");

	/** The headers of a verdict, added up: those of the styles, and two more. */
	private static final int STYLES = 1;

	private static final int LIMITS = 2;

	private static final int WAIT = 4;

	private final Set<HeaderStyle> styles;

	private final XRateLimitReset xRateLimitReset;

	private final RetryAfterJitter jitter;

	private final InstantSource clock;

	/** The names of the headers, by the sum of the constants above. */
	private final List<Set<String>> names;

	private final ConcurrentMap<String, Policy> policies = new ConcurrentHashMap<>();

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
		this.names = IntStream.rangeClosed(0, STYLES + LIMITS + WAIT).mapToObj(this::names).toList();
	}

	/** The names in the order in which they are written. */
	private Set<String> names(int headers) {
		boolean shown = (headers & STYLES) != 0;
		Set<String> names = new LinkedHashSet<>();
		if (shown && this.styles.contains(HeaderStyle.IETF)) {
			names.add(POLICY);
		}
		if ((headers & LIMITS) != 0) {
			names.add(LIMIT);
		}
		if (shown && this.styles.contains(HeaderStyle.CLASSIC)) {
			names.addAll(List.of(CLASSIC.limit(), CLASSIC.remaining(), CLASSIC.reset()));
		}
		if (shown && this.styles.contains(HeaderStyle.X_RATELIMIT)) {
			names.addAll(List.of(X_RATELIMIT.limit(), X_RATELIMIT.remaining(), X_RATELIMIT.reset()));
		}
		if ((headers & WAIT) != 0) {
			names.add(RETRY_AFTER);
		}
		return Collections.unmodifiableSet(names);
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
		write(verdict, headers::put);
		return headers;
	}

	/**
	 * Formats a verdict, and sets the headers. Call this once for each rejection, as
	 * {@link #of}.
	 * @param verdict the verdict on a request
	 * @param response sets a header, by its name and value; not called if all rules that
	 * apply are shadow or hidden rules
	 * @return the names of the headers that were set
	 */
	public Set<String> write(Verdict verdict, BiConsumer<String, String> response) {
		boolean rejected = verdict.outcome() == Verdict.Outcome.REJECTED;
		LongUnaryOperator lengthening = rejected ? this.jitter.next() : LongUnaryOperator.identity();
		RuleDecision closest = closest(verdict.decisions());
		int written = (closest != null) ? STYLES : 0;
		if (closest != null && this.styles.contains(HeaderStyle.IETF)) {
			response.accept(POLICY, policies(verdict.decisions()));
			String limits = limits(verdict.decisions(), rejected, lengthening);
			if (!limits.isEmpty()) {
				response.accept(LIMIT, limits);
				written += LIMITS;
			}
		}
		if (closest != null && this.styles.contains(HeaderStyle.CLASSIC)) {
			write(CLASSIC, closest, seconds(closest.decision().resetTicks()), response);
		}
		if (closest != null && this.styles.contains(HeaderStyle.X_RATELIMIT)) {
			write(X_RATELIMIT, closest, xRateLimitReset(closest.decision()), response);
		}
		long wait = rejected ? longestWait(verdict.decisions(), lengthening) : 0;
		if (wait > 0) {
			response.accept(RETRY_AFTER, Long.toString(wait));
			written += WAIT;
		}
		return this.names.get(written);
	}

	/**
	 * Whether headers show a decision.
	 * @param decision a rule's decision
	 * @return whether the rule is enforced and not hidden
	 */
	public static boolean isShown(RuleDecision decision) {
		return !decision.shadow() && !decision.hidden();
	}

	/** In seconds; 0 if a violated rule can never allow the request. */
	private static long longestWait(List<RuleDecision> decisions, LongUnaryOperator lengthening) {
		long longest = 0;
		for (int i = 0; i < decisions.size(); i++) {
			RuleDecision decision = decisions.get(i);
			if (decision.violated()) {
				if (decision.decision().neverAllowed()) {
					return 0;
				}
				longest = Math.max(longest, wait(decision.decision(), lengthening));
			}
		}
		return longest;
	}

	/** The shown decision that is closest to rejection; {@code null} if none is shown. */
	private static @Nullable RuleDecision closest(List<RuleDecision> decisions) {
		RuleDecision closest = null;
		for (int i = 0; i < decisions.size(); i++) {
			RuleDecision decision = decisions.get(i);
			if (isShown(decision) && (closest == null || compare(decision, closest) < 0)) {
				closest = decision;
			}
		}
		return closest;
	}

	private static int compare(RuleDecision one, RuleDecision other) {
		int order = Long.compare(violation(other), violation(one));
		if (order == 0) {
			order = Long.compare(one.decision().remaining(), other.decision().remaining());
		}
		if (order == 0) {
			order = Long.compare(other.decision().resetTicks(), one.decision().resetTicks());
		}
		return (order != 0) ? order : one.rule().compareTo(other.rule());
	}

	private static long violation(RuleDecision decision) {
		return decision.violated() ? decision.decision().retryAfterTicks() : 0;
	}

	private String policies(List<RuleDecision> decisions) {
		String first = "";
		StringBuilder field = null;
		for (int i = 0; i < decisions.size(); i++) {
			RuleDecision decision = decisions.get(i);
			if (!isShown(decision)) {
				continue;
			}
			String item = policy(decision).item();
			if (first.isEmpty()) {
				first = item;
				continue;
			}
			if (field == null) {
				field = new StringBuilder(decisions.size() * (item.length() + 8)).append(first);
			}
			field.append(", ").append(item);
		}
		return (field != null) ? field.toString() : first;
	}

	/** Empty if only hidden rules reject the request. */
	private String limits(List<RuleDecision> decisions, boolean rejected, LongUnaryOperator lengthening) {
		StringBuilder field = new StringBuilder(decisions.size() * 32);
		for (int i = 0; i < decisions.size(); i++) {
			RuleDecision decision = decisions.get(i);
			if (!isShown(decision) || (rejected && !decision.violated())) {
				continue;
			}
			field.append(field.isEmpty() ? "" : ", ").append(policy(decision).remaining());
			if (!decision.violated()) {
				field.append(decision.decision().remaining())
					.append(";t=")
					.append(secondsAtLeastOne(decision.limit().quotaWindow(decision.decision())));
			}
			else if (decision.decision().neverAllowed()) {
				field.append('0');
			}
			else {
				field.append("0;t=").append(wait(decision.decision(), lengthening));
			}
		}
		return field.toString();
	}

	private Policy policy(RuleDecision decision) {
		Policy first = this.policies.get(decision.rule());
		for (Policy policy = first; policy != null; policy = policy.next()) {
			if (policy.limit() == decision.limit()) {
				return policy;
			}
		}
		Policy added = Policy.of(decision, first);
		// A rule has a limit for each plan. The oldest texts go if a store creates more.
		this.policies.put(decision.rule(), (added.count() > Policy.MAX) ? Policy.of(decision, null) : added);
		return added;
	}

	private void write(Triple names, RuleDecision decision, long reset, BiConsumer<String, String> response) {
		response.accept(names.limit(), policy(decision).capacity());
		response.accept(names.remaining(), Long.toString(decision.decision().remaining()));
		response.accept(names.reset(), Long.toString(reset));
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

	/** The names of three headers. */
	private record Triple(String limit, String remaining, String reset) {

		static Triple of(String prefix) {
			return new Triple(prefix + "Limit", prefix + "Remaining", prefix + "Reset");
		}

	}

	/**
	 * The texts of a rule under one limit, which are the same for each request.
	 *
	 * @param limit the limit
	 * @param item the rule in {@code RateLimit-Policy}
	 * @param remaining the rule in {@code RateLimit}, up to the remaining permits
	 * @param capacity the rule in {@code RateLimit-Limit}
	 * @param count the number of policies from this one on
	 * @param next the policy of the same rule under another limit
	 */
	private record Policy(Limit limit, String item, String remaining, String capacity, int count,
			@Nullable Policy next) {

		private static final int MAX = 100;

		static Policy of(RuleDecision decision, @Nullable Policy next) {
			Limit limit = decision.limit();
			String name = '"' + decision.rule() + '"';
			return new Policy(limit, name + ";q=" + limit.quota() + ";w=" + secondsAtLeastOne(limit.quotaWindow()),
					name + ";r=", Long.toString(limit.capacity()), (next != null) ? next.count() + 1 : 1, next);
		}

	}

}
