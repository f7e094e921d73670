package io.tierlimit.evaluation;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.tierlimit.limit.BanPolicy;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.Ticker;

/**
 * The rules and the overrides that a reload or the time has just changed. A caller who
 * kept to its limit before may exceed it now, so the rejections of the next
 * {@code ban.within} do not count for bans.
 */
final class BanSuspensions {

	private final Ticker ticker;

	/** The end of each suspension in ticks, by the id of the rule. */
	private final Map<String, Long> ends = new ConcurrentHashMap<>();

	private final OverrideChanges overrides;

	BanSuspensions(Ticker ticker, OverrideChanges overrides) {
		this.ticker = ticker;
		this.overrides = overrides;
	}

	/** Whether rejections of a caller by a rule do not count at present. */
	boolean contain(CompiledRule rule, Caller caller, BucketKey bucket) {
		Long end = this.ends.get(rule.rule().id());
		return (end != null && this.ticker.ticks() < end) || this.overrides.concern(rule, caller, bucket);
	}

	/** Suspends bans of callers whose overrides have changed. */
	void continueFrom(BanSuspensions earlier) {
		this.overrides.continueFrom(earlier.overrides);
	}

	/** Suspends bans by a rule that replaces another one and is stricter. */
	void continueFrom(BanSuspensions earlier, Rule before, Rule rule) {
		BanPolicy ban = rule.options().ban();
		Long end = earlier.ends.get(rule.id());
		if (ban != null && rule.mayRejectMoreThan(before)) {
			this.ends.put(rule.id(), this.ticker.ticks() + ban.within());
		}
		else if (end != null) {
			this.ends.put(rule.id(), end);
		}
	}

}
