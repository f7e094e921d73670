package io.tierlimit.autoconfigure.rules;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.tierlimit.AppliesTo;
import io.tierlimit.HeaderVisibility;
import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.RuleMode;
import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * The documentation of the properties of a rule, for IDEs. The readers of rules and of
 * their options read the values.
 *
 * @param enabled Whether the rule is used. A disabled rule limits nothing.
 * @param appliesTo Whether the rule applies to requests, or only where code names it: an
 * annotation or a RateLimiter.
 * @param scope Scopes, which select the bucket: global, ip, user, endpoint, plan, the
 * name of a KeyResolver bean, or a list of these. By default one bucket for all callers.
 * @param paths Path patterns, one of which must match. All paths by default.
 * @param excludePaths Path patterns, none of which may match.
 * @param methods HTTP methods, one of which must match. All methods by default.
 * @param condition Expression over the caller. The rule applies unless the value is
 * false.
 * @param algorithm Rate limiting algorithm.
 * @param rate Permits per period, such as 10/s, 100/m or 1000/15m: 1 to 10^12 permits,
 * and a period of at most 3650 days. May be left out if plans has tierlimit.plan.default:
 * callers on other plans then have its limit and bucket.
 * @param burst Maximum number of permits that a bucket can save, with the algorithms
 * token-bucket and fixed-window: 1 to 10^12, or a time in which the rate earns them, such
 * as 5m. By default the permits of the rate.
 * @param limit Permits that can be in use at the same time, with the algorithm
 * concurrency: 1 to 1000. A request holds its permits until its response is complete.
 * @param maxDuration Longest time, from 1s to 7d, for which a request counts, with the
 * algorithm concurrency. By default 1h.
 * @param retryAfterHint Value of Retry-After, up to 3650d, if all permits are in use,
 * with the algorithm concurrency. By default the header is left out.
 * @param window Windows of the algorithm fixed-window.
 * @param plans Limits of plans, which replace the limit of the rule.
 * @param key Expression over the caller. Each value has its own bucket, within the scope
 * if there is one.
 * @param cost Permits that a request consumes: a whole number, at least 0, or an
 * expression over the caller, rounded up.
 * @param headers Whether response headers show the rule.
 * @param onMissingKey Behavior of the rule for callers without a value for its key.
 * @param mode Whether the rule rejects requests, or only counts the requests that it
 * would reject.
 * @param onStoreFailure Behavior of the rule while Redis is unavailable. By default the
 * value of tierlimit.redis.on-store-failure.
 * @param maxReserved Maximum number of permits, from 0 to 10^12, that code can reserve in
 * a bucket before they are available.
 * @param maxWait Maximum time, from 0s to 3650d, that a request waits for its permits. A
 * request that would have to wait longer is rejected at once. With the algorithm
 * concurrency, a request waits until other requests release their permits.
 * @param chargeOn Outcomes for which a request is charged: always, or response statuses
 * such as 401 or 5xx, authentication-failure, authentication-success. By default always.
 * @param resetOn Outcomes that reset the bucket: response statuses of the handlers that
 * the paths match, or authentication-success of the account in the key. None by default.
 * @param actualCost Expression over the finished request, such as status, responseBytes
 * or metered. Its value replaces the cost, which is then an estimate. None by default.
 * @param maxDebt Maximum number of permits, from 0 to 10^12, that a bucket may owe
 * because actual costs were above the estimates. By default the burst.
 * @param ban Ban of callers that are rejected too often. None by default.
 * @param enforceShare Share of the keys for which the rule rejects requests: a percentage
 * such as 5%, above 0% and at most 100%. For other keys it only counts requests.
 * @param schedule Times in which the rule applies. All times by default.
 * @param shards Number of keys of the store, from 1 to 64, over which each bucket is
 * spread. For rules with a bucket that many callers share.
 * @param candidate Limits that may replace the limits of the rule. They are charged for
 * the same requests and compared, and reject nothing. None by default.
 * @param adaptive Rate that is reduced while the protected resource is overloaded. By
 * default the rate is constant.
 */
record RuleProperties(@DefaultValue("true") Boolean enabled, @DefaultValue("requests") AppliesTo appliesTo,
		@DefaultValue List<String> scope, @DefaultValue List<String> paths, @DefaultValue List<String> excludePaths,
		@DefaultValue List<String> methods, @Nullable String condition,
		@DefaultValue("token-bucket") Algorithm algorithm, @Nullable String rate, @Nullable String burst,
		@Nullable Long limit, @Nullable Duration maxDuration, @Nullable Duration retryAfterHint,
		@Nullable WindowProperties window, @DefaultValue Map<String, PlanProperties> plans, @Nullable String key,
		@Nullable String cost, @DefaultValue("shown") HeaderVisibility headers,
		@DefaultValue("ip") MissingKeyPolicy onMissingKey, @DefaultValue("enforce") RuleMode mode,
		@Nullable StoreFailurePolicy onStoreFailure, @DefaultValue("0") Long maxReserved,
		@DefaultValue("0s") Duration maxWait, @DefaultValue List<String> chargeOn, @DefaultValue List<String> resetOn,
		@Nullable String actualCost, @Nullable Long maxDebt, @Nullable BanProperties ban,
		@DefaultValue("100%") String enforceShare, @Nullable ScheduleProperties schedule,
		@DefaultValue("1") Integer shards, @Nullable CandidateProperties candidate,
		@Nullable AdaptiveProperties adaptive) {

	/**
	 * The limit of a plan.
	 *
	 * @param rate Permits per period, such as 10/s, 100/m or 1000/15m.
	 * @param burst Maximum number of permits in a token bucket or a fixed window: a
	 * number, or a time in which the rate earns them. By default the permits of the rate.
	 * @param limit Permits that can be in use at the same time, with the algorithm
	 * concurrency.
	 * @param unlimited Whether callers on the plan are not charged.
	 */
	record PlanProperties(@Nullable String rate, @Nullable String burst, @Nullable Long limit,
			@DefaultValue("false") Boolean unlimited) {

	}

	/**
	 * The windows of a fixed window.
	 *
	 * @param start Start of the windows: an offset from 1970-01-01T00:00Z, such as 7h,
	 * from 0s to below the period of the rate. By default each key has its own start.
	 */
	record WindowProperties(@Nullable Duration start) {

	}

	/**
	 * The limits of a candidate.
	 *
	 * @param algorithm Rate limiting algorithm. By default the algorithm of the rule.
	 * @param rate Permits per period, such as 10/s. By default, the candidate has the
	 * limit of the rule, and other limits for some of its plans.
	 * @param burst Maximum number of permits in a token bucket or a fixed window: a
	 * number, or a time in which the rate earns them. By default the permits of the rate.
	 * @param limit Permits that can be in use at the same time, with the algorithm
	 * concurrency.
	 * @param maxDuration Longest time for which a request counts, with the algorithm
	 * concurrency. By default 1h.
	 * @param retryAfterHint Value of Retry-After if all permits are in use, with the
	 * algorithm concurrency.
	 * @param window Windows of the algorithm fixed-window.
	 * @param plans Limits of plans that the rule lists. By default the limits of the
	 * rule.
	 */
	record CandidateProperties(@Nullable Algorithm algorithm, @Nullable String rate, @Nullable String burst,
			@Nullable Long limit, @Nullable Duration maxDuration, @Nullable Duration retryAfterHint,
			@Nullable WindowProperties window, @DefaultValue Map<String, PlanProperties> plans) {

	}

	/**
	 * When the rate of a rule is reduced, and how far.
	 *
	 * @param minRate Rate below which the rule is never reduced, such as 10/s. It must be
	 * lower than the rate of the rule.
	 * @param targetLatency Latency that at most 10% of the requests may exceed, from 1ms
	 * to 60s. By default the latency is not measured.
	 * @param maxErrorRate Share of the requests that may fail, such as 5%, from 0% to
	 * below 100%. By default errors are not measured.
	 * @param signal Name of an OverloadSignal bean, which reports overload. None by
	 * default.
	 * @param recovery Time, from 10s to 1d, in which the rate rises from 0 to the rate of
	 * the rule while nothing is overloaded. By default 1m.
	 * @param resource Name of the protected resource. Rules with the same name are
	 * reduced together. By default the id of the rule.
	 * @param priority Priority among the rules of the resource. Rules with a lower
	 * priority are reduced first. By default 0.
	 */
	record AdaptiveProperties(@Nullable String minRate, @Nullable Duration targetLatency, @Nullable String maxErrorRate,
			@Nullable String signal, @Nullable Duration recovery, @Nullable String resource,
			@Nullable Integer priority) {

	}

	/**
	 * The times in which a rule applies.
	 *
	 * @param ranges Ranges of time: two date-times with a slash each. A date-time has an
	 * offset, or is in the zone. Two dots mean no start or no end. All times by default.
	 * @param weekly Ranges of time on days of the week. All times by default.
	 * @param zone Time zone of weekly ranges, and of date-times without an offset.
	 */
	record ScheduleProperties(@DefaultValue List<String> ranges, @DefaultValue List<String> weekly,
			@Nullable String zone) {

	}

	/**
	 * The ban of a rule.
	 *
	 * @param after Number of rejections of a caller that starts a ban, from 1 to 10^12.
	 * @param within Time in which the rejections must occur, above 0s and up to 3650d.
	 * @param duration Duration of the first ban, above 0s and up to 3650d.
	 * @param max Maximum duration, up to 3650d. Each further ban is twice as long as the
	 * one before, until the caller has not been banned for this time. By default the
	 * duration of the first ban.
	 */
	record BanProperties(@Nullable Long after, @Nullable Duration within, @Name("for") @Nullable Duration duration,
			@Nullable Duration max) {

	}

}
