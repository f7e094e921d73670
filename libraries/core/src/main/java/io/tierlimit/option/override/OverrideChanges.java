package io.tierlimit.option.override;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.limit.Limit;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.CallerOverride.Target;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import org.jspecify.annotations.Nullable;

/**
 * The overrides that have recently begun, changed or ended, because of a reload or
 * because of the time. Only overrides of rules with a ban are included. Each change is
 * stored as an override without an effect that is active for {@code ban.within}, so that
 * it is found in the same way as an override.
 */
final class OverrideChanges {

	private final RuleSet rules;

	private final InstantSource clock;

	private final List<CallerOverride> changes = new ArrayList<>();

	private volatile OverrideIndex index;

	OverrideChanges(RuleSet rules, InstantSource clock) {
		this.rules = rules;
		this.clock = clock;
		rules.rules().forEach(this::addTimes);
		this.index = new OverrideIndex(this.changes, clock);
	}

	private void addTimes(Rule rule) {
		if (rule.options().memory().isZero()) {
			return;
		}
		for (CallerOverride override : this.rules.overrides()) {
			if (mayAllow(override, rule)) {
				add(override.target(), rule, override.from());
				add(override.target(), rule, override.until());
			}
		}
	}

	private void add(Target target, Rule rule, @Nullable Instant time) {
		Duration within = rule.options().memory();
		if (time != null && time.isBefore(Instant.MAX.minus(within))) {
			this.changes.add(new CallerOverride("change", target, Set.of(rule.id()), Effect.UNLIMITED, Map.of(), time,
					time.plus(within), null));
		}
	}

	private static boolean mayAllow(CallerOverride override, Rule rule) {
		return override.effect() != Effect.BLOCKED && override.concerns(rule.id());
	}

	/** Adds the changes between an earlier rule set and this one, which replaces it. */
	void continueFrom(OverrideChanges earlier) {
		Instant now = this.clock.instant();
		earlier.changes.stream().filter((change) -> change.isActive(now)).forEach(this.changes::add);
		for (Rule rule : this.rules.rules()) {
			if (!rule.options().memory().isZero() && !this.rules.overrides().equals(earlier.rules.overrides())) {
				Set<Applied> before = earlier.applied(rule, now);
				Set<Applied> after = applied(rule, now);
				Set<Target> changed = new HashSet<>();
				before.stream().filter((each) -> !after.contains(each)).forEach((each) -> changed.add(each.target));
				after.stream().filter((each) -> !before.contains(each)).forEach((each) -> changed.add(each.target));
				changed.forEach((target) -> add(target, rule, now));
			}
		}
		this.index = new OverrideIndex(this.changes, this.clock);
	}

	private Set<Applied> applied(Rule rule, Instant now) {
		Set<Applied> applied = new HashSet<>();
		for (CallerOverride override : this.rules.overrides()) {
			if (mayAllow(override, rule) && override.isActive(now)) {
				applied.add(new Applied(override.target(), override.limits().get(rule.id())));
			}
		}
		return applied;
	}

	/** The changes in the form of overrides; {@code null} if there are no changes. */
	@Nullable OverrideIndex index() {
		return this.changes.isEmpty() ? null : this.index;
	}

	/**
	 * The limit that an override sets for a caller.
	 *
	 * @param target the caller
	 * @param limit the limit; {@code null} if the caller is unlimited
	 */
	private record Applied(Target target, @Nullable Limit limit) {

	}

}
