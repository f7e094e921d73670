package io.tierlimit.autoconfigure.rules;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

import io.tierlimit.AnonymousPolicy;
import io.tierlimit.AppliesTo;
import io.tierlimit.HeaderVisibility;
import io.tierlimit.LimitDefinition;
import io.tierlimit.RuleDefinition;
import io.tierlimit.RuleMode;
import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * One rule of the configuration, where an empty value counts as none. The values are
 * checked together later.
 *
 * @param enabled Whether the rule is in force.
 * @param appliesTo Whether the rule is held against requests, or only where an annotation
 * names it.
 * @param scope Whose bucket: global, ip, user, endpoint, plan, the name of a KeyResolver
 * bean, or a list of these.
 * @param paths Path patterns, one of which must match. All paths by default.
 * @param excludePaths Path patterns, none of which may match.
 * @param methods HTTP methods, one of which must match. All methods by default.
 * @param condition SpEL over the caller; the rule applies unless it is false.
 * @param algorithm What becomes of time and permits.
 * @param rate Permits per period, such as 10/s, 100/m or 1000/15m.
 * @param burst How many permits a token bucket can save: a number, or a time that earns
 * them, such as 5m. The rate's permits by default.
 * @param capacity How many permits a fixed window can save from earlier ones. The rate's
 * permits by default: none.
 * @param start When fixed windows start: an offset from 1970-01-01T00:00Z, such as 7h. By
 * default at a moment of each key's own.
 * @param plans Limits of plans, in place of the rule's own.
 * @param key SpEL over the caller: whose bucket, alone or beside the scope.
 * @param cost Permits that a request consumes: a whole number, or SpEL over the caller,
 * rounded up.
 * @param headers Whether header fields tell callers about the rule.
 * @param anonymous What the rule does with callers who lack what its key needs.
 * @param mode Whether the rule rejects requests, or only counts what it would reject.
 * @param onStoreFailure What the rule does while Redis can't be reached. As
 * tierlimit.redis.on-failure says by default.
 * @param cacheRejections Whether an instance may reject requests for a second by what
 * Redis told it of a bucket.
 * @param maxReserved How many permits a bucket may owe to programs that reserve them.
 * @param maxWait How long a request is held at most, instead of being rejected, until its
 * permits have come.
 * @param charge What must happen for a request to be charged in the end: always, or
 * response statuses such as 401 or 5xx, authentication-failure, authentication-success.
 * @param resetOn What resets the bucket: response statuses of what the paths name, or
 * authentication-success of the account in the key. Nothing by default.
 */
record RuleProperties(@DefaultValue("true") Boolean enabled, @DefaultValue("requests") AppliesTo appliesTo,
		@DefaultValue List<String> scope, @DefaultValue List<String> paths, @DefaultValue List<String> excludePaths,
		@DefaultValue List<String> methods, @Nullable String condition,
		@DefaultValue("token-bucket") Algorithm algorithm, @Nullable String rate, @Nullable String burst,
		@Nullable String capacity, @Nullable Duration start, @DefaultValue Map<String, PlanProperties> plans,
		@Nullable String key, @Nullable String cost, @DefaultValue("shown") HeaderVisibility headers,
		@DefaultValue("ip") AnonymousPolicy anonymous, @DefaultValue("enforce") RuleMode mode,
		@Nullable StoreFailurePolicy onStoreFailure, @DefaultValue("true") Boolean cacheRejections,
		@DefaultValue("0") Long maxReserved, @DefaultValue("0s") Duration maxWait, @DefaultValue List<String> charge,
		@DefaultValue List<String> resetOn) {

	/**
	 * Creates a rule.
	 */
	RuleProperties {
		scope = written(scope);
		paths = written(paths);
		excludePaths = written(excludePaths);
		methods = written(methods);
		charge = written(charge);
		resetOn = written(resetOn);
	}

	/**
	 * The rule with numbers in place of texts.
	 * @param id the id of the rule
	 * @param texts reads the texts, and notes those that are not valid
	 * @return the rule, without such texts
	 */
	RuleDefinition define(String id, RuleTexts texts) {
		RuleDefinition definition = RuleDefinition.of(id)
			.appliesTo(this.appliesTo)
			.scope(array(this.scope))
			.paths(array(this.paths))
			.excludePaths(array(this.excludePaths))
			.methods(array(this.methods))
			.algorithm(this.algorithm)
			.limit((limit) -> texts.limit(limit, "", this.rate, this.burst, this.capacity))
			.headers(this.headers)
			.anonymous(this.anonymous)
			.mode(this.mode)
			.cacheRejections(this.cacheRejections)
			.maxReserved(this.maxReserved)
			.maxWait(this.maxWait)
			.charge(array(this.charge))
			.resetOn(array(this.resetOn));
		for (Map.Entry<String, PlanProperties> plan : RuleSetReader.spelledOnce(this.plans).entrySet()) {
			definition = definition.plan(plan.getKey(), (limit) -> plan.getValue().define(limit, plan.getKey(), texts));
		}
		definition = with(definition, this.condition, RuleDefinition::condition);
		definition = with(definition, this.start, RuleDefinition::start);
		definition = with(definition, this.key, RuleDefinition::key);
		definition = with(definition, this.cost, RuleDefinition::cost);
		return with(definition, this.onStoreFailure, RuleDefinition::onStoreFailure);
	}

	private static String[] array(List<String> list) {
		return list.toArray(String[]::new);
	}

	private static <T> RuleDefinition with(RuleDefinition definition, @Nullable T value,
			BiFunction<RuleDefinition, T, RuleDefinition> change) {
		return (value != null) ? change.apply(definition, value) : definition;
	}

	private static List<String> written(List<String> list) {
		return (list.size() == 1 && list.get(0).isBlank()) ? List.of() : list;
	}

	/**
	 * What a plan may consume.
	 *
	 * @param rate Permits per period, such as 10/s, 100/m or 1000/15m.
	 * @param burst How many permits a token bucket can save: a number, or a time that
	 * earns them. The rate's permits by default.
	 * @param capacity How many permits a fixed window can save from earlier ones. The
	 * rate's permits by default: none.
	 * @param unlimited Whether callers on the plan are not charged.
	 */
	record PlanProperties(@Nullable String rate, @Nullable String burst, @Nullable String capacity,
			@DefaultValue("false") Boolean unlimited) {

		private LimitDefinition define(LimitDefinition limit, String plan, RuleTexts texts) {
			LimitDefinition numbers = texts.limit(limit, "plans." + plan + ".", this.rate, this.burst, this.capacity);
			return this.unlimited ? numbers.unlimited() : numbers;
		}

	}

}
