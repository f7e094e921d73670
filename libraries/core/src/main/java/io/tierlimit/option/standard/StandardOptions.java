package io.tierlimit.option.standard;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;

import io.tierlimit.logging.OnceLogger;
import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleOptionFactory;
import io.tierlimit.option.adaptive.AdaptiveRates;
import io.tierlimit.option.adaptive.AdaptiveReader;
import io.tierlimit.option.ban.BanReader;
import io.tierlimit.option.ban.BanSuspensions;
import io.tierlimit.option.candidate.CandidateComparisons;
import io.tierlimit.option.candidate.CandidateReader;
import io.tierlimit.option.concurrency.HeldPermits;
import io.tierlimit.option.condition.Condition;
import io.tierlimit.option.condition.ConditionReader;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.outcome.ChargePolicyReader;
import io.tierlimit.option.outcome.SettledByOutcome;
import io.tierlimit.option.override.Overrides;
import io.tierlimit.option.plan.PlanLimits;
import io.tierlimit.option.schedule.AppliesOnSchedule;
import io.tierlimit.option.schedule.Schedule;
import io.tierlimit.option.schedule.ScheduleReader;
import io.tierlimit.option.shard.ShardReader;
import io.tierlimit.option.shard.Shards;
import io.tierlimit.option.share.EnforcedShare;
import io.tierlimit.option.settlement.ActualCostReader;
import io.tierlimit.option.settlement.SettledCosts;
import io.tierlimit.option.share.ShareReader;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.option.wait.ReservationReader;
import io.tierlimit.spi.OverloadSignal;
import io.tierlimit.store.Ticker;

/**
 * The options that all rules can have.
 */
public final class StandardOptions {

	private StandardOptions() {
	}

	/**
	 * All options in the order in which a rule calls them. The limit of an override
	 * replaces the limit of the plan, and an adaptive rate reduces both. While the
	 * schedule excludes the current time, the condition is not evaluated.
	 * @param clock returns the current time
	 * @param signals the signals of adaptive rules by their names
	 * @param ticker the clock that measures the requests of adaptive rules
	 * @return the options
	 */
	public static List<RuleOptionFactory> of(InstantSource clock, Map<String, OverloadSignal> signals, Ticker ticker) {
		OnceLogger settlements = new OnceLogger(SettledCosts.class);
		return List.of(RuleOptionFactory.of(Schedule.class, (rule, key, times) -> new AppliesOnSchedule(times, clock)),
				Condition.factory(), (rules) -> new BanSuspensions(ticker), PlanLimits.factory(),
				(rules) -> new Overrides(rules, clock), (rules) -> new AdaptiveRates(signals, ticker),
				RuleOptionFactory.of(EnforcedShare.class, (rule, key, share) -> share),
				RuleOptionFactory.of(ReservationOptions.class, (rule, key, bounds) -> bounds),
				RuleOptionFactory.of(ChargePolicy.class, (rule, key, policy) -> new SettledByOutcome(policy, key)),
				HeldPermits.factory(), (rules) -> new SettledCosts(settlements),
				RuleOptionFactory.of(Shards.class, (rule, key, shards) -> shards),
				(rules) -> new CandidateComparisons());
	}

	/**
	 * The readers of all options, in the order of the documentation.
	 * @param authentication whether the results of authentications are known, so that
	 * rules may depend on them
	 * @return the readers
	 */
	public static List<OptionReader> readers(boolean authentication) {
		return List.of(new ConditionReader(), new ReservationReader(), new ChargePolicyReader(authentication),
				new ActualCostReader(), new BanReader(), new ShareReader(), new ScheduleReader(), new ShardReader(),
				new CandidateReader(), new AdaptiveReader());
	}

}
