package io.tierlimit.option.override;

import java.time.InstantSource;

import io.tierlimit.key.RuleKey;
import io.tierlimit.option.ChargeFacts;
import io.tierlimit.option.RuleOption;
import io.tierlimit.option.RuleSetOption;
import io.tierlimit.option.Terms;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.DerivedFrom;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import org.jspecify.annotations.Nullable;

/**
 * The overrides of a rule set, which apply to single callers instead of the limits of
 * rules.
 */
public final class Overrides implements RuleSetOption {

	private final OverrideIndex index;

	private final OverrideChanges changes;

	/**
	 * Creates the overrides of a rule set.
	 * @param rules the rules
	 * @param clock returns the current time
	 */
	public Overrides(RuleSet rules, InstantSource clock) {
		this.index = new OverrideIndex(rules.overrides(), clock);
		this.changes = new OverrideChanges(rules, clock);
	}

	/**
	 * A candidate has no overrides of its own, because it is charged only together with
	 * its rule.
	 */
	@Override
	public @Nullable RuleOption of(Rule rule, RuleKey key) {
		boolean overridden = this.index.concerns(rule.id());
		boolean needed = overridden || !rule.options().memory().isZero();
		return (needed && rule.options().find(DerivedFrom.class) == null)
				? new OfRule(rule, key, overridden ? new RuleOverrides(rule, key, this.index) : null) : null;
	}

	@Override
	public void continueFrom(RuleSetOption earlier) {
		this.changes.continueFrom(((Overrides) earlier).changes);
	}

	/**
	 * The overrides of a rule.
	 */
	private final class OfRule implements RuleOption {

		private final Rule rule;

		private final RuleKey key;

		/** {@code null} if no override concerns the rule. */
		private final @Nullable RuleOverrides current;

		/** {@code null} until the first look-up of a change. */
		private volatile @Nullable RuleOverrides changed;

		OfRule(Rule rule, RuleKey key, @Nullable RuleOverrides current) {
			this.rule = rule;
			this.key = key;
			this.current = current;
		}

		@Override
		public Terms terms(Terms terms, ChargeFacts facts) {
			CallerOverride override = (this.current != null) ? this.current.of(facts) : null;
			if (override == null) {
				return terms;
			}
			return switch (override.effect()) {
				case LIMIT -> Terms.of(override.limits().get(this.rule.id()));
				case UNLIMITED -> terms.unlimited();
				case BLOCKED -> new Terms(this.rule.limits().standard(), true, Overrides.this.index.block(override));
			};
		}

		@Override
		public boolean hasTightened(long ticks, ChargeFacts facts) {
			OverrideIndex changes = Overrides.this.changes.index();
			if (changes == null) {
				return false;
			}
			RuleOverrides known = this.changed;
			if (known == null || !known.areOf(changes)) {
				known = new RuleOverrides(this.rule, this.key, changes);
				this.changed = known;
			}
			return known.of(facts) != null;
		}

	}

}
