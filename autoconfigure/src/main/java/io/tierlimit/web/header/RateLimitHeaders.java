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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

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
 * times. So the texts of a rule and its limit are formatted once ({@link LimitTexts}),
 * and there is one set of header names for each combination of headers.
 */
public final class RateLimitHeaders {

	private static final String POLICY = "RateLimit-Policy";

	private static final String LIMIT = "RateLimit";

	private static final String RETRY_AFTER = "Retry-After";

	/** The headers of a verdict, added up: those of the styles, and two more. */
	private static final int STYLES = 1;

	private static final int LIMITS = 2;

	private static final int WAIT = 4;

	/** The length of most policies. */
	private static final int POLICY_LENGTH = 24;

	/** The number of limits whose texts are stored. */
	private static final int MAX_TEXTS = 10_000;

	/** The texts of the most frequent numbers. */
	private static final List<String> NUMBERS = LongStream.range(0, 256).mapToObj(Long::toString).toList();

	private final Set<HeaderStyle> styles;

	private final XRateLimitReset xRateLimitReset;

	private final RetryAfterJitter jitter;

	private final InstantSource clock;

	/** The names of the headers, by the sum of the constants above. */
	private final List<Set<String>> names;

	/** The texts of each rule. */
	private final Map<String, LimitTexts> texts = new ConcurrentHashMap<>();

	private final AtomicInteger textCount = new AtomicInteger();

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
		Set<String> names = new LinkedHashSet<>();
		if ((headers & STYLES) != 0) {
			headers().forEach((header) -> names.add(header.name()));
		}
		if ((headers & LIMITS) == 0) {
			names.remove(LIMIT);
		}
		if ((headers & WAIT) != 0) {
			names.add(RETRY_AFTER);
		}
		return Collections.unmodifiableSet(names);
	}

	/**
	 * The headers that describe the limits of a request.
	 * @return the headers in the order in which they are written, without Retry-After
	 */
	public List<LimitHeader> headers() {
		return Stream.of(HeaderStyle.values())
			.filter(this.styles::contains)
			.flatMap((style) -> style.headers().stream())
			.toList();
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
		List<RuleDecision> decisions = verdict.decisions();
		RuleDecision closest = closest(decisions);
		int written = (closest != null) ? STYLES : 0;
		if (closest != null && this.styles.contains(HeaderStyle.IETF)) {
			StringBuilder field = new StringBuilder(POLICY_LENGTH * decisions.size());
			response.accept(POLICY, policies(decisions, field));
			field.setLength(0);
			String limits = limits(decisions, rejected, lengthening, field);
			if (!limits.isEmpty()) {
				response.accept(LIMIT, limits);
				written += LIMITS;
			}
		}
		if (closest != null && this.styles.contains(HeaderStyle.CLASSIC)) {
			write(HeaderStyle.CLASSIC, closest, seconds(closest.decision().resetTicks()), response);
		}
		if (closest != null && this.styles.contains(HeaderStyle.X_RATELIMIT)) {
			write(HeaderStyle.X_RATELIMIT, closest, xRateLimitReset(closest.decision()), response);
		}
		long wait = rejected ? longestWait(decisions, lengthening) : 0;
		if (wait > 0) {
			response.accept(RETRY_AFTER, text(wait));
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

	private String policies(List<RuleDecision> decisions, StringBuilder field) {
		for (int i = 0; i < decisions.size(); i++) {
			RuleDecision decision = decisions.get(i);
			if (isShown(decision)) {
				field.append(field.isEmpty() ? "" : ", ").append(texts(decision).policy());
			}
		}
		return field.toString();
	}

	/** Empty if only hidden rules reject the request. */
	private String limits(List<RuleDecision> decisions, boolean rejected, LongUnaryOperator lengthening,
			StringBuilder field) {
		for (int i = 0; i < decisions.size(); i++) {
			RuleDecision decision = decisions.get(i);
			if (!isShown(decision) || (rejected && !decision.violated())) {
				continue;
			}
			field.append(field.isEmpty() ? "" : ", ").append(texts(decision).remaining());
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

	/** The texts of a decision, which are formatted once. */
	private LimitTexts texts(RuleDecision decision) {
		LimitTexts first = this.texts.get(decision.rule());
		LimitTexts known = first;
		while (known != null && known.limit() != decision.limit()) {
			known = known.other();
		}
		if (known != null) {
			return known;
		}
		if (this.textCount.incrementAndGet() > MAX_TEXTS) {
			// A store may create a limit for each decision: all texts are made again.
			this.textCount.set(0);
			this.texts.clear();
			first = null;
		}
		LimitTexts added = LimitTexts.of(decision, first);
		this.texts.put(decision.rule(), added);
		return added;
	}

	private void write(HeaderStyle triple, RuleDecision decision, long reset, BiConsumer<String, String> response) {
		List<LimitHeader> headers = triple.headers();
		response.accept(headers.get(0).name(), texts(decision).capacity());
		response.accept(headers.get(1).name(), text(decision.decision().remaining()));
		response.accept(headers.get(2).name(), text(reset));
	}

	private static String text(long number) {
		return (number >= 0 && number < NUMBERS.size()) ? NUMBERS.get((int) number) : Long.toString(number);
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

	static long secondsAtLeastOne(long ticks) {
		return Math.max(1, seconds(ticks));
	}

	static long seconds(long ticks) {
		return -Math.floorDiv(-ticks, 1_000_000L);
	}

	/**
	 * The texts of a rule under one limit, such as that of a plan.
	 *
	 * @param limit the limit
	 * @param policy the rule in {@code RateLimit-Policy}
	 * @param remaining the rule in {@code RateLimit}, up to the remaining permits
	 * @param capacity the rule in {@code RateLimit-Limit}
	 * @param other the texts of the rule under another limit; {@code null} for none. If
	 * threads add several at once, some may be lost
	 */
	private record LimitTexts(Limit limit, String policy, String remaining, String capacity,
			@Nullable LimitTexts other) {

		static LimitTexts of(RuleDecision decision, @Nullable LimitTexts other) {
			Limit limit = decision.limit();
			String name = '"' + decision.rule() + '"';
			return new LimitTexts(limit, name + ";q=" + limit.quota() + ";w=" + secondsAtLeastOne(limit.quotaWindow()),
					name + ";r=", Long.toString(limit.capacity()), other);
		}

	}

}
