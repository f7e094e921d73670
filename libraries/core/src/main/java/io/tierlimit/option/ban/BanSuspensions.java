package io.tierlimit.option.ban;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import io.tierlimit.RuleDecision;
import io.tierlimit.key.RuleKey;
import io.tierlimit.limit.Ban;
import io.tierlimit.option.ChargeFacts;
import io.tierlimit.option.OptionMeter;
import io.tierlimit.option.RuleOption;
import io.tierlimit.option.RuleSetOption;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * The bans of a rule set. If a reload makes a rule stricter, a caller that kept to the
 * previous limit may exceed the new one. For this reason, rejections are not counted for
 * bans for the time of {@code ban.within} after such a reload.
 */
public final class BanSuspensions implements RuleSetOption {

	private final Ticker ticker;

	/** All rules by their ids, including those without a ban. */
	private final Map<String, Rule> rules = new ConcurrentHashMap<>();

	/** The number of bans that have started, by the id of each rule that has a ban. */
	private final Map<String, LongAdder> started = new ConcurrentHashMap<>();

	/** The end of each suspension in ticks, by the id of the rule. */
	private final Map<String, Long> ends = new ConcurrentHashMap<>();

	/**
	 * Creates the bans of a rule set.
	 * @param ticker the clock
	 */
	public BanSuspensions(Ticker ticker) {
		this.ticker = ticker;
	}

	@Override
	public @Nullable RuleOption of(Rule rule, RuleKey key) {
		this.rules.putIfAbsent(rule.id(), rule);
		Banning banning = rule.options().find(Banning.class);
		if (banning == null) {
			return null;
		}
		this.started.putIfAbsent(rule.id(), new LongAdder());
		return new RuleBan(this, rule.id(), banning);
	}

	private LongAdder started(String rule) {
		return Objects.requireNonNull(this.started.get(rule));
	}

	/**
	 * Suspends the counting of rejections for rules that have become stricter. The
	 * numbers of bans are taken over.
	 */
	@Override
	public void continueFrom(RuleSetOption replaced) {
		BanSuspensions earlier = (BanSuspensions) replaced;
		this.started.replaceAll((rule, zero) -> earlier.started.getOrDefault(rule, zero));
		this.rules.forEach((id, rule) -> {
			Rule before = earlier.rules.get(id);
			Banning banning = rule.options().find(Banning.class);
			Long end = earlier.ends.get(id);
			if (before != null && banning != null && rule.mayRejectMoreThan(before)) {
				this.ends.put(id, this.ticker.ticks() + banning.policy().within());
			}
			else if (before != null && end != null) {
				this.ends.put(id, end);
			}
		});
	}

	/**
	 * The ban of a rule.
	 */
	private record RuleBan(BanSuspensions suspensions, String rule, Banning banning) implements RuleOption {

		@Override
		public ChargeOptions charge(ChargeOptions options, Purpose purpose) {
			return options.with(this.banning.policy());
		}

		@Override
		public boolean hasTightened(long ticks, ChargeFacts facts) {
			Long end = this.suspensions.ends.get(this.rule);
			return end != null && this.suspensions.ticker.ticks() < end;
		}

		@Override
		public void decided(List<RuleDecision> decisions, int index) {
			Ban ban = decisions.get(index).decision().ban();
			if (ban != null && ban.started()) {
				this.suspensions.started(this.rule).increment();
			}
		}

		@Override
		public List<OptionMeter> meters() {
			return List.of(OptionMeter.counter("tierlimit.bans", "Bans that have started", null,
					() -> this.suspensions.started(this.rule).sum()));
		}

		@Override
		public void describe(Map<String, Object> description) {
			description.put("ban", this.banning.describe());
		}

	}

}
