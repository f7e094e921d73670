package io.tierlimit.web.header;

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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import org.jspecify.annotations.Nullable;

/**
 * Formats a verdict as headers. Seconds are rounded up, so that a client that waits for
 * that long is never too early. Shadow rules and hidden rules are omitted, but
 * {@code Retry-After} includes the waits of hidden rules. One jitter lengthens all waits
 * of a rejection.
 * <p>
 * The time until a permit of a {@link Concurrency} limit is released is not known.
 * Therefore, such a rule has no times in the headers of draft 11, and is omitted from the
 * other styles. It has a wait only if its limit has a hint.
 * <p>
 * Except for the remaining permits and the times, the headers of a rule are the same for
 * each request. The constant parts of a rule and its limit are therefore formatted once
 * ({@link LimitStrings}), and the sets of header names are created once.
 */
public final class RateLimitHeaders {

	private static final String POLICY = "RateLimit-Policy";

	private static final String LIMIT = "RateLimit";

	private static final String RETRY_AFTER = "Retry-After";

	/** The parts of the headers that may be omitted, as bits. */
	private static final int POLICY_PART = 1;

	private static final int LIMIT_PART = 2;

	/** The headers of the styles that describe one rule. */
	private static final int TRIPLES_PART = 4;

	private static final int WAIT_PART = 8;

	/** The length of most policies. */
	private static final int POLICY_LENGTH = 24;

	/** The maximum number of limits whose strings are stored. */
	private static final int MAX_STRINGS = 10_000;

	/** The most frequent numbers as strings. */
	private static final List<String> NUMBERS = LongStream.range(0, 256).mapToObj(Long::toString).toList();

	private final List<LimitHeader> headers;

	private final boolean draft11;

	private final List<HeaderStyle> stylesOfOneRule;

	private final RetryAfterJitter jitter;

	private final InstantSource clock;

	/** The names of the headers by the parts that are written, in their order. */
	private final List<Set<String>> names;

	/** The strings of each rule. */
	private final Map<String, LimitStrings> strings = new ConcurrentHashMap<>();

	private final AtomicInteger stringCount = new AtomicInteger();

	/**
	 * Creates a formatter.
	 * @param styles the styles to write
	 * @param jitter lengthens the waits of rejected clients
	 * @param clock the current time, for resets that are times since the epoch
	 * @throws IllegalArgumentException if two styles have the same headers
	 */
	public RateLimitHeaders(Collection<HeaderStyle> styles, RetryAfterJitter jitter, InstantSource clock) {
		HeaderStyle.check(styles);
		List<HeaderStyle> ordered = Stream.of(HeaderStyle.values()).filter(styles::contains).toList();
		this.headers = ordered.stream().flatMap((style) -> style.headers().stream()).toList();
		this.draft11 = ordered.contains(HeaderStyle.DRAFT_11);
		this.stylesOfOneRule = ordered.stream().filter((style) -> !style.describesEveryRule()).toList();
		this.jitter = jitter;
		this.clock = clock;
		this.names = IntStream.range(0, 2 * WAIT_PART).mapToObj(this::names).toList();
	}

	private Set<String> names(int parts) {
		return Stream.concat(this.headers.stream().map(LimitHeader::name), Stream.of(RETRY_AFTER))
			.filter((name) -> (parts & part(name)) != 0)
			.collect(Collectors.collectingAndThen(Collectors.toCollection(LinkedHashSet::new),
					Collections::unmodifiableSet));
	}

	private static int part(String name) {
		return switch (name) {
			case POLICY -> POLICY_PART;
			case LIMIT -> LIMIT_PART;
			case RETRY_AFTER -> WAIT_PART;
			default -> TRIPLES_PART;
		};
	}

	/**
	 * The headers that describe the limits of a request.
	 * @return the headers in the order in which they are written, without Retry-After
	 */
	public List<LimitHeader> headers() {
		return this.headers;
	}

	/**
	 * Formats a verdict. Call this once for each rejection, because each call has another
	 * jitter.
	 * @param verdict the verdict on a request
	 * @return the headers by name, in the order in which they are written; empty if no
	 * rule is shown and the client need not wait
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
	 * @param headers sets a header, by its name and value; not called if no rule is shown
	 * and the client need not wait
	 * @return the names of the headers that were set
	 */
	public Set<String> write(Verdict verdict, BiConsumer<String, String> headers) {
		boolean rejected = verdict.outcome() == Verdict.Outcome.REJECTED;
		LongUnaryOperator jitter = rejected ? this.jitter.next() : LongUnaryOperator.identity();
		List<RuleDecision> decisions = verdict.decisions();
		RuleDecision closest = closest(decisions);
		long wait = rejected ? longestWait(decisions, jitter) : 0;
		int parts = 0;
		if (closest != null) {
			parts = writeDraft11(decisions, rejected, jitter, headers);
			if (!holdsPermits(closest)) {
				writeTriples(closest, wait, headers);
				parts |= TRIPLES_PART;
			}
		}
		if (wait > 0) {
			headers.accept(RETRY_AFTER, text(wait));
			parts |= WAIT_PART;
		}
		return this.names.get(parts);
	}

	/** Returns the parts that are written. */
	private int writeDraft11(List<RuleDecision> decisions, boolean rejected, LongUnaryOperator jitter,
			BiConsumer<String, String> headers) {
		if (!this.draft11) {
			return 0;
		}
		StringBuilder field = new StringBuilder(POLICY_LENGTH * decisions.size());
		headers.accept(POLICY, policies(decisions, field));
		field.setLength(0);
		String limits = limits(decisions, rejected, jitter, field);
		if (limits.isEmpty()) {
			return POLICY_PART;
		}
		headers.accept(LIMIT, limits);
		return POLICY_PART | LIMIT_PART;
	}

	/** Writes the styles that describe one rule. */
	private void writeTriples(RuleDecision closest, long wait, BiConsumer<String, String> headers) {
		for (int i = 0; i < this.stylesOfOneRule.size(); i++) {
			HeaderStyle style = this.stylesOfOneRule.get(i);
			List<LimitHeader> triple = style.headers();
			headers.accept(triple.get(0).name(), strings(closest).capacity());
			headers.accept(triple.get(1).name(), text(closest.decision().remaining()));
			headers.accept(triple.get(2).name(), text(style.reset(closest.decision(), wait, this.clock)));
		}
	}

	/**
	 * Whether headers show a decision.
	 * @param decision a rule's decision
	 * @return whether the rule is enforced and not hidden
	 */
	public static boolean isShown(RuleDecision decision) {
		return !decision.shadow() && !decision.hidden();
	}

	/**
	 * The longest known wait in seconds; 0 if no wait is known, or if a violated rule can
	 * never allow the request.
	 */
	private static long longestWait(List<RuleDecision> decisions, LongUnaryOperator jitter) {
		long longest = 0;
		for (int i = 0; i < decisions.size(); i++) {
			RuleDecision decision = decisions.get(i);
			if (decision.violated()) {
				if (decision.decision().neverAllowed()) {
					return 0;
				}
				if (!decision.decision().isWaitUnknown()) {
					longest = Math.max(longest, wait(decision.decision(), jitter));
				}
			}
		}
		return longest;
	}

	private static boolean holdsPermits(RuleDecision decision) {
		return decision.limit().algorithm().holdsPermits();
	}

	/**
	 * The shown decision that is closest to rejection. A rule with a concurrency limit is
	 * the closest only if no other rule is shown; {@code null} if none is shown.
	 */
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
		int order = Boolean.compare(holdsPermits(one), holdsPermits(other));
		if (order == 0) {
			order = Long.compare(waitOfViolation(other), waitOfViolation(one));
		}
		if (order == 0) {
			order = Long.compare(one.decision().remaining(), other.decision().remaining());
		}
		if (order == 0) {
			order = Long.compare(other.decision().resetTicks(), one.decision().resetTicks());
		}
		return (order != 0) ? order : one.rule().compareTo(other.rule());
	}

	private static long waitOfViolation(RuleDecision decision) {
		return decision.violated() ? decision.decision().retryAfterTicks() : 0;
	}

	private String policies(List<RuleDecision> decisions, StringBuilder field) {
		for (int i = 0; i < decisions.size(); i++) {
			RuleDecision decision = decisions.get(i);
			if (isShown(decision)) {
				field.append(field.isEmpty() ? "" : ", ").append(strings(decision).policy());
			}
		}
		return field.toString();
	}

	/** The value of {@code RateLimit}; empty if only hidden rules reject the request. */
	private String limits(List<RuleDecision> decisions, boolean rejected, LongUnaryOperator jitter,
			StringBuilder field) {
		for (int i = 0; i < decisions.size(); i++) {
			RuleDecision decision = decisions.get(i);
			if (!isShown(decision) || (rejected && !decision.violated())) {
				continue;
			}
			field.append(field.isEmpty() ? "" : ", ").append(strings(decision).remaining());
			if (!decision.violated()) {
				field.append(decision.decision().remaining());
				if (!holdsPermits(decision)) {
					field.append(";t=").append(secondsAtLeastOne(decision.limit().quotaWindow(decision.decision())));
				}
			}
			else if (decision.decision().neverAllowed() || decision.decision().isWaitUnknown()) {
				field.append('0');
			}
			else {
				field.append("0;t=").append(wait(decision.decision(), jitter));
			}
		}
		return field.toString();
	}

	/**
	 * The strings of a rule under the limit of a decision. Each rule has a linked list
	 * with one element for each limit; most rules have one limit.
	 */
	private LimitStrings strings(RuleDecision decision) {
		LimitStrings newest = this.strings.get(decision.rule());
		LimitStrings strings = newest;
		while (strings != null && strings.limit() != decision.limit()) {
			strings = strings.next();
		}
		if (strings != null) {
			return strings;
		}
		if (this.stringCount.incrementAndGet() > MAX_STRINGS) {
			// A store may create a limit for each decision, so all strings are removed.
			this.stringCount.set(0);
			this.strings.clear();
			newest = null;
		}
		LimitStrings added = LimitStrings.of(decision, newest);
		this.strings.put(decision.rule(), added);
		return added;
	}

	private static String text(long number) {
		return (number >= 0 && number < NUMBERS.size()) ? NUMBERS.get((int) number) : Long.toString(number);
	}

	private static long wait(Decision decision, LongUnaryOperator jitter) {
		return secondsAtLeastOne(jitter.applyAsLong(decision.retryAfterTicks()));
	}

	static long secondsAtLeastOne(long ticks) {
		return Math.max(1, seconds(ticks));
	}

	static long seconds(long ticks) {
		return -Math.floorDiv(-ticks, 1_000_000L);
	}

	/**
	 * The strings of a rule under one limit, such as the limit of a plan.
	 *
	 * @param limit the limit
	 * @param policy the rule in {@code RateLimit-Policy}
	 * @param remaining the rule in {@code RateLimit}, up to the remaining permits
	 * @param capacity the rule in {@code RateLimit-Limit}
	 * @param next the strings of the rule under another limit; {@code null} at the end.
	 * If threads add elements concurrently, some elements may be lost
	 */
	private record LimitStrings(Limit limit, String policy, String remaining, String capacity,
			@Nullable LimitStrings next) {

		static LimitStrings of(RuleDecision decision, @Nullable LimitStrings next) {
			Limit limit = decision.limit();
			String name = '"' + decision.rule() + '"';
			String unit = limit.algorithm().holdsPermits() ? ";qu=\"concurrent-requests\""
					: ";w=" + secondsAtLeastOne(limit.quotaWindow());
			String policy = name + ";q=" + limit.quota() + unit;
			return new LimitStrings(limit, policy, name + ";r=", Long.toString(limit.capacity()), next);
		}

	}

}
