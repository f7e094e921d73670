package io.tierlimit.rule;

import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.tierlimit.AppliesTo;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.condition.ConditionText;
import org.jspecify.annotations.Nullable;

/**
 * Rules for tests: for all requests, with one bucket for all callers, the cost 1 and the
 * default options, unless the methods of {@link Rule} change that.
 */
public final class TestRules {

	/** Selects calls to annotated methods. */
	public static final Selection CODE = new Selection(AppliesTo.CODE, List.of(), List.of(), Set.of());

	private TestRules() {
	}

	/** A rule with this number of permits, which refills 1 permit per day. */
	public static Rule rule(String id, long burst) {
		return rule(id, bucket(burst));
	}

	public static Rule rule(String id, Limit limit) {
		return rule(id, new RuleLimits(limit));
	}

	public static Rule rule(String id, RuleLimits limits) {
		return new Rule(id, Selection.ALL_REQUESTS, Scope.of(), limits);
	}

	public static TokenBucket bucket(long burst) {
		return new TokenBucket(Rate.parse("1/d"), burst);
	}

	/** Selects requests with this path. */
	public static Selection onPath(String path) {
		return new Selection(AppliesTo.REQUESTS, List.of(path), List.of(), Set.of());
	}

	/** A condition as an option. */
	public static UnaryOperator<RuleOptions> where(@Nullable String condition) {
		return (options) -> (condition != null) ? options.with(new ConditionText(condition)) : options;
	}

}
