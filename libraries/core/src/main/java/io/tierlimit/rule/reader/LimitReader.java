package io.tierlimit.rule.reader;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Burst;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.SlidingWindow;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.RuleLimits;
import org.jspecify.annotations.Nullable;

/**
 * Reads the limits of one rule, and collects their problems.
 */
public final class LimitReader {

	/** The names of the properties. */
	public static final List<String> PROPERTIES = List.of("algorithm", "rate", "burst", "limit", "max-duration",
			"retry-after-hint", "window.start", "plans.*.rate", "plans.*.burst", "plans.*.limit", "plans.*.unlimited");

	// A number without a unit is a number of permits.
	private static final Pattern TIME = Pattern.compile("\\d+ ?(ms|s|m|h|d)|[pP].*");

	private static final String RATE = "rate";

	private static final String BURST = "burst";

	private static final String LIMIT = "limit";

	private static final String MAX_DURATION = "max-duration";

	private static final String RETRY_AFTER_HINT = "retry-after-hint";

	private static final Duration DEFAULT_MAX_DURATION = Duration.ofHours(1);

	private static final String WINDOW_START = "window.start";

	private static final String UNLIMITED = "unlimited";

	private final PropertyReader properties;

	private final RuleProblems problems;

	private final Algorithm algorithm;

	private final @Nullable Duration windowStart;

	private final Duration maxDuration;

	private final Duration retryHint;

	/** Whether the properties can set another algorithm. */
	private final boolean hasAlgorithm;

	/**
	 * Creates a reader.
	 * @param properties the properties of the rule, or of a group
	 * @param algorithm the algorithm if the property is not set
	 */
	public LimitReader(PropertyReader properties, Algorithm algorithm) {
		this.properties = properties;
		this.problems = properties.problems();
		this.algorithm = properties.valueOr("algorithm", algorithm);
		this.windowStart = properties.value(WINDOW_START, Duration.class);
		this.maxDuration = properties.valueOr(MAX_DURATION, DEFAULT_MAX_DURATION);
		this.retryHint = properties.valueOr(RETRY_AFTER_HINT, Duration.ZERO);
		this.hasAlgorithm = true;
	}

	/**
	 * Creates a reader of limits that differ from a given limit only by their numbers of
	 * permits.
	 * @param properties the properties of the limits
	 * @param other the given limit
	 */
	public LimitReader(PropertyReader properties, Limit other) {
		this.properties = properties;
		this.problems = properties.problems();
		this.algorithm = other.algorithm();
		this.windowStart = (other instanceof FixedWindow window) ? window.start() : null;
		this.maxDuration = (other instanceof Concurrency concurrency) ? concurrency.maxDuration()
				: DEFAULT_MAX_DURATION;
		this.retryHint = (other instanceof Concurrency concurrency) ? concurrency.retryHint() : Duration.ZERO;
		this.hasAlgorithm = false;
	}

	/**
	 * The property that every limit of an algorithm must have.
	 * @param algorithm the algorithm
	 * @return the name
	 */
	public static String required(Algorithm algorithm) {
		return (algorithm == Algorithm.CONCURRENCY) ? LIMIT : RATE;
	}

	/**
	 * The property that every limit of this reader must have.
	 * @return the name
	 */
	public String required() {
		return required(this.algorithm);
	}

	/**
	 * The value of the property that every limit of this reader must have.
	 * @return a description with an example
	 */
	public String requiredValue() {
		return (this.algorithm == Algorithm.CONCURRENCY)
				? "the number of permits that can be in use at the same time, such as 5"
				: "permits per period, such as 10/s";
	}

	/**
	 * Reads the limits of a rule that must have its own rate.
	 * @return the limits; {@code null} if the limit of callers without a listed plan is
	 * not valid
	 */
	public @Nullable RuleLimits read() {
		checkOwnUnlimited();
		Limit standard = limit("");
		Map<String, PlanLimit> plans = plans();
		return (standard != null) ? new RuleLimits(standard, plans) : null;
	}

	/**
	 * Reads the limits of a rule that may leave out its own rate if it lists the default
	 * plan.
	 * @param defaultPlan the default plan; {@code null} for none
	 * @return the limits; {@code null} if the limit of callers without a listed plan is
	 * not valid
	 */
	public @Nullable RuleLimits read(@Nullable String defaultPlan) {
		if (this.properties.isWritten(required()) || !this.properties.keys("plans").iterator().hasNext()) {
			RuleLimits limits = read();
			warnIfLimitIsHigher(limits, defaultPlan);
			return limits;
		}
		checkOwnUnlimited();
		checkSupported("");
		Map<String, PlanLimit> plans = plans();
		if (this.properties.hasValue(BURST) && !this.problems.has(BURST)) {
			this.problems.add("burst without rate has no effect", "Set rate too, or remove", BURST);
		}
		RuleLimits limits = (defaultPlan != null) ? RuleLimits.ofPlans(plans, defaultPlan) : null;
		if (limits == null) {
			addMissingOwn(plans, defaultPlan);
		}
		return limits;
	}

	/** Reports why callers without a listed plan have no limit. */
	private void addMissingOwn(Map<String, PlanLimit> plans, @Nullable String defaultPlan) {
		Set<String> written = new TreeSet<>();
		this.properties.keys("plans").forEach(written::add);
		if (defaultPlan == null) {
			addMissing("", ", and there is no default plan",
					", or tierlimit.plan.default to one of the plans " + written);
		}
		else if (!written.contains(defaultPlan)) {
			addMissing("",
					", and does not list the default plan '" + defaultPlan + "'. The plans of the rule are " + written,
					", or list the default plan");
		}
		else if (plans.containsKey(defaultPlan)) {
			addMissing("", ", but the default plan '" + defaultPlan
					+ "' is unlimited, so callers on other plans would have no limit", "");
		}
	}

	/**
	 * Warns if a caller would have more permits because the name of its plan is
	 * misspelled.
	 */
	private void warnIfLimitIsHigher(@Nullable RuleLimits limits, @Nullable String defaultPlan) {
		PlanLimit listed = (limits != null && defaultPlan != null) ? limits.plans().get(defaultPlan) : null;
		Limit limit = (listed != null) ? listed.limit() : null;
		if (limits == null || limit == null) {
			return;
		}
		Limit own = limits.standard();
		boolean burst = this.properties.hasValue(BURST);
		boolean rate = !limits.holdPermits() && limit.rate().isLowerThan(own.rate());
		// Without a burst, a higher rate explains a higher capacity.
		boolean capacity = limit.capacity() < own.capacity() && (burst || !rate);
		if (rate || capacity) {
			this.problems.warn(
					(rate ? "rate " : limits.holdPermits() ? "limit " : "capacity ") + size(own, rate, capacity)
							+ " is the limit of plans that the rule does not list, and exceeds "
							+ size(limit, rate, capacity) + " of the default plan '" + defaultPlan
							+ "', so a misspelled name of a plan gives more permits",
					"Remove {}" + (burst ? " and burst" : "")
							+ ", so that these plans have the limit of the default plan, or lower "
							+ (burst ? "them" : "it"),
					required());
		}
	}

	private static String size(Limit limit, boolean rate, boolean capacity) {
		if (!rate) {
			return String.valueOf(limit.capacity());
		}
		return limit.rate() + (capacity ? " with capacity " + limit.capacity() : "");
	}

	private void checkOwnUnlimited() {
		if (this.properties.hasValue(UNLIMITED)) {
			this.problems.add("only plans can be unlimited", "Remove", UNLIMITED);
		}
	}

	/**
	 * Reads the limits of plans.
	 * @return the valid limits by the names of the plans
	 */
	public Map<String, PlanLimit> plans() {
		supportedOnlyBy(Algorithm.FIXED_WINDOW, WINDOW_START);
		supportedOnlyBy(Algorithm.CONCURRENCY, MAX_DURATION);
		supportedOnlyBy(Algorithm.CONCURRENCY, RETRY_AFTER_HINT);
		Map<String, PlanLimit> plans = new LinkedHashMap<>();
		for (String plan : this.properties.keys("plans")) {
			if (plan.isBlank()) {
				this.problems.add("a plan has no name", "Set its name in", "plans");
			}
			PlanLimit limit = planLimit("plans." + plan + ".");
			if (limit != null) {
				plans.put(plan, limit);
			}
		}
		return plans;
	}

	private void supportedOnlyBy(Algorithm supporting, String property) {
		if (this.algorithm != supporting) {
			reject("", property, "Set algorithm to " + KebabCase.of(supporting) + ", or remove");
		}
	}

	private @Nullable PlanLimit planLimit(String prefix) {
		if (!this.properties.valueOr(prefix + UNLIMITED, false)) {
			Limit limit = limit(prefix);
			return (limit != null) ? new PlanLimit(limit) : null;
		}
		if (Stream.of(RATE, BURST, LIMIT).anyMatch((number) -> this.properties.hasValue(prefix + number))) {
			this.problems.add("unlimited cannot be combined with rate, burst or limit", "Remove these, or",
					prefix + UNLIMITED);
		}
		return PlanLimit.UNLIMITED;
	}

	/**
	 * Reads one limit.
	 * @param prefix the prefix of the names of the limit's properties
	 * @return the limit; {@code null} if it is not valid
	 */
	public @Nullable Limit limit(String prefix) {
		checkSupported(prefix);
		if (this.algorithm == Algorithm.CONCURRENCY) {
			return concurrency(prefix);
		}
		Rate rate = this.properties.parse(prefix + RATE, Rate::parse);
		Burst burst = this.properties.parse(prefix + BURST, LimitReader::burst);
		if (rate == null) {
			addMissing(prefix, "", "");
			return null;
		}
		Limit created = this.problems.attempt(prefix + (this.algorithm.hasBurst() ? BURST : RATE),
				() -> create(rate, burst));
		Limit limit = (created instanceof FixedWindow window) ? withStart(prefix, window) : created;
		// If the burst is not valid, the limit was created with the default, and must not
		// be used.
		return this.problems.has(prefix + BURST) ? null : limit;
	}

	private Limit create(Rate rate, @Nullable Burst burst) {
		return switch (this.algorithm) {
			case TOKEN_BUCKET -> (burst != null) ? new TokenBucket(rate, burst.at(rate)) : new TokenBucket(rate);
			case FIXED_WINDOW -> (burst != null) ? new FixedWindow(rate, burst.at(rate), null) : new FixedWindow(rate);
			case SLIDING_WINDOW -> new SlidingWindow(rate);
			case SLIDING_LOG -> new SlidingLog(rate);
			case LEAKY_BUCKET -> new LeakyBucket(rate);
			case CONCURRENCY -> throw new IllegalStateException("concurrency has no rate");
		};
	}

	/**
	 * Sets the start of a window that was created without it, so that each problem is
	 * reported for its own property.
	 */
	private @Nullable Limit withStart(String prefix, FixedWindow window) {
		Duration start = this.windowStart;
		Rate rate = window.rate();
		if (start != null && start.compareTo(rate.period()) >= 0) {
			this.problems.add("window.start must be shorter than the period of " + prefix + "rate, " + rate + " (was "
					+ this.problems.written(WINDOW_START, start) + ")", "Correct", WINDOW_START);
			return null;
		}
		return this.problems.attempt(WINDOW_START, () -> new FixedWindow(rate, window.burst(), start));
	}

	/**
	 * Reports the property that every limit must have, unless it, or the property that
	 * was written instead of it, was already reported.
	 */
	private void addMissing(String prefix, String reason, String alternative) {
		if (Stream.of(RATE, LIMIT).noneMatch((number) -> this.problems.has(prefix + number))) {
			this.problems.addMissingLimit(prefix + required(), reason, requiredValue() + alternative);
		}
	}

	/** Reports the numbers that the algorithm does not have. */
	private void checkSupported(String prefix) {
		if (this.algorithm == Algorithm.CONCURRENCY) {
			reject(prefix, RATE, "Set limit instead, and remove");
		}
		else {
			reject(prefix, LIMIT,
					this.hasAlgorithm ? "Set algorithm to concurrency, or remove" : "Set rate instead, and remove");
		}
		if (!this.algorithm.hasBurst()) {
			reject(prefix, BURST, "Remove");
		}
	}

	private void reject(String prefix, String property, String fix) {
		if (this.properties.hasValue(prefix + property)) {
			this.problems.add(property + " is not supported by " + KebabCase.of(this.algorithm), fix,
					prefix + property);
		}
	}

	private @Nullable Limit concurrency(String prefix) {
		Long permits = this.properties.value(prefix + LIMIT, Long.class);
		if (permits == null) {
			addMissing(prefix, "", "");
			return null;
		}
		attempt(prefix + LIMIT, () -> Concurrency.of(permits, DEFAULT_MAX_DURATION));
		attempt(MAX_DURATION, () -> Concurrency.of(1, this.maxDuration));
		attempt(RETRY_AFTER_HINT, () -> Concurrency.of(1, DEFAULT_MAX_DURATION).retryHint(this.retryHint));
		boolean valid = Stream.of(prefix + LIMIT, MAX_DURATION, RETRY_AFTER_HINT).noneMatch(this.problems::has);
		return valid ? Concurrency.of(permits, this.maxDuration).retryHint(this.retryHint) : null;
	}

	/** Reports a number that is not valid once, although each plan is read with it. */
	private void attempt(String property, Supplier<Concurrency> limit) {
		if (!this.problems.has(property)) {
			this.problems.attempt(property, limit);
		}
	}

	private static Burst burst(String text) {
		try {
			if (TIME.matcher(text).matches()) {
				return new Burst.Time(
						Objects.requireNonNull(PropertyReader.convert(text.replace(" ", ""), Duration.class)));
			}
			return new Burst.Permits(Long.parseLong(text));
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("burst must be 1 to " + Rate.MAX_PERMITS
					+ " permits, or a time above 0 and up to " + Rate.MAX_PERIOD.toDays()
					+ " days in which the rate earns them, such as 5m (was '" + text + "')", ex);
		}
	}

}
