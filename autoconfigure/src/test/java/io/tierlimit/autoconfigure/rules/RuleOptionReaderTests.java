package io.tierlimit.autoconfigure.rules;

import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.tierlimit.autoconfigure.ReportedProblems;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.adaptive.AdaptivePolicy;
import io.tierlimit.option.ban.Banning;
import io.tierlimit.option.outcome.AuthenticationResult;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.outcome.StatusRange;
import io.tierlimit.option.schedule.Schedule;
import io.tierlimit.option.schedule.TimeRange;
import io.tierlimit.option.schedule.WeeklyRange;
import io.tierlimit.option.shard.Shards;
import io.tierlimit.option.share.EnforcedShare;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.spi.OverloadSignal;
import org.junit.jupiter.api.Test;

import static io.tierlimit.autoconfigure.ReportedProblems.assertReported;
import static io.tierlimit.autoconfigure.rules.RuleReading.RUNNER;
import static io.tierlimit.autoconfigure.rules.RuleReading.problems;
import static io.tierlimit.autoconfigure.rules.RuleReading.read;
import static io.tierlimit.autoconfigure.rules.RuleReading.rules;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The options of rules of the configuration.
 */
class RuleOptionReaderTests {

	@Test
	void reservationsAreRead() {
		assertThat(read("rate=10/s").options().find(ReservationOptions.class)).isNull();
		assertThat(read("rate=10/s", "max-reserved=50", "max-wait=500ms").options().find(ReservationOptions.class))
			.isEqualTo(new ReservationOptions(50, Duration.ofMillis(500)));
	}

	@Test
	void chargingIsRead() {
		assertThat(read("rate=5/h", "charge-on=401, 403,5XX", "reset-on=authentication-success,200").options()
			.find(ChargePolicy.class))
			.isEqualTo(new ChargePolicy(
					List.of(new StatusRange(401, 401), new StatusRange(403, 403), new StatusRange(500, 599)),
					List.of(AuthenticationResult.SUCCESS, new StatusRange(200, 200))));
		assertThat(read("rate=5/h", "charge-on=always").options().values()).isEmpty();
		assertThat(read("rate=5/h").options()).isEqualTo(RuleOptions.STANDARD);
	}

	@Test
	void mistakesOfChargingAreReportedTogether() {
		assertReported(
				problems("a.rate=1/m", "a.charge-on=600,sometimes,401", "a.reset-on=always", "b.rate=1/m",
						"b.charge-on=always,401", "c.rate=1/m", "c.charge-on=4xx", "c.reset-on=404", "d.rate=1/m",
						"d.reset-on=authentication-failure", "e.rate=1/m", "e.charge-on=authentication-success",
						"e.reset-on=authentication-success", "f.rate=1/m", "f.charge-on=099", "g.rate=1/m",
						"g.charge-on=401,,403"),
				"Rule 'a': charge-on must be a response status|(was '600'). Correct tierlimit.rules.a.charge-on (test).",
				"Rule 'a': charge-on must be a response status from 100 to 599, a status class such as 4xx, authentication-failure, authentication-success or always (was 'sometimes'). Correct tierlimit.rules.a.charge-on (test).",
				"Rule 'a': reset-on must be a response status from 100 to 599, a status class such as 4xx, or authentication-success (was 'always')|tierlimit.rules.a.reset-on (test)",
				"Rule 'b': charge-on 'always' cannot be combined with other values. Remove either it or the other values: tierlimit.rules.b.charge-on (test).",
				"Rule 'c': charge-on and reset-on must not overlap: charge-on 4xx, reset-on 404|tierlimit.rules.c.reset-on (test)",
				"Rule 'd': reset-on must not be authentication-failure, because |Correct tierlimit.rules.d.reset-on (test).",
				"Rule 'e': charge-on and reset-on must not overlap: charge-on authentication-success, reset-on authentication-success. Correct tierlimit.rules.e.reset-on (test).",
				"Rule 'f': charge-on must be a response status|(was '099'). Correct tierlimit.rules.f.charge-on (test).",
				"Rule 'g': charge-on must be a response status|(was ''). Correct tierlimit.rules.g.charge-on (test).");
	}

	@Test
	void banIsRead() {
		assertThat(read("rate=1/s", "scope=ip", "ban.after=20", "ban.within=1m", "ban.for=10m", "ban.max=1d").options()
			.find(Banning.class)).isEqualTo(
					new Banning(BanPolicy.of(20, Duration.ofMinutes(1), Duration.ofMinutes(10), Duration.ofDays(1))));
		assertThat(read("rate=1/s", "key=header('X')", "ban.after=1", "ban.within=5s", "ban.for=2s").options()
			.find(Banning.class)).as("max is the same as for")
			.isEqualTo(
					new Banning(BanPolicy.of(1, Duration.ofSeconds(5), Duration.ofSeconds(2), Duration.ofSeconds(2))));
		assertThat(read("rate=1/s", "ban.after=", "ban.max=").options().find(Banning.class)).isNull();
	}

	@Test
	void mistakesOfBansAreReportedTogether() {
		List<String> properties = new ArrayList<>();
		for (String id : List.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")) {
			properties.addAll(List.of(id + ".rate=1/s", id + ".scope=ip"));
		}
		properties.addAll(List.of("a.ban.after=0", "a.ban.within=0s", "a.ban.for=-1s", "a.ban.max=3651d",
				"b.ban.after=1", "b.ban.within=1m", "b.ban.for=2m", "b.ban.max=1m", "c.ban.max=1m", "d.ban.after=many",
				"d.ban.within=soon", "d.ban.for=1m", "e.ban=20", "f.ban.untl=1d", "f.ban.after=1", "f.ban.within=1m",
				"f.ban.for=1m"));
		for (String id : List.of("g", "h", "i", "j", "k")) {
			properties.addAll(List.of(id + ".ban.after=1", id + ".ban.within=1m", id + ".ban.for=1m"));
		}
		properties.addAll(List.of("g.cost=0", "k.rate=1/s"));
		properties.replaceAll((property) -> property.equals("h.scope=ip") ? "h.scope=global"
				: property.equals("i.scope=ip") ? "i.scope=endpoint,plan" : property);
		properties.removeIf("j.scope=ip"::equals);
		properties.add("j.key='constant'");
		String shared = ": callers share a bucket, so the ban of one would block the others. Set scope to user or ip, or remove tierlimit.rules.";
		assertReported(problems(properties.toArray(String[]::new)),
				"Rule 'a': ban.after must be from 1 to 1000000000000 rejections (was '0'). Correct tierlimit.rules.a.ban.after (test).",
				"Rule 'a': ban.within must be above 0s and up to 3650d (was '0s'). Correct tierlimit.rules.a.ban.within (test).",
				"Rule 'a': ban.for must be above 0s and up to 3650d (was '-1s'). Correct tierlimit.rules.a.ban.for (test).",
				"Rule 'a': ban.max must be above 0s and up to 3650d (was '3651d'). Correct tierlimit.rules.a.ban.max (test).",
				"Rule 'b': ban.max must not be shorter than ban.for, PT2M (was '1m'). Correct tierlimit.rules.b.ban.max (test).",
				"Rule 'c': ban.after is not set. Set tierlimit.rules.c.ban.after to a number of rejections, such as 20.",
				"Rule 'c': ban.within is not set. Set tierlimit.rules.c.ban.within to a time, such as 1m.",
				"Rule 'c': ban.for is not set. Set tierlimit.rules.c.ban.for to a time, such as 10m.",
				"ban.after must be a|(was 'many')|tierlimit.rules.d.ban.after (test)",
				"ban.within must be a time|(was 'soon')|tierlimit.rules.d.ban.within (test)",
				"tierlimit.rules.e.ban must be a set of properties (after, within, for, max), not a single value. Set one or more of them instead of tierlimit.rules.e.ban (test).",
				"Rule 'f': 'untl' is not a known property. Known properties are after, within, for, max. Correct or remove tierlimit.rules.f.ban.untl (test).",
				"Rule 'g': a request that costs 0 is never rejected, so no caller would be banned. Raise cost, or remove tierlimit.rules.g.ban",
				"Rule 'h'" + shared + "h.ban", "Rule 'i'" + shared + "i.ban", "Rule 'j'" + shared + "j.ban",
				"Rule 'k'" + shared + "k.ban");
	}

	@Test
	void adaptiveRateIsRead() {
		assertThat(read("rate=100/s", "adaptive.min-rate=10/s", "adaptive.target-latency=200ms",
				"adaptive.max-error-rate=5%", "adaptive.recovery=30s", "adaptive.resource=shop", "adaptive.priority=-1")
			.options()
			.find(AdaptivePolicy.class))
			.isEqualTo(new AdaptivePolicy(Rate.parse("10/s"), Duration.ofMillis(200), 0.05, null,
					Duration.ofSeconds(30), "shop", -1));
		assertThat(read("rate=100/s", "adaptive.min-rate=10/m", "adaptive.max-error-rate=0.5 %").options()
			.find(AdaptivePolicy.class)).as("the rule has a resource of its own")
			.isEqualTo(new AdaptivePolicy(Rate.parse("10/m"), null, 0.005, null, Duration.ofMinutes(1), "r", 0));
		assertThat(read("rate=1/s", "adaptive.min-rate=", "adaptive.signal=").options().find(AdaptivePolicy.class))
			.isNull();
	}

	@Test
	void mistakesOfAdaptiveRatesAreReportedTogether() {
		List<String> properties = new ArrayList<>();
		for (String id : List.of("a", "b", "c", "d", "e", "f", "g", "h")) {
			properties.add(id + ".rate=100/s");
		}
		for (String id : List.of("a", "c", "d", "e", "g", "h")) {
			properties.add(id + ".adaptive.min-rate=10/s");
		}
		properties
			.addAll(List.of("a.adaptive.target-latency=0ms", "a.adaptive.max-error-rate=100%", "a.adaptive.recovery=2d",
					"a.adaptive.priority=high", "b.adaptive.target-latency=61s", "c.adaptive.max-error-rate=0.05",
					"d.adaptive.signal=pool", "e.adaptive.recovery=1m", "f.adaptive.min-rate=100/s",
					"f.adaptive.max-error-rate=1%", "g.adaptive.max-error-rate=1%", "g.adaptive.resource=shop",
					"h.adaptive.max-error-rate=1%", "h.adaptive.resource=shop", "h.adaptive.recovery=2m", "i.rate=1/s",
					"i.adaptive.min-rate=x", "i.adaptive.max-error-rate=1%", "j.rate=1/s", "j.adaptive=10/s"));
		assertReported(problems(properties.toArray(String[]::new)),
				"Rule 'a', adaptive: target-latency must be from 1ms to 60s (was '0ms'). Correct tierlimit.rules.a.adaptive.target-latency (test).",
				"Rule 'a', adaptive: max-error-rate must be from 0% to below 100% (was '100%'). Correct tierlimit.rules.a.adaptive.max-error-rate (test).",
				"Rule 'a', adaptive: recovery must be from 10s to 1d (was '2d'). Correct tierlimit.rules.a.adaptive.recovery (test).",
				"adaptive.priority must be|(was 'high')|tierlimit.rules.a.adaptive.priority (test)",
				"Rule 'b', adaptive: min-rate is not set. Set tierlimit.rules.b.adaptive.min-rate to the lowest rate, such as 10/s.",
				"Rule 'b', adaptive: target-latency must be from 1ms to 60s (was '61s')|tierlimit.rules.b.adaptive.target-latency (test)",
				"Rule 'c', adaptive: max-error-rate must be a percentage with its sign, such as 5% or 0.5% (was '0.05'). Correct tierlimit.rules.c.adaptive.max-error-rate (test).",
				"Rule 'd', adaptive: signal 'pool' does not exist. The OverloadSignal beans are []. Correct tierlimit.rules.d.adaptive.signal (test), or define an OverloadSignal bean named 'pool'.",
				"Rule 'e', adaptive: nothing is measured, so the rate would never be reduced. Set target-latency, max-error-rate or signal in tierlimit.rules.e.adaptive",
				"Rule 'f', adaptive: min-rate must be lower than the rate of the rule, 100/s (was '100/s'). Correct tierlimit.rules.f.adaptive.min-rate (test).",
				"Rule 'i', adaptive: min-rate must be permits per period|(was 'x'). Correct tierlimit.rules.i.adaptive.min-rate (test).",
				"tierlimit.rules.j.adaptive must be a set of properties (min-rate, target-latency, max-error-rate, signal, recovery, resource, priority), not a single value. Set one or more of them instead of tierlimit.rules.j.adaptive (test).",
				"The rules 'g' and 'h' protect the resource 'shop', but adaptive.recovery is 60s and 120s. Set the same time in both rules.");
	}

	@Test
	void adaptiveRatesWithLittleEffectAreWarnedOf() {
		RUNNER
			.withPropertyValues("tierlimit.rules.slow.rate=100/s", "tierlimit.rules.slow.adaptive.min-rate=10/s",
					"tierlimit.rules.slow.adaptive.target-latency=10s", "tierlimit.rules.slow.adaptive.recovery=10s",
					"tierlimit.rules.rare.rate=5/m", "tierlimit.rules.rare.adaptive.min-rate=1/m",
					"tierlimit.rules.rare.adaptive.max-error-rate=5%", "tierlimit.rules.trial.rate=100/s",
					"tierlimit.rules.trial.mode=shadow", "tierlimit.rules.trial.adaptive.min-rate=10/s",
					"tierlimit.rules.trial.adaptive.max-error-rate=5%")
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).warnings()).satisfiesExactlyInAnyOrder(
					(warning) -> assertThat(warning)
						.startsWith("Rule 'slow', adaptive: recovery is shorter than 20 times target-latency")
						.contains("Set tierlimit.rules.slow.adaptive.recovery", "to at least 200s"),
					(warning) -> assertThat(warning).startsWith("Rule 'rare', adaptive: a rate of 5/m allows too few")
						.contains("tierlimit.rules.rare.adaptive"),
					(warning) -> assertThat(warning).startsWith("Rule 'trial', adaptive: the rule is in shadow mode")
						.contains("tierlimit.rules.trial.adaptive")));
	}

	@Test
	void adaptiveRatesWithAnEffectAreNotWarnedOf() {
		RUNNER
			.withPropertyValues("tierlimit.rules.slow.rate=1/s", "tierlimit.rules.slow.adaptive.min-rate=1/m",
					"tierlimit.rules.slow.adaptive.target-latency=3s", "tierlimit.rules.user.rate=5/m",
					"tierlimit.rules.user.scope=user", "tierlimit.rules.user.adaptive.min-rate=1/m",
					"tierlimit.rules.user.adaptive.max-error-rate=5%", "tierlimit.rules.signal.rate=5/m",
					"tierlimit.rules.signal.adaptive.min-rate=1/m", "tierlimit.rules.signal.adaptive.signal=pool")
			.withBean("pool", OverloadSignal.class, () -> () -> false)
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).warnings()).isEmpty());
	}

	@Test
	void shareOfEnforcedKeysIsRead() {
		assertThat(read("rate=1/s").options().values()).isEmpty();
		assertThat(read("rate=1/s", "scope=ip", "enforce-share=0.5%").options().find(EnforcedShare.class))
			.isEqualTo(new EnforcedShare(0.005));
		assertThat(read("rate=1/s", "enforce-share=100%").options().values()).as("of one bucket").isEmpty();
	}

	@Test
	void shardsAreRead() {
		assertThat(read("rate=1000/s", "shards=16").options().find(Shards.class)).isEqualTo(new Shards(16));
		assertThat(read("rate=1000/s", "scope=endpoint,plan", "shards=64", "charge-on=2xx", "mode=shadow").options()
			.find(Shards.class)).isEqualTo(new Shards(64));
		assertThat(read("rate=1000/s", "algorithm=fixed-window", "shards=2", "max-wait=0s", "max-reserved=0").options()
			.find(Shards.class)).isEqualTo(new Shards(2));
		assertThat(read("rate=1000/s", "scope=ip", "shards=1").options().values()).isEmpty();
	}

	@Test
	void shardsWithFewPermitsAreWarnedOf() {
		RUNNER.withPropertyValues("tierlimit.rules.few.rate=100/s", "tierlimit.rules.few.burst=39",
				"tierlimit.rules.few.shards=4", "tierlimit.rules.enough.rate=100/s", "tierlimit.rules.enough.burst=40",
				"tierlimit.rules.enough.shards=4", "tierlimit.rules.costly.rate=100/s", "tierlimit.rules.costly.cost=3",
				"tierlimit.rules.costly.shards=4", "tierlimit.rules.plans.rate=100/s",
				"tierlimit.rules.plans.plans.free.rate=4/s", "tierlimit.rules.plans.shards=4")
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).warnings())
				.satisfiesExactlyInAnyOrder((warning) -> assertThat(warning).startsWith(
						"Rule 'few': each shard has a burst for only 9 requests, so requests may be rejected although "
								+ "other shards have permits. Raise burst, or lower tierlimit.rules.few.shards"),
						(warning) -> assertThat(warning)
							.startsWith("Rule 'costly': each shard has a burst for only 8 requests"),
						(warning) -> assertThat(warning)
							.startsWith("Rule 'plans': each shard has a burst for only 1 requests")));
	}

	@Test
	void mistakesOfShardsAreReported() {
		assertReported(
				problems("a.rate=1/s", "a.shards=0", "b.rate=1/s", "b.shards=65", "c.rate=1/s", "c.shards=many",
						"d.rate=100/s", "d.scope=user", "d.shards=2", "e.rate=100/s", "e.key=header('X')", "e.shards=2",
						"f.rate=100/s", "f.algorithm=sliding-log", "f.shards=2", "g.rate=100/s", "g.burst=3",
						"g.shards=4", "h.rate=3/s", "h.burst=100", "h.algorithm=fixed-window", "h.shards=4",
						"i.rate=100/s", "i.plans.free.rate=3/s", "i.shards=4", "j.rate=10/3650d", "j.shards=2",
						"k.rate=100/s", "k.shards=4", "k.candidate.rate=3/s", "l.rate=100/s", "l.shards=4",
						"l.candidate.algorithm=sliding-window", "l.candidate.rate=100/s"),
				"Rule 'a': shards must be 1 to 64 (was '0'). Correct tierlimit.rules.a.shards (test).",
				"Rule 'b': shards must be 1 to 64 (was '65'). Correct tierlimit.rules.b.shards (test).",
				"shards must be a whole number|(was 'many')|tierlimit.rules.c.shards (test)",
				"Rule 'd': each caller has its own bucket, which needs no shards. Set scope to global, endpoint or plan without a key, or remove tierlimit.rules.d.shards (test).",
				"Rule 'e': each caller has its own bucket, which needs no shards. Set scope to global, endpoint or plan without a key, or remove tierlimit.rules.e.shards (test).",
				"Rule 'f': shards are not supported by sliding-log. Set algorithm to token-bucket or fixed-window, or remove tierlimit.rules.f.shards (test).",
				"Rule 'g': shards must be at most 3, so that each shard has a permit (was '4'). Correct tierlimit.rules.g.shards (test).",
				"Rule 'h': shards must be at most 3, so that each shard has a permit (was '4'). Correct tierlimit.rules.h.shards (test).",
				"Rule 'i': shards must be at most 3, so that each shard has a permit (was '4'). Correct tierlimit.rules.i.shards (test).",
				"Rule 'j': shards must be fewer, because a shard needs 2 times the period of 10/3650d, at most 3650 days (was '2'). Correct tierlimit.rules.j.shards (test).",
				"Rule 'k', candidate: shards must be at most 3, so that each shard has a permit (was 4). Correct its limits, or remove tierlimit.rules.k.candidate",
				"Rule 'l', candidate: shards are not supported by sliding-window|tierlimit.rules.l.candidate.algorithm");
	}

	@Test
	void shardsCannotBeCombinedWithBans() {
		assertReported(problems("a.rate=100/s", "a.shards=4", "a.ban.after=1", "a.ban.within=1m", "a.ban.for=1m"),
				"Rule 'a': callers share a bucket, so the ban of one would block the others|a.ban",
				"Rule 'a': shards cannot be combined with ban, because no shard knows the rejections of the others. Remove ban, or remove tierlimit.rules.a.shards (test).");
	}

	@Test
	void shardsCannotBeCombinedWithWaitsReservationsAndResets() {
		assertReported(
				problems("a.rate=100/s", "a.shards=4", "a.max-wait=1s", "b.rate=100/s", "b.shards=4",
						"b.max-reserved=1", "c.rate=100/s", "c.shards=4", "c.reset-on=200"),
				"Rule 'a': shards cannot be combined with max-wait, because a request would wait for one shard although others have permits. Remove max-wait, or remove tierlimit.rules.a.shards (test).",
				"Rule 'b': shards cannot be combined with max-reserved, because a reservation would wait for one shard although others have permits. Remove max-reserved, or remove tierlimit.rules.b.shards (test).",
				"Rule 'c': shards cannot be combined with reset-on, because each reset would be a call to every shard. Remove reset-on, or remove tierlimit.rules.c.shards (test).");
	}

	@Test
	void mistakesOfTheShareOfEnforcedKeysAreReported() {
		String shared = ": callers share a bucket, so the rule cannot be enforced for a share of them. Set scope to user or ip, or remove tierlimit.rules.";
		assertReported(
				problems("a.rate=1/s", "a.enforce-share=100.5%", "b.rate=1/s", "b.enforce-share=-1%", "c.rate=1/s",
						"c.enforce-share=NaN", "d.rate=1/s", "d.enforce-share=20", "e.rate=1/s", "e.enforce-share=5%",
						"f.rate=1/s", "f.scope=endpoint,plan", "f.enforce-share=99.9%", "g.rate=1/s",
						"g.key='constant'", "g.enforce-share=50%", "h.rate=1/s", "h.scope=ip", "h.enforce-share=0.0 %"),
				"Rule 'a': enforce-share must be above 0% and at most 100% (was '100.5%'). Correct tierlimit.rules.a.enforce-share (test).",
				"Rule 'b': enforce-share must be above 0% and at most 100% (was '-1%'). Correct tierlimit.rules.b.enforce-share (test).",
				"Rule 'c': enforce-share must be a percentage with its sign, such as 5% or 0.5% (was 'NaN'). Correct tierlimit.rules.c.enforce-share (test).",
				"Rule 'd': enforce-share must be a percentage with its sign, such as 5% or 0.5%|(was '20')|tierlimit.rules.d.enforce-share (test)",
				"Rule 'e'" + shared + "e.enforce-share (test).", "Rule 'f'" + shared + "f.enforce-share (test).",
				"Rule 'g'" + shared + "g.enforce-share (test).",
				"Rule 'h': enforce-share must be above 0% (was '0.0 %'). To reject no requests, set mode to shadow and remove tierlimit.rules.h.enforce-share (test).");
	}

	@Test
	void scheduleIsRead() {
		ZoneId berlin = ZoneId.of("Europe/Berlin");
		assertThat(read("rate=1/s", "schedule.ranges=2026-11-27T00:00/2026-12-01T00:00, 2026-12-24T00:00Z/..",
				"schedule.weekly[0]=MON-FRI 08:00-18:00", "schedule.weekly[1]=SAT 22:00-06:00",
				"schedule.zone=Europe/Berlin")
			.options()
			.find(Schedule.class))
			.isEqualTo(new Schedule(
					List.of(TimeRange.parse("2026-11-27T00:00/2026-12-01T00:00", berlin),
							TimeRange.parse("2026-12-24T00:00Z/..", berlin)),
					List.of(WeeklyRange.parse("MON-FRI 08:00-18:00"), WeeklyRange.parse("SAT 22:00-06:00")), berlin));
		assertThat(read("rate=1/s", "schedule.ranges=2026-12-24T00:00Z/..").options().find(Schedule.class))
			.as("no local time, so no zone")
			.isNotNull();
		assertThat(read("rate=1/s", "schedule.zone=", "schedule.weekly=").options().find(Schedule.class)).isNull();
	}

	@Test
	void mistakesOfSchedulesAreReportedTogether() {
		assertReported(
				problems("a.rate=1/s", "a.schedule.ranges=2026-11-27/2026-11-30",
						"a.schedule.weekly=MON-FRY 08:00-18:00", "a.schedule.zone=Europe/Berln", "b.rate=1/s",
						"b.schedule.weekly=MON 08:00-18:00", "c.rate=1/s", "c.schedule.ranges=2026-11-27T00:00/..",
						"d.rate=1/s", "d.schedule.zone=UTC", "e.rate=1/s",
						"e.schedule.ranges[0]=2026-11-27T00:00Z/2026-11-27T00:00Z", "e.schedule.ranges[1]=../..",
						"f.rate=1/s", "f.schedule=MON 08:00-18:00", "g.rate=1/s", "g.schedule.week=MON 08:00-18:00"),
				"Rule 'a': schedule.ranges must be two date-times with a slash, such as 2026-11-27T00:00/2026-12-01T00:00, or '..' instead of one (was '2026-11-27/2026-11-30')|tierlimit.rules.a.schedule.ranges",
				"Rule 'a': schedule.weekly must be days and times such as MON-FRI 08:00-18:00, or SAT 22:00-06:00 until the next morning (was 'MON-FRY 08:00-18:00')|tierlimit.rules.a.schedule.weekly",
				"Rule 'a': schedule.zone must be a time zone such as Europe/Berlin or UTC (was 'Europe/Berln'). Correct tierlimit.rules.a.schedule.zone (test).",
				"Rule 'b': schedule has local times, but no time zone. Set tierlimit.rules.b.schedule.zone to one such as Europe/Berlin or UTC.",
				"Rule 'c': schedule has local times, but no time zone. Set tierlimit.rules.c.schedule.zone to one such as Europe/Berlin or UTC.",
				"Rule 'd': schedule has neither ranges nor weekly, so the rule would always apply. Set one of them, or remove tierlimit.rules.d.schedule",
				"Rule 'e': schedule.ranges must end after they start (was '2026-11-27T00:00Z/2026-11-27T00:00Z'). Correct tierlimit.rules.e.schedule.ranges[0] (test).",
				"Rule 'e': schedule.ranges must have a start or an end (was '../..'). Correct tierlimit.rules.e.schedule.ranges[1] (test).",
				"tierlimit.rules.f.schedule must be a set of properties (ranges, weekly, zone), not a single value.|(test)",
				"Rule 'g': 'week' is not a known property. Known properties are ranges, weekly, zone. Correct or remove tierlimit.rules.g.schedule.week (test).");
	}

	@Test
	void candidateIsRead() {
		Rule rule = read("rate=10/s", "burst=50", "plans.pro.rate=20/s", "plans.max.unlimited=true",
				"candidate.rate=5/s", "candidate.burst=1m", "candidate.plans.pro.rate=8/s");
		Rule candidate = rule.derived().get(0);
		assertThat(candidate.id()).isEqualTo("r.candidate");
		assertThat(candidate.isShadow()).isTrue();
		assertThat(candidate.limits()).isEqualTo(new RuleLimits(new TokenBucket(Rate.parse("5/s"), 300),
				Map.of("pro", new PlanLimit(new TokenBucket(Rate.parse("8/s"))), "max", PlanLimit.UNLIMITED)));
		assertThat(candidateOf("rate=10/s", "burst=50", "candidate.rate=5/s").standard())
			.as("nothing of the rule's limit")
			.isEqualTo(new TokenBucket(Rate.parse("5/s")));
		assertThat(candidateOf("rate=10/d", "algorithm=fixed-window", "burst=20", "window.start=7h",
				"plans.pro.rate=20/d", "candidate.plans.pro.rate=30/d")
			.standard()).as("only a plan differs")
			.isEqualTo(new FixedWindow(Rate.parse("10/d"), 20, Duration.ofHours(7)));
		assertThat(candidateOf("rate=10/s", "burst=50", "candidate.algorithm=fixed-window", "candidate.rate=1/h",
				"candidate.burst=5", "candidate.window.start=1m")
			.standard()).isEqualTo(new FixedWindow(Rate.parse("1/h"), 5, Duration.ofMinutes(1)));
		assertThat(read("rate=10/s", "candidate.rate=").derived()).isEmpty();
	}

	private RuleLimits candidateOf(String... properties) {
		return read(properties).derived().get(0).limits();
	}

	@Test
	void mistakesOfCandidatesAreReportedTogether() {
		assertReported(problems("a.rate=1/s", "a.candidate.rate=fast", "a.candidate.burst=x", "b.rate=1/s",
				"b.candidate.burst=5", "c.rate=1/s", "c.candidate.rate=1/s", "c.candidate.algorithm=sliding-log",
				"c.candidate.burst=2", "d.rate=1/s", "d.max-wait=1s", "d.candidate.rate=1/s",
				"d.candidate.algorithm=sliding-log", "e.rate=1/s", "e.candidate.plans.pro.rate=1/s", "f.rate=1/s",
				"f.plans.pro.unlimited=true", "f.candidate.plans.pro.rate=1/s", "g.rate=1/s", "g.candidate=1/s",
				"h.rate=1/s", "h.candidate.rats=1/s", "i.rate=1/s", "i.candidate.rate=1/s", "[i.candidate].rate=1/s",
				"x".repeat(95) + ".rate=1/s", "x".repeat(95) + ".candidate.rate=1/s", "j.rate=1/s",
				"j.plans.pro.rate=1/s", "j.candidate.plans.pro.rate=x"),
				"Rule 'a', candidate: rate must be permits per period|(was 'fast')|Correct tierlimit.rules.a.candidate.rate (test).",
				"Rule 'a', candidate: burst must be 1 to|(was 'x')|Correct tierlimit.rules.a.candidate.burst (test).",
				"Rule 'b', candidate (test) has no rate. Set tierlimit.rules.b.candidate.rate to permits per period, such as 10/s.",
				"Rule 'c', candidate: burst is not supported by sliding-log. Remove tierlimit.rules.c.candidate.burst (test).",
				"Rule 'd', candidate: max-reserved and max-wait are not supported by sliding-log. Set another algorithm, or remove tierlimit.rules.d.candidate.algorithm (test).",
				"Rule 'e', candidate, plan 'pro': the rule does not list the plan, so it has no limit to compare. List the plan in the rule, or remove tierlimit.rules.e.candidate.plans.pro",
				"Rule 'f', candidate, plan 'pro': the plan is unlimited in the rule, so it has no limit to compare. Use a rule with mode shadow instead, or remove tierlimit.rules.f.candidate.plans.pro",
				"tierlimit.rules.g.candidate must be a set of properties (algorithm, rate, burst, limit, max-duration, retry-after-hint, window, plans), not a single value.|(test)",
				"'rats' is not a known property. Known properties are algorithm, rate, burst, limit, max-duration, retry-after-hint, window, plans. Correct or remove tierlimit.rules.h.candidate.rats (test).",
				"Rule 'i': its candidate has the id 'i.candidate', which is the id of another rule. Rename that rule, or remove the candidate.",
				"the id of a rule must have 1 to 100 letters|.candidate')",
				"Rule 'j', candidate, plan 'pro': rate must be permits per period|(was 'x')|Correct tierlimit.rules.j.candidate.plans.pro.rate (test).");
	}

}
