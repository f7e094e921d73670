package io.tierlimit;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * The unvalidated definition of a rule. A bean of this type adds a rule to the rules of
 * the configuration. The same defaults apply. All definitions are validated at startup,
 * and the mistakes of all rules are reported together. Immutable: every method with a
 * parameter returns a changed copy.
 */
public final class RuleDefinition {

	private final String id;

	private final Values values;

	private RuleDefinition(String id, Values values) {
		this.id = id;
		this.values = values;
	}

	/**
	 * Creates the definition of a rule.
	 * @param id the public name: letters, digits, dots, dashes and underscores
	 * @return a definition, which still requires a rate
	 */
	public static RuleDefinition of(String id) {
		return new RuleDefinition(Objects.requireNonNull(id), new Values());
	}

	/**
	 * The id.
	 * @return the public name
	 */
	public String id() {
		return this.id;
	}

	/**
	 * Sets whether the rule applies to requests or methods; by default requests.
	 * @param appliesTo requests; or methods: the rule then applies only to annotated
	 * methods and application code that name it
	 * @return a copy of this rule with the setting
	 */
	public RuleDefinition appliesTo(AppliesTo appliesTo) {
		return with((values) -> values.appliesTo = Objects.requireNonNull(appliesTo));
	}

	/**
	 * Whether the rule applies to requests or methods.
	 * @return requests or methods
	 */
	public AppliesTo appliesTo() {
		return this.values.appliesTo;
	}

	/**
	 * Sets the scope. Each value of the scope has its own bucket; by default, all callers
	 * share one bucket.
	 * @param scope {@code global}, or one or more of {@code ip}, {@code user},
	 * {@code endpoint}, {@code plan} and the names of key resolvers
	 * @return a copy of this rule with the scope
	 */
	public RuleDefinition scope(String... scope) {
		return with((values) -> values.scope = List.of(scope));
	}

	/**
	 * The scope.
	 * @return the names in the scope; empty for one bucket
	 */
	public List<String> scope() {
		return this.values.scope;
	}

	/**
	 * Selects requests by path; by default every path.
	 * @param paths path patterns, one of which must match
	 * @return a copy of this rule with the paths
	 */
	public RuleDefinition paths(String... paths) {
		return with((values) -> values.paths = List.of(paths));
	}

	/**
	 * The paths that select requests.
	 * @return path patterns; empty for every path
	 */
	public List<String> paths() {
		return this.values.paths;
	}

	/**
	 * Excludes requests by path; by default none.
	 * @param paths path patterns, none of which may match
	 * @return a copy of this rule with the excluded paths
	 */
	public RuleDefinition excludePaths(String... paths) {
		return with((values) -> values.excludePaths = List.of(paths));
	}

	/**
	 * The paths that exclude requests.
	 * @return path patterns
	 */
	public List<String> excludePaths() {
		return this.values.excludePaths;
	}

	/**
	 * Selects requests by method; by default every method.
	 * @param methods HTTP methods, one of which must match
	 * @return a copy of this rule with the methods
	 */
	public RuleDefinition methods(String... methods) {
		return with((values) -> values.methods = List.of(methods));
	}

	/**
	 * The methods that select requests.
	 * @return HTTP methods; empty for every method
	 */
	public List<String> methods() {
		return this.values.methods;
	}

	/**
	 * Selects callers; by default all.
	 * @param condition SpEL over the caller. The rule applies unless the value is false
	 * @return a copy of this rule with the condition
	 */
	public RuleDefinition condition(String condition) {
		return with((values) -> values.condition = Objects.requireNonNull(condition));
	}

	/**
	 * The condition.
	 * @return SpEL; {@code null} if the rule applies to all callers
	 */
	public @Nullable String condition() {
		return this.values.condition;
	}

	/**
	 * Sets the algorithm by which permits become available; by default a token bucket.
	 * @param algorithm the algorithm
	 * @return a copy of this rule with the algorithm
	 */
	public RuleDefinition algorithm(Algorithm algorithm) {
		return with((values) -> values.algorithm = Objects.requireNonNull(algorithm));
	}

	/**
	 * The algorithm.
	 * @return the algorithm
	 */
	public Algorithm algorithm() {
		return this.values.algorithm;
	}

	/**
	 * Sets the rate at which permits become available. A rule requires a rate.
	 * @param permits the number of permits per period, 1 or more
	 * @param period the period, 1 microsecond or more
	 * @return a copy of this rule with the rate
	 */
	public RuleDefinition rate(long permits, Duration period) {
		return limit((limit) -> limit.rate(permits, period));
	}

	/**
	 * Sets the rate at which permits become available. A rule requires a rate.
	 * @param rate permits per period
	 * @return a copy of this rule with the rate
	 */
	public RuleDefinition rate(Rate rate) {
		return limit((limit) -> limit.rate(rate));
	}

	/**
	 * Sets the maximum number of permits in a token bucket; by default the permits of the
	 * rate.
	 * @param permits the number of permits, 1 or more
	 * @return a copy of this rule with the burst
	 */
	public RuleDefinition burst(long permits) {
		return limit((limit) -> limit.burst(permits));
	}

	/**
	 * Sets the maximum number of permits in a token bucket; by default the permits of the
	 * rate.
	 * @param time the time in which the rate makes them available
	 * @return a copy of this rule with the burst
	 */
	public RuleDefinition burst(Duration time) {
		return limit((limit) -> limit.burst(time));
	}

	/**
	 * Sets the maximum number of permits in a fixed window, including unused permits of
	 * earlier windows; by default the permits of the rate, so that unused permits expire.
	 * @param permits the number of permits, at least the permits of the rate
	 * @return a copy of this rule with the capacity
	 */
	public RuleDefinition capacity(long permits) {
		return limit((limit) -> limit.capacity(permits));
	}

	/**
	 * Changes the limit that applies if no listed plan does.
	 * @param change returns a changed copy of the limit
	 * @return a copy of this rule with the limit
	 */
	public RuleDefinition limit(UnaryOperator<LimitDefinition> change) {
		LimitDefinition limit = change.apply(this.values.limit);
		return with((values) -> values.limit = limit);
	}

	/**
	 * The limit of callers without a plan, or with a plan that is not listed.
	 * @return the rate, burst and capacity
	 */
	public LimitDefinition limit() {
		return this.values.limit;
	}

	/**
	 * Adds a plan with a limit. The limit replaces an earlier limit of the plan.
	 * @param plan the name of the plan
	 * @param limit sets the rate, burst and capacity of an empty limit
	 * @return a copy of this rule with the plan
	 */
	public RuleDefinition plan(String plan, UnaryOperator<LimitDefinition> limit) {
		Map<String, LimitDefinition> plans = new LinkedHashMap<>(this.values.plans);
		plans.put(plan, limit.apply(LimitDefinition.EMPTY));
		return with((values) -> values.plans = Collections.unmodifiableMap(plans));
	}

	/**
	 * The limits of the listed plans.
	 * @return the limits by the names of the plans
	 */
	public Map<String, LimitDefinition> plans() {
		return this.values.plans;
	}

	/**
	 * Sets the start of fixed windows; by default each key has its own start.
	 * @param start an offset from 1970-01-01T00:00Z, shorter than the period
	 * @return a copy of this rule with this start
	 */
	public RuleDefinition start(Duration start) {
		return with((values) -> values.start = Objects.requireNonNull(start));
	}

	/**
	 * The start of fixed windows.
	 * @return an offset from 1970-01-01T00:00Z; {@code null} if it is not set
	 */
	public @Nullable Duration start() {
		return this.values.start;
	}

	/**
	 * Adds a key expression; by default none.
	 * @param key SpEL over the caller. Each value has its own bucket, within the scope if
	 * one is set
	 * @return a copy of this rule with the key expression
	 */
	public RuleDefinition key(String key) {
		return with((values) -> values.key = Objects.requireNonNull(key));
	}

	/**
	 * The key expression.
	 * @return SpEL; {@code null} for none
	 */
	public @Nullable String key() {
		return this.values.key;
	}

	/**
	 * Sets the permits that a request consumes; by default 1.
	 * @param permits the number of permits, 0 or more
	 * @return a copy of this rule with the cost
	 */
	public RuleDefinition cost(long permits) {
		// The text of a number is a valid expression.
		return cost(Long.toString(permits));
	}

	/**
	 * Sets the permits that a request consumes; by default 1.
	 * @param cost SpEL over the caller; a fraction is rounded up
	 * @return a copy of this rule with the cost
	 */
	public RuleDefinition cost(String cost) {
		return with((values) -> values.cost = Objects.requireNonNull(cost));
	}

	/**
	 * The permits that a request consumes.
	 * @return SpEL; {@code null} if it is not set
	 */
	public @Nullable String cost() {
		return this.values.cost;
	}

	/**
	 * Sets whether headers and rejections name the rule; by default they do.
	 * @param headers shown or hidden
	 * @return a copy of this rule with the visibility
	 */
	public RuleDefinition headers(HeaderVisibility headers) {
		return with((values) -> values.headers = Objects.requireNonNull(headers));
	}

	/**
	 * Whether headers and rejections name the rule.
	 * @return shown or hidden
	 */
	public HeaderVisibility headers() {
		return this.values.headers;
	}

	/**
	 * Sets the policy for callers that lack a part of the key; by default the client
	 * address replaces that part.
	 * @param anonymous the policy
	 * @return a copy of this rule with the policy
	 */
	public RuleDefinition anonymous(AnonymousPolicy anonymous) {
		return with((values) -> values.anonymous = Objects.requireNonNull(anonymous));
	}

	/**
	 * The policy for callers that lack a part of the key.
	 * @return the policy
	 */
	public AnonymousPolicy anonymous() {
		return this.values.anonymous;
	}

	/**
	 * Sets whether the rule rejects requests; by default it does.
	 * @param mode enforce, or shadow: a shadow rule only counts the requests that it
	 * would reject
	 * @return a copy of this rule with the mode
	 */
	public RuleDefinition mode(RuleMode mode) {
		return with((values) -> values.mode = Objects.requireNonNull(mode));
	}

	/**
	 * Whether the rule rejects requests.
	 * @return enforce or shadow
	 */
	public RuleMode mode() {
		return this.values.mode;
	}

	/**
	 * Enforces the rule for a share of its keys; by default for all. For other keys, it
	 * only counts the requests that it would reject. A key is always in the share or
	 * never, on all instances, and stays in it when the share grows.
	 * @param percent the share in percent, 0 to 100, such as 0.5
	 * @return a copy of this rule with the share
	 */
	public RuleDefinition enforcePercent(double percent) {
		return with((values) -> values.enforcePercent = percent);
	}

	/**
	 * The share of the keys for which the rule is enforced.
	 * @return the share in percent
	 */
	public double enforcePercent() {
		return this.values.enforcePercent;
	}

	/**
	 * Sets the times in which the rule applies; by default all times. At other times, it
	 * applies to no request, call or program, and its buckets refill.
	 * @param active the times
	 * @return a copy of this rule with the times
	 */
	public RuleDefinition active(ActiveDefinition active) {
		return with((values) -> values.active = Objects.requireNonNull(active));
	}

	/**
	 * The times in which the rule applies.
	 * @return the times; {@code null} for all times
	 */
	public @Nullable ActiveDefinition active() {
		return this.values.active;
	}

	/**
	 * Adds a candidate: limits that are charged for the same requests, and reject
	 * nothing; by default none. Meters compare its decisions with those of this rule.
	 * @param change sets the limits of the candidate
	 * @return a copy of this rule with the candidate
	 */
	public RuleDefinition candidate(UnaryOperator<CandidateDefinition> change) {
		CandidateDefinition candidate = change
			.apply(Objects.requireNonNullElse(this.values.candidate, CandidateDefinition.EMPTY));
		return with((values) -> values.candidate = candidate);
	}

	/**
	 * The candidate.
	 * @return the limits of the candidate; {@code null} for none
	 */
	public @Nullable CandidateDefinition candidate() {
		return this.values.candidate;
	}

	/**
	 * Reduces the rate while what the rule protects is overloaded; by default the rate is
	 * constant.
	 * @param change sets when and how far
	 * @return a copy of this rule with an adaptive rate
	 */
	public RuleDefinition adaptive(UnaryOperator<AdaptiveDefinition> change) {
		AdaptiveDefinition adaptive = change
			.apply(Objects.requireNonNullElse(this.values.adaptive, AdaptiveDefinition.EMPTY));
		return with((values) -> values.adaptive = adaptive);
	}

	/**
	 * When the rate is reduced.
	 * @return when and how far; {@code null} for a constant rate
	 */
	public @Nullable AdaptiveDefinition adaptive() {
		return this.values.adaptive;
	}

	/**
	 * Sets the outcomes for which a charge is kept; by default every outcome.
	 * @param charge outcomes, one of which is required to keep the charge: response
	 * statuses such as {@code 401} or {@code 5xx}, {@code authentication-failure},
	 * {@code authentication-success}
	 * @return a copy of this rule with the outcomes
	 */
	public RuleDefinition charge(String... charge) {
		return with((values) -> values.charge = List.of(charge));
	}

	/**
	 * The outcomes for which a charge is kept.
	 * @return outcomes; empty if every request is charged
	 */
	public List<String> charge() {
		return this.values.charge;
	}

	/**
	 * Sets the outcomes that reset the bucket; by default none.
	 * @param resetOn outcomes, one of which is required: response statuses of requests
	 * that match the paths, or {@code authentication-success} of the account in the key
	 * @return a copy of this rule with the outcomes
	 */
	public RuleDefinition resetOn(String... resetOn) {
		return with((values) -> values.resetOn = List.of(resetOn));
	}

	/**
	 * The outcomes that reset the bucket.
	 * @return outcomes
	 */
	public List<String> resetOn() {
		return this.values.resetOn;
	}

	/**
	 * Bans callers that are rejected too often; by default none.
	 * @param after the number of rejections that starts a ban, 1 or more
	 * @param within the time in which they must occur
	 * @param duration the duration of the first ban
	 * @param max the maximum duration: each further ban is twice as long as the one
	 * before; {@code null} for the duration of the first. A caller that was not banned
	 * for this time starts again
	 * @return a copy of this rule with the bans
	 */
	public RuleDefinition ban(long after, Duration within, Duration duration, @Nullable Duration max) {
		BanDefinition ban = new BanDefinition(after, within, duration, max);
		return with((values) -> values.ban = ban);
	}

	/**
	 * When callers are banned, and for how long.
	 * @return the bans; {@code null} for none
	 */
	public @Nullable BanDefinition ban() {
		return this.values.ban;
	}

	/**
	 * Allows application code to reserve permits in advance; by default none.
	 * @param permits the number of permits that a bucket may owe
	 * @return a copy of this rule with the number
	 */
	public RuleDefinition maxReserved(long permits) {
		return with((values) -> values.maxReserved = permits);
	}

	/**
	 * The permits that a bucket may owe to reservations.
	 * @return the number of permits
	 */
	public long maxReserved() {
		return this.values.maxReserved;
	}

	/**
	 * Sets the maximum time that requests and calls wait for permits; by default they do
	 * not wait.
	 * @param time the maximum time
	 * @return a copy of this rule with the time
	 */
	public RuleDefinition maxWait(Duration time) {
		return with((values) -> values.maxWait = Objects.requireNonNull(time));
	}

	/**
	 * The maximum time that requests and calls wait for permits.
	 * @return the time; zero if they do not wait
	 */
	public Duration maxWait() {
		return this.values.maxWait;
	}

	/**
	 * Sets the policy while a shared store cannot be reached; by default as the
	 * configuration defines for all rules.
	 * @param policy the policy
	 * @return a copy of this rule with the policy
	 */
	public RuleDefinition onStoreFailure(StoreFailurePolicy policy) {
		return with((values) -> values.onStoreFailure = Objects.requireNonNull(policy));
	}

	/**
	 * The policy while a shared store cannot be reached.
	 * @return the policy; {@code null} if it is not set
	 */
	public @Nullable StoreFailurePolicy onStoreFailure() {
		return this.values.onStoreFailure;
	}

	/**
	 * Sets whether an instance may reject requests without calling the shared store, if
	 * the store has rejected a request for the same bucket within the last second; by
	 * default true.
	 * @param cache whether to use cached rejections
	 * @return a copy of this rule with the setting
	 */
	public RuleDefinition cacheRejections(boolean cache) {
		return with((values) -> values.cacheRejections = cache);
	}

	/**
	 * Whether an instance may reject requests by an earlier result of a shared store.
	 * @return whether cached rejections are used
	 */
	public boolean cacheRejections() {
		return this.values.cacheRejections;
	}

	private RuleDefinition with(Consumer<Values> change) {
		Values changed = this.values.copy();
		change.accept(changed);
		return new RuleDefinition(this.id, changed);
	}

	@Override
	public String toString() {
		return "RuleDefinition '" + this.id + "'";
	}

	/** Mutable until a definition contains them. */
	private static final class Values implements Cloneable {

		private AppliesTo appliesTo = AppliesTo.REQUESTS;

		private List<String> scope = List.of();

		private List<String> paths = List.of();

		private List<String> excludePaths = List.of();

		private List<String> methods = List.of();

		private @Nullable String condition;

		private Algorithm algorithm = Algorithm.TOKEN_BUCKET;

		private LimitDefinition limit = LimitDefinition.EMPTY;

		private @Nullable Duration start;

		private Map<String, LimitDefinition> plans = Map.of();

		private @Nullable String key;

		private @Nullable String cost;

		private HeaderVisibility headers = HeaderVisibility.SHOWN;

		private AnonymousPolicy anonymous = AnonymousPolicy.IP;

		private RuleMode mode = RuleMode.ENFORCE;

		private @Nullable StoreFailurePolicy onStoreFailure;

		private boolean cacheRejections = true;

		private long maxReserved;

		private Duration maxWait = Duration.ZERO;

		private List<String> charge = List.of();

		private List<String> resetOn = List.of();

		private @Nullable BanDefinition ban;

		private double enforcePercent = 100;

		private @Nullable ActiveDefinition active;

		private @Nullable CandidateDefinition candidate;

		private @Nullable AdaptiveDefinition adaptive;

		private Values copy() {
			try {
				return (Values) clone();
			}
			catch (CloneNotSupportedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
