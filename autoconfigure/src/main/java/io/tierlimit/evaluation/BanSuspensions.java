package io.tierlimit.evaluation;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.tierlimit.limit.BanPolicy;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.Ticker;

/**
 * The rules whose limits a reload has just lowered. A caller who kept to the limit before
 * may exceed it now, so the rejections of the next {@code ban.within} do not count for
 * bans.
 */
final class BanSuspensions {

	private final Ticker ticker;

	/** The end of each suspension in ticks, by the id of the rule. */
	private final Map<String, Long> ends = new ConcurrentHashMap<>();

	BanSuspensions(Ticker ticker) {
		this.ticker = ticker;
	}

	/** Whether rejections by a rule do not count at present. */
	boolean contain(Rule rule) {
		Long end = this.ends.get(rule.id());
		return end != null && this.ticker.ticks() < end;
	}

	/** Suspends bans by a rule that replaces another one with lower limits. */
	void continueFrom(BanSuspensions earlier, Rule before, Rule rule) {
		BanPolicy ban = rule.options().ban();
		Long end = earlier.ends.get(rule.id());
		if (ban != null && rule.limits().areLowerThan(before.limits())) {
			this.ends.put(rule.id(), this.ticker.ticks() + ban.within());
		}
		else if (end != null) {
			this.ends.put(rule.id(), end);
		}
	}

}
