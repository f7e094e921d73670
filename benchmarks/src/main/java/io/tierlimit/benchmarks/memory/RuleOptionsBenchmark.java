package io.tierlimit.benchmarks.memory;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.tierlimit.Verdict;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.adaptive.AdaptivePolicy;
import io.tierlimit.option.ban.Banning;
import io.tierlimit.option.candidate.CandidateLimits;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.CallerOverride.Kind;
import io.tierlimit.rule.CallerOverride.Target;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleOptions;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * The additional cost of options of a rule in a whole evaluation: four tiers for each of
 * 1,000 callers, one after the other, where one of the four rules has the option.
 */
@State(Scope.Benchmark)
public class RuleOptionsBenchmark {

	private static final int TIERS = 4;

	private static final String[] NAMES = Callers.names(Callers.FEW);

	private final TierlimitBuckets plain = with((options) -> options, List.of());

	private final TierlimitBuckets overridden = with((options) -> options,
			Arrays.stream(NAMES).map(RuleOptionsBenchmark::override).toList());

	private final TierlimitBuckets othersOverridden = with((options) -> options,
			IntStream.range(0, 10_000).mapToObj((i) -> override("other-" + i)).toList());

	private final TierlimitBuckets ban = with(
			(options) -> options
				.with(new Banning(BanPolicy.of(20, Duration.ofMinutes(1), Duration.ofMinutes(10), Duration.ofDays(1)))),
			List.of());

	private final TierlimitBuckets candidate = with(
			(options) -> options.with(new CandidateLimits(new RuleLimits(TierlimitBuckets.SLOW))), List.of());

	private final TierlimitBuckets adaptive = with((options) -> options
		.with(new AdaptivePolicy(Rate.parse("1/s"), null, 0.05, null, AdaptivePolicy.DEFAULT_RECOVERY, "service", 0)),
			List.of());

	private static TierlimitBuckets with(UnaryOperator<RuleOptions> option, List<CallerOverride> overrides) {
		return TierlimitBuckets.warm(TIERS, NAMES, option, overrides);
	}

	private static CallerOverride override(String user) {
		return new CallerOverride(user, new Target(Kind.USER, List.of(user)), Set.of("tier-0"), Effect.LIMIT,
				Map.of("tier-0", new TokenBucket(Rate.parse("1000/s"), 10_000_000_000L)), null, null);
	}

	/** Four rules without options. */
	@Benchmark
	public Verdict reference(Callers callers) {
		return this.plain.evaluate(callers.inTurn());
	}

	/** The caller has another limit under one rule. */
	@Benchmark
	public Verdict override(Callers callers) {
		return this.overridden.evaluate(callers.inTurn());
	}

	/** 10,000 other callers have another limit under one rule. */
	@Benchmark
	public Verdict overridesOfOthers(Callers callers) {
		return this.othersOverridden.evaluate(callers.inTurn());
	}

	/** One rule bans callers. */
	@Benchmark
	public Verdict ban(Callers callers) {
		return this.ban.evaluate(callers.inTurn());
	}

	/** One rule has a candidate, which adds a fifth bucket. */
	@Benchmark
	public Verdict candidate(Callers callers) {
		return this.candidate.evaluate(callers.inTurn());
	}

	/** The rate of one rule is adaptive, and not reduced. Requests are not measured. */
	@Benchmark
	public Verdict adaptive(Callers callers) {
		return this.adaptive.evaluate(callers.inTurn());
	}

}
