package io.tierlimit.autoconfigure.rules;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.tierlimit.ActiveDefinition;
import io.tierlimit.AdaptiveDefinition;
import io.tierlimit.AnonymousPolicy;
import io.tierlimit.AppliesTo;
import io.tierlimit.BanDefinition;
import io.tierlimit.CandidateDefinition;
import io.tierlimit.HeaderVisibility;
import io.tierlimit.LimitDefinition;
import io.tierlimit.RuleDefinition;
import io.tierlimit.RuleMode;
import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * One rule of the configuration. An empty value counts as none, except where this would
 * widen the rule. The values are checked together later.
 *
 * @param enabled Whether the rule is used. A disabled rule limits nothing.
 * @param appliesTo Whether the rule applies to requests, or to methods with an annotation
 * that names it.
 * @param scope Scope, which selects the bucket: global, ip, user, endpoint, plan, the
 * name of a KeyResolver bean, or a list of these. By default one bucket for all callers.
 * @param paths Path patterns, one of which must match. All paths by default.
 * @param excludePaths Path patterns, none of which may match.
 * @param methods HTTP methods, one of which must match. All methods by default.
 * @param condition SpEL expression over the caller. The rule applies unless the value is
 * false.
 * @param algorithm Rate limiting algorithm.
 * @param rate Permits per period, such as 10/s, 100/m or 1000/15m.
 * @param burst Maximum number of permits in a token bucket: a number, or a time in which
 * the rate earns them, such as 5m. By default the permits of the rate.
 * @param capacity Maximum number of permits in a fixed window, with those left over from
 * earlier windows. By default the permits of the rate, so none are kept.
 * @param start Start of fixed windows: an offset from 1970-01-01T00:00Z, such as 7h. By
 * default each key has its own start.
 * @param plans Limits of plans, which replace the limit of the rule.
 * @param key SpEL expression over the caller. Each value has a bucket, within the scope
 * if there is one.
 * @param cost Permits that a request consumes: a whole number, or a SpEL expression over
 * the caller, rounded up.
 * @param headers Whether response headers show the rule.
 * @param anonymous Behavior of the rule for callers without a value for its key.
 * @param mode Whether the rule rejects requests, or only counts those that it would
 * reject.
 * @param onStoreFailure Behavior of the rule while Redis is unavailable. By default that
 * of tierlimit.redis.on-failure.
 * @param cacheRejections Whether an instance may reject a request because Redis rejected
 * a request for the same bucket less than a second ago.
 * @param maxReserved Maximum debt of a bucket to reservations of programs, in permits.
 * @param maxWait Maximum wait of a request for its permits. A request that would have to
 * wait longer is rejected at once.
 * @param charge Outcomes for which a request is charged: always, or response statuses
 * such as 401 or 5xx, authentication-failure, authentication-success. By default always.
 * @param resetOn Outcomes that reset the bucket: response statuses of the handlers that
 * the paths match, or authentication-success of the account in the key. None by default.
 * @param ban Ban of callers that are rejected too often. None by default.
 * @param enforcePercent Share of the keys for which the rule rejects requests, in
 * percent. For the others it only counts those that it would reject.
 * @param active Times in which the rule applies. All times by default.
 * @param candidate Limits that may replace those of the rule. They are charged for the
 * same requests and compared, and reject nothing. None by default.
 * @param adaptive Rate that is reduced while what the rule protects is overloaded. By
 * default the rate is constant.
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
		@DefaultValue List<String> resetOn, @Nullable BanProperties ban, @DefaultValue("100") Double enforcePercent,
		@Nullable ActiveProperties active, @Nullable CandidateProperties candidate,
		@Nullable AdaptiveProperties adaptive) {

	/** Properties that select requests or callers: without one, the rule selects more. */
	private static final List<String> SELECTING = List.of("scope", "key", "paths", "methods", "condition");

	private static final List<String> ADAPTIVE = List.of("min-rate", "target-latency", "max-error-rate", "signal",
			"recovery", "resource", "priority");

	private static final List<String> ACTIVE = List.of("active.ranges", "active.weekly", "active.zone");

	private static final List<String> BAN = List.of("ban.after", "ban.within", "ban.for", "ban.max");

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
	 * Reports properties that are written without a value, if this would widen the rule.
	 * @param texts reports them
	 * @param isSet whether a property is set
	 */
	static void checkNotEmpty(RuleTexts texts, Predicate<String> isSet) {
		SELECTING.stream().filter(isSet).forEach(texts::checkNotEmpty);
	}

	/**
	 * Converts the properties, and sets them.
	 * @param definition the definition that gets the properties
	 * @param texts reads the texts, and reports those that are not valid
	 * @param isSet whether a property is set, so that its value is not the default
	 * @return the definition with the values that are set and valid
	 */
	RuleDefinition define(RuleDefinition definition, RuleTexts texts, Predicate<String> isSet) {
		Definer definer = new Definer(definition, isSet);
		definer.set("applies-to", this.appliesTo, RuleDefinition::appliesTo);
		definer.set("scope", array(this.scope), RuleDefinition::scope);
		definer.set("paths", array(this.paths), RuleDefinition::paths);
		definer.set("exclude-paths", array(this.excludePaths), RuleDefinition::excludePaths);
		definer.set("methods", array(this.methods), RuleDefinition::methods);
		definer.set("condition", this.condition, RuleDefinition::condition);
		definer.set("algorithm", this.algorithm, RuleDefinition::algorithm);
		definer.definition = definer.definition
			.limit((limit) -> limit(limit, "", this.rate, this.burst, this.capacity, texts, isSet));
		definer.set("start", this.start, RuleDefinition::start);
		for (Map.Entry<String, PlanProperties> plan : RuleSetReader.spelledOnce(this.plans).entrySet()) {
			String name = RuleSetReader.spelled(plan.getKey(), definition.plans().keySet());
			LimitDefinition defined = definition.plans().get(name);
			definer.definition = definer.definition.plan(name,
					(empty) -> plan.getValue().define((defined != null) ? defined : empty, empty, name, texts, isSet));
		}
		definer.set("key", this.key, RuleDefinition::key);
		definer.set("cost", this.cost, RuleDefinition::cost);
		definer.set("headers", this.headers, RuleDefinition::headers);
		definer.set("anonymous", this.anonymous, RuleDefinition::anonymous);
		definer.set("mode", this.mode, RuleDefinition::mode);
		definer.set("on-store-failure", this.onStoreFailure, RuleDefinition::onStoreFailure);
		definer.set("cache-rejections", this.cacheRejections, RuleDefinition::cacheRejections);
		definer.set("max-reserved", this.maxReserved, RuleDefinition::maxReserved);
		definer.set("max-wait", this.maxWait, RuleDefinition::maxWait);
		definer.set("charge", array(this.charge), RuleDefinition::charge);
		definer.set("reset-on", array(this.resetOn), RuleDefinition::resetOn);
		definer.set("enforce-percent", this.enforcePercent, RuleDefinition::enforcePercent);
		Predicate<String> isSetInCandidate = (property) -> isSet.test("candidate." + property);
		if (this.candidate != null && this.candidate.anySet(isSetInCandidate)) {
			CandidateProperties properties = this.candidate;
			definer.definition = definer.definition
				.candidate((candidate) -> properties.define(candidate, texts.below("candidate"), isSetInCandidate));
		}
		Predicate<String> isSetInAdaptive = (property) -> isSet.test("adaptive." + property);
		if (this.adaptive != null && this.adaptive.isWritten() && ADAPTIVE.stream().anyMatch(isSetInAdaptive)) {
			AdaptiveProperties properties = this.adaptive;
			definer.definition = definer.definition
				.adaptive((adaptive) -> properties.define(adaptive, texts.below("adaptive"), isSetInAdaptive));
		}
		if (this.active != null && ACTIVE.stream().anyMatch(isSet)) {
			ActiveDefinition active = this.active.define(definition.active(), isSet);
			definer.definition = (active == null) ? definer.definition : definer.definition.active(active);
		}
		if (this.ban != null && BAN.stream().anyMatch(isSet)) {
			BanDefinition ban = this.ban.define(definition.ban(), texts);
			definer.definition = (ban == null) ? definer.definition
					: definer.definition.ban(ban.after(), ban.within(), ban.duration(), ban.max());
		}
		return definer.definition;
	}

	private static LimitDefinition limit(LimitDefinition limit, String prefix, @Nullable String rate,
			@Nullable String burst, @Nullable String capacity, RuleTexts texts, Predicate<String> isSet) {
		return texts.limit(limit, prefix, isSet.test(prefix + "rate") ? rate : null,
				isSet.test(prefix + "burst") ? burst : null, isSet.test(prefix + "capacity") ? capacity : null);
	}

	private static String[] array(List<String> list) {
		return list.toArray(String[]::new);
	}

	private static List<String> written(List<String> list) {
		return (list.size() == 1 && list.get(0).isBlank()) ? List.of() : list;
	}

	/**
	 * Sets those properties of a definition that are set.
	 */
	private static final class Definer {

		private RuleDefinition definition;

		private final Predicate<String> isSet;

		Definer(RuleDefinition definition, Predicate<String> isSet) {
			this.definition = definition;
			this.isSet = isSet;
		}

		<T> void set(String property, @Nullable T value, BiFunction<RuleDefinition, T, RuleDefinition> change) {
			if (value != null && this.isSet.test(property)) {
				this.definition = change.apply(this.definition, value);
			}
		}

	}

	/**
	 * The limit of a plan.
	 *
	 * @param rate Permits per period, such as 10/s, 100/m or 1000/15m.
	 * @param burst Maximum number of permits in a token bucket: a number, or a time in
	 * which the rate earns them. By default the permits of the rate.
	 * @param capacity Maximum number of permits in a fixed window, with those left over
	 * from earlier windows. By default the permits of the rate, so none are kept.
	 * @param unlimited Whether callers on the plan are not charged.
	 */
	record PlanProperties(@Nullable String rate, @Nullable String burst, @Nullable String capacity,
			@DefaultValue("false") Boolean unlimited) {

		/**
		 * An unlimited plan that gets a limit, or the reverse, has only what is set now.
		 */
		private LimitDefinition define(LimitDefinition defined, LimitDefinition empty, String plan, RuleTexts texts,
				Predicate<String> isSet) {
			String prefix = "plans." + plan + ".";
			boolean becomesUnlimited = this.unlimited && isSet.test(prefix + "unlimited");
			LimitDefinition numbers = limit((becomesUnlimited || defined.isUnlimited()) ? empty : defined, prefix,
					this.rate, this.burst, this.capacity, texts, isSet);
			return becomesUnlimited ? numbers.unlimited() : numbers;
		}

	}

	/**
	 * The limits of a candidate.
	 *
	 * @param algorithm Rate limiting algorithm. By default that of the rule.
	 * @param rate Permits per period, such as 10/s. By default, the candidate has the
	 * limit of the rule, and other limits for some of its plans.
	 * @param burst Maximum number of permits in a token bucket: a number, or a time in
	 * which the rate earns them. By default the permits of the rate.
	 * @param capacity Maximum number of permits in a fixed window, with those left over
	 * from earlier windows. By default the permits of the rate, so none are kept.
	 * @param start Start of fixed windows: an offset from 1970-01-01T00:00Z, such as 7h.
	 * By default each key has its own start.
	 * @param plans Limits of plans that the rule lists. By default those of the rule.
	 */
	record CandidateProperties(@Nullable Algorithm algorithm, @Nullable String rate, @Nullable String burst,
			@Nullable String capacity, @Nullable Duration start, @DefaultValue Map<String, PlanProperties> plans) {

		private boolean anySet(Predicate<String> isSet) {
			Stream<String> names = Stream.of("algorithm", "rate", "burst", "capacity", "start");
			Stream<String> ofPlans = this.plans.keySet()
				.stream()
				.flatMap((plan) -> Stream.of("rate", "burst", "capacity", "unlimited")
					.map((name) -> "plans." + plan + "." + name));
			return (isWritten() && Stream.concat(names, ofPlans).anyMatch(isSet));
		}

		private boolean isWritten() {
			return this.algorithm != null || this.start != null || !this.plans.isEmpty()
					|| Stream.of(this.rate, this.burst, this.capacity).anyMatch((text) -> RuleTexts.text(text) != null);
		}

		private CandidateDefinition define(CandidateDefinition candidate, RuleTexts texts, Predicate<String> isSet) {
			CandidateDefinition defined = candidate
				.limit((limit) -> limit(limit, "", this.rate, this.burst, this.capacity, texts, isSet));
			if (this.algorithm != null && isSet.test("algorithm")) {
				defined = defined.algorithm(this.algorithm);
			}
			if (this.start != null && isSet.test("start")) {
				defined = defined.start(this.start);
			}
			for (Map.Entry<String, PlanProperties> plan : RuleSetReader.spelledOnce(this.plans).entrySet()) {
				String name = RuleSetReader.spelled(plan.getKey(), candidate.plans().keySet());
				LimitDefinition before = candidate.plans().get(name);
				defined = defined.plan(name, (empty) -> plan.getValue()
					.define((before != null) ? before : empty, empty, name, texts, isSet));
			}
			return defined;
		}

	}

	/**
	 * When the rate of a rule is reduced, and how far.
	 *
	 * @param minRate Rate below which the rule is never reduced, such as 10/s.
	 * @param targetLatency Latency that at most 10% of the requests may exceed, from 1ms
	 * to 60s. By default the latency is not measured.
	 * @param maxErrorRate Share of the requests that may fail, such as 5%. By default
	 * errors are not measured.
	 * @param signal Name of an OverloadSignal bean, which reports overload. None by
	 * default.
	 * @param recovery Time in which the rate rises from 0 to that of the rule while
	 * nothing is overloaded. By default 1m.
	 * @param resource Name of what the rule protects. Rules with the same name are
	 * reduced together. By default the id of the rule.
	 * @param priority Priority among the rules of the resource. Those with a lower one
	 * are reduced first. By default 0.
	 */
	record AdaptiveProperties(@Nullable String minRate, @Nullable Duration targetLatency, @Nullable String maxErrorRate,
			@Nullable String signal, @Nullable Duration recovery, @Nullable String resource,
			@Nullable Integer priority) {

		private boolean isWritten() {
			return this.targetLatency != null || this.recovery != null || this.priority != null
					|| Stream.of(this.minRate, this.maxErrorRate, this.signal, this.resource)
						.anyMatch((text) -> RuleTexts.text(text) != null);
		}

		private AdaptiveDefinition define(AdaptiveDefinition adaptive, RuleTexts texts, Predicate<String> isSet) {
			AdaptiveDefinition defined = adaptive;
			Rate lowest = isSet.test("min-rate") ? texts.rate("min-rate", this.minRate) : null;
			if (lowest != null) {
				defined = defined.minRate(lowest.permits(), lowest.period());
			}
			if (this.targetLatency != null && isSet.test("target-latency")) {
				defined = defined.targetLatency(this.targetLatency);
			}
			Double errors = isSet.test("max-error-rate") ? texts.share("max-error-rate", this.maxErrorRate) : null;
			if (errors != null) {
				defined = defined.maxErrorRate(errors);
			}
			String bean = RuleTexts.text(this.signal);
			if (bean != null && isSet.test("signal")) {
				defined = defined.signal(bean);
			}
			if (this.recovery != null && isSet.test("recovery")) {
				defined = defined.recovery(this.recovery);
			}
			String name = RuleTexts.text(this.resource);
			if (name != null && isSet.test("resource")) {
				defined = defined.resource(name);
			}
			return (this.priority != null && isSet.test("priority")) ? defined.priority(this.priority) : defined;
		}

	}

	/**
	 * The times in which a rule applies.
	 *
	 * @param ranges Ranges of time: two date-times with a slash each. A date-time has an
	 * offset, or is in the zone. Two dots mean no start or no end. All times by default.
	 * @param weekly Ranges of time on days of the week. All times by default.
	 * @param zone Time zone of weekly ranges, and of date-times without an offset.
	 */
	record ActiveProperties(@DefaultValue List<String> ranges, @DefaultValue List<String> weekly,
			@Nullable String zone) {

		/**
		 * Sets the values in a definition. Returns {@code null} if all are blank.
		 */
		private @Nullable ActiveDefinition define(@Nullable ActiveDefinition defined, Predicate<String> isSet) {
			ActiveDefinition before = Objects.requireNonNullElse(defined,
					new ActiveDefinition(List.of(), List.of(), null));
			ActiveDefinition active = new ActiveDefinition(
					isSet.test("active.ranges") ? written(this.ranges) : before.ranges(),
					isSet.test("active.weekly") ? written(this.weekly) : before.weekly(),
					isSet.test("active.zone") ? RuleTexts.text(this.zone) : before.zone());
			return (active.ranges().isEmpty() && active.weekly().isEmpty() && active.zone() == null) ? null : active;
		}

	}

	/**
	 * The ban of a rule.
	 *
	 * @param after Number of rejections of a caller that starts a ban.
	 * @param within Time in which the rejections must occur.
	 * @param duration Duration of the first ban.
	 * @param max Maximum duration. Each further ban is twice as long as the one before,
	 * until the caller has not been banned for this time. By default that of the first
	 * ban.
	 */
	record BanProperties(@Nullable Long after, @Nullable Duration within, @Name("for") @Nullable Duration duration,
			@Nullable Duration max) {

		/**
		 * Sets the values in a ban. Returns {@code null} if one is missing, which is
		 * reported.
		 */
		private @Nullable BanDefinition define(@Nullable BanDefinition ban, RuleTexts texts) {
			BanProperties all = (ban == null) ? this : new BanProperties(or(this.after, ban.after()),
					or(this.within, ban.within()), or(this.duration, ban.duration()), or(this.max, ban.max()));
			Long number = texts.required("ban.after", all.after, "a number of rejections, such as 20");
			Duration window = texts.required("ban.within", all.within, "a time, such as 1m");
			Duration first = texts.required("ban.for", all.duration, "a time, such as 10m");
			if (number == null || window == null || first == null) {
				return null;
			}
			return new BanDefinition(number, window, first, all.max);
		}

		private static <T> @Nullable T or(@Nullable T value, @Nullable T other) {
			return (value != null) ? value : other;
		}

	}

}
