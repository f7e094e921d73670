package io.tierlimit;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * The unvalidated definition of a rule. A bean of this type adds a rule to the rules of
 * the configuration. The defaults are the defaults of the configuration. All definitions
 * are validated at startup, and the mistakes of all rules are reported together.
 * Immutable: every method with a parameter returns a changed copy.
 */
public final class RuleDefinition {

	private final String id;

	private final DefinitionTexts texts;

	private RuleDefinition(String id, DefinitionTexts texts) {
		this.id = id;
		this.texts = texts;
	}

	/**
	 * Creates the definition of a rule.
	 * @param id the public name: letters, digits, dots, dashes and underscores
	 * @return a definition, which still requires a rate or another limit
	 */
	public static RuleDefinition of(String id) {
		return new RuleDefinition(Objects.requireNonNull(id), DefinitionTexts.EMPTY);
	}

	/**
	 * The id.
	 * @return the public name
	 */
	public String id() {
		return this.id;
	}

	/**
	 * Sets what the rule applies to; by default requests.
	 * @param appliesTo requests, or code: a rule for code applies only where an
	 * annotation or a {@link RateLimiter} names it
	 * @return a copy of this rule with the setting
	 */
	public RuleDefinition appliesTo(AppliesTo appliesTo) {
		return with(this.texts.set("applies-to", appliesTo));
	}

	/**
	 * Sets the scope. Each value of the scope has its own bucket; by default, all callers
	 * share one bucket.
	 * @param scope {@code global}, or one or more of {@code ip}, {@code user},
	 * {@code endpoint}, {@code plan} and the names of key resolvers
	 * @return a copy of this rule with the scope
	 */
	public RuleDefinition scope(String... scope) {
		return with(this.texts.list("scope", List.of(scope)));
	}

	/**
	 * Selects requests by path; by default every path.
	 * @param paths path patterns, one of which must match
	 * @return a copy of this rule with the paths
	 */
	public RuleDefinition paths(String... paths) {
		return with(this.texts.list("paths", List.of(paths)));
	}

	/**
	 * Excludes requests by path; by default none.
	 * @param paths path patterns, none of which may match
	 * @return a copy of this rule with the excluded paths
	 */
	public RuleDefinition excludePaths(String... paths) {
		return with(this.texts.list("exclude-paths", List.of(paths)));
	}

	/**
	 * Selects requests by method; by default every method.
	 * @param methods HTTP methods, one of which must match
	 * @return a copy of this rule with the methods
	 */
	public RuleDefinition methods(String... methods) {
		return with(this.texts.list("methods", List.of(methods)));
	}

	/**
	 * Selects callers; by default all.
	 * @param condition an expression over the caller. The rule applies unless the value
	 * is false
	 * @return a copy of this rule with the condition
	 */
	public RuleDefinition condition(String condition) {
		return with(this.texts.set("condition", Objects.requireNonNull(condition)));
	}

	/**
	 * Sets the algorithm by which permits become available; by default a token bucket.
	 * @param algorithm the algorithm
	 * @return a copy of this rule with the algorithm
	 */
	public RuleDefinition algorithm(Algorithm algorithm) {
		return with(this.texts.set("algorithm", algorithm));
	}

	/**
	 * Sets the rate at which permits become available. A rule requires a rate, unless it
	 * has a limit for the default plan of the application, or limits concurrency.
	 * @param permits the number of permits per period, 1 or more
	 * @param period the period, 1 microsecond or more
	 * @return a copy of this rule with the rate
	 */
	public RuleDefinition rate(long permits, Duration period) {
		return limit((limit) -> limit.rate(permits, period));
	}

	/**
	 * Sets the rate at which permits become available. A rule requires a rate, unless it
	 * has a limit for the default plan of the application, or limits concurrency.
	 * @param rate permits per period
	 * @return a copy of this rule with the rate
	 */
	public RuleDefinition rate(Rate rate) {
		return limit((limit) -> limit.rate(rate));
	}

	/**
	 * Sets the maximum number of permits in a token bucket or a fixed window; by default
	 * the permits of the rate. The permits of a fixed window include unused permits of
	 * earlier windows.
	 * @param permits the number of permits, 1 or more; for a fixed window at least the
	 * permits of the rate
	 * @return a copy of this rule with the burst
	 */
	public RuleDefinition burst(long permits) {
		return limit((limit) -> limit.burst(permits));
	}

	/**
	 * Sets the maximum number of permits in a token bucket or a fixed window; by default
	 * the permits of the rate.
	 * @param time the time in which the rate makes this number available; for a fixed
	 * window at least the period of the rate
	 * @return a copy of this rule with the burst
	 */
	public RuleDefinition burst(Duration time) {
		return limit((limit) -> limit.burst(time));
	}

	/**
	 * Limits the permits that are in use at the same time, instead of a rate. Sets the
	 * algorithm {@code CONCURRENCY}. A request holds its permits until its response is
	 * complete.
	 * @param permits the number of permits for callers without a listed plan, 1 to 1,000
	 * @return a copy of this rule with the limit
	 */
	public RuleDefinition concurrency(long permits) {
		return algorithm(Algorithm.CONCURRENCY).limit((limit) -> limit.limit(permits));
	}

	/**
	 * Sets the longest time for which a request counts, with the algorithm
	 * {@code CONCURRENCY}; by default an hour. After this time, its permits are available
	 * again even if the request has not ended.
	 * @param time the time, 1 second to 7 days
	 * @return a copy of this rule with the time
	 */
	public RuleDefinition maxDuration(Duration time) {
		return with(this.texts.set("max-duration", time.toString()));
	}

	/**
	 * Sets the wait that rejected requests report, with the algorithm
	 * {@code CONCURRENCY}; by default none, because it is not known when a request ends.
	 * @param wait the wait, at most 3,650 days
	 * @return a copy of this rule with the wait
	 */
	public RuleDefinition retryAfterHint(Duration wait) {
		return with(this.texts.set("retry-after-hint", wait.toString()));
	}

	/**
	 * Sets numbers of the limit for callers without a listed plan.
	 * @param change sets numbers on an empty limit; a number that it does not set is not
	 * changed
	 * @return a copy of this rule with the limit
	 */
	public RuleDefinition limit(UnaryOperator<LimitDefinition> change) {
		return with(this.texts.group("", change.apply(LimitDefinition.EMPTY).texts()));
	}

	/**
	 * Adds a plan with a limit. The limit replaces an earlier limit of the plan.
	 * @param plan the name of the plan
	 * @param limit sets the numbers of an empty limit
	 * @return a copy of this rule with the plan
	 */
	public RuleDefinition plan(String plan, UnaryOperator<LimitDefinition> limit) {
		return with(this.texts.plan(plan, limit.apply(LimitDefinition.EMPTY).texts()));
	}

	/**
	 * Sets the start of fixed windows; by default each key has its own start.
	 * @param start an offset from 1970-01-01T00:00Z, shorter than the period
	 * @return a copy of this rule with this start
	 */
	public RuleDefinition windowStart(Duration start) {
		return with(this.texts.set("window.start", start.toString()));
	}

	/**
	 * Replaces the cost of a request by its actual cost when its response is finished; by
	 * default the cost is final.
	 * @param actualCost an expression over the finished request, whose value is a number
	 * of permits. {@code metered} is the total that code reports with
	 * {@link RateLimiter#estimatedCost}
	 * @return a copy of this rule with the actual cost
	 */
	public RuleDefinition actualCost(String actualCost) {
		return with(this.texts.set("actual-cost", Objects.requireNonNull(actualCost)));
	}

	/**
	 * Limits the permits that a bucket may owe because actual costs were above the
	 * estimates; by default the capacity of the bucket. Requires an actual cost.
	 * @param permits the number of permits, 0 to 10<sup>12</sup>
	 * @return a copy of this rule with this maximum
	 */
	public RuleDefinition maxDebt(long permits) {
		return with(this.texts.set("max-debt", Long.toString(permits)));
	}

	/**
	 * Spreads each bucket of the rule over several keys of the store; by default a bucket
	 * is not spread. For rules whose callers share a bucket.
	 * @param count the number of shards: 1 to 64, and at most the burst of a token bucket
	 * or the permits of a fixed window
	 * @return a copy of this rule with this number of shards
	 */
	public RuleDefinition shards(int count) {
		return with(this.texts.set("shards", Integer.toString(count)));
	}

	/**
	 * Adds a key expression; by default none.
	 * @param key an expression over the caller. Each value has its own bucket, within the
	 * scope if one is set
	 * @return a copy of this rule with the key expression
	 */
	public RuleDefinition key(String key) {
		return with(this.texts.set("key", Objects.requireNonNull(key)));
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
	 * @param cost an expression over the caller; the result of each division is rounded
	 * up
	 * @return a copy of this rule with the cost
	 */
	public RuleDefinition cost(String cost) {
		return with(this.texts.set("cost", Objects.requireNonNull(cost)));
	}

	/**
	 * Sets whether headers and rejections name the rule; by default they do.
	 * @param headers shown or hidden
	 * @return a copy of this rule with the visibility
	 */
	public RuleDefinition headers(HeaderVisibility headers) {
		return with(this.texts.set("headers", headers));
	}

	/**
	 * Sets the policy for callers without a value for a part of the key; by default the
	 * client address replaces that part.
	 * @param onMissingKey the policy
	 * @return a copy of this rule with the policy
	 */
	public RuleDefinition onMissingKey(MissingKeyPolicy onMissingKey) {
		return with(this.texts.set("on-missing-key", onMissingKey));
	}

	/**
	 * Sets whether the rule rejects requests; by default it does.
	 * @param mode enforce, or shadow: a shadow rule only counts the requests that it
	 * would reject
	 * @return a copy of this rule with the mode
	 */
	public RuleDefinition mode(RuleMode mode) {
		return with(this.texts.set("mode", mode));
	}

	/**
	 * Enforces the rule for a share of its keys; by default for all. For other keys, it
	 * only counts the requests that it would reject. A key is in the share on all
	 * instances or on none, and stays in it when the share grows.
	 * @param share the share, above 0 and at most 1, such as 0.05 for 5%
	 * @return a copy of this rule with the share
	 */
	public RuleDefinition enforceShare(double share) {
		return with(this.texts.set("enforce-share", DefinitionTexts.percentage(share)));
	}

	/**
	 * Sets the times in which the rule applies; by default all times. At other times, it
	 * applies neither to requests nor to code, and its buckets refill.
	 * @param schedule the times
	 * @return a copy of this rule with the schedule
	 */
	public RuleDefinition schedule(ScheduleDefinition schedule) {
		DefinitionTexts changed = this.texts.list("schedule.ranges", schedule.ranges())
			.list("schedule.weekly", schedule.weekly())
			.set("schedule.zone", Objects.requireNonNullElse(schedule.zone(), ""));
		return with(changed);
	}

	/**
	 * Adds a candidate: limits that are charged for the same requests, and reject
	 * nothing; by default none. Meters compare its decisions with the decisions of this
	 * rule.
	 * @param change sets the limits of the candidate
	 * @return a copy of this rule with the candidate
	 */
	public RuleDefinition candidate(UnaryOperator<CandidateDefinition> change) {
		return with(this.texts.group("candidate.", change.apply(CandidateDefinition.EMPTY).texts().orBlank("rate")));
	}

	/**
	 * Reduces the rate while the resource that the rule protects is overloaded; by
	 * default the rate is constant.
	 * @param change sets when and how far the rate is reduced
	 * @return a copy of this rule with an adaptive rate
	 */
	public RuleDefinition adaptive(UnaryOperator<AdaptiveDefinition> change) {
		return with(this.texts.group("adaptive.", change.apply(AdaptiveDefinition.EMPTY).texts().orBlank("min-rate")));
	}

	/**
	 * Sets the outcomes for which a charge is kept; by default every outcome.
	 * @param chargeOn outcomes, one of which is required to keep the charge: response
	 * statuses such as {@code 401} or {@code 5xx}, {@code authentication-failure},
	 * {@code authentication-success}
	 * @return a copy of this rule with the outcomes
	 */
	public RuleDefinition chargeOn(String... chargeOn) {
		return with(this.texts.list("charge-on", List.of(chargeOn)));
	}

	/**
	 * Sets the outcomes that reset the bucket; by default none.
	 * @param resetOn outcomes, each of which resets the bucket: response statuses of
	 * requests that match the paths, or {@code authentication-success} of the account in
	 * the key
	 * @return a copy of this rule with the outcomes
	 */
	public RuleDefinition resetOn(String... resetOn) {
		return with(this.texts.list("reset-on", List.of(resetOn)));
	}

	/**
	 * Bans callers that are rejected too often; by default none.
	 * @param after the number of rejections that starts a ban, 1 or more
	 * @param within the time in which they must occur
	 * @param duration the duration of the first ban
	 * @param max the maximum duration: each further ban is twice as long as the ban
	 * before, up to this duration. If a caller was not banned for this time, its next ban
	 * has the duration of the first ban again. {@code null} if all bans have the duration
	 * of the first ban
	 * @return a copy of this rule with the bans
	 */
	public RuleDefinition ban(long after, Duration within, Duration duration, @Nullable Duration max) {
		DefinitionTexts changed = this.texts.set("ban.after", Long.toString(after))
			.set("ban.within", within.toString())
			.set("ban.for", duration.toString())
			.set("ban.max", (max != null) ? max.toString() : "");
		return with(changed);
	}

	/**
	 * Sets how many permits code can reserve in advance; by default none.
	 * @param permits the number of permits that a bucket may owe
	 * @return a copy of this rule with the number
	 */
	public RuleDefinition maxReserved(long permits) {
		return with(this.texts.set("max-reserved", Long.toString(permits)));
	}

	/**
	 * Sets the maximum time that requests and calls wait for permits; by default they do
	 * not wait.
	 * @param time the maximum time
	 * @return a copy of this rule with the time
	 */
	public RuleDefinition maxWait(Duration time) {
		return with(this.texts.set("max-wait", time.toString()));
	}

	/**
	 * Sets the policy for the time in which a shared store cannot be reached; by default
	 * the policy that the configuration sets for all rules.
	 * @param policy the policy
	 * @return a copy of this rule with the policy
	 */
	public RuleDefinition onStoreFailure(StoreFailurePolicy policy) {
		return with(this.texts.set("on-store-failure", policy));
	}

	/**
	 * Sets a property by its name in the configuration, including a property without a
	 * method here. Startup fails if the name is not known.
	 * @param name the name relative to the rule, such as {@code ban.after}
	 * @param text the value in the format of the configuration; the elements of a list
	 * are separated by commas
	 * @return a copy of this rule with the property
	 */
	public RuleDefinition property(String name, String text) {
		return with(this.texts.set(Objects.requireNonNull(name), Objects.requireNonNull(text)));
	}

	/**
	 * The properties that are set.
	 * @return the values in the format of the configuration by their names, in the order
	 * in which they were set; each element of a list has a name with its index; an empty
	 * string is a value that is not set
	 */
	public Map<String, String> properties() {
		return this.texts.asMap();
	}

	private RuleDefinition with(DefinitionTexts changed) {
		return new RuleDefinition(this.id, changed);
	}

	@Override
	public String toString() {
		return "RuleDefinition '" + this.id + "'";
	}

}
