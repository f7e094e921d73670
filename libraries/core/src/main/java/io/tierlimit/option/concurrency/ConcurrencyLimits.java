package io.tierlimit.option.concurrency;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import io.tierlimit.key.RuleKey;
import io.tierlimit.option.RuleSetOption;
import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a rule set whose limits are concurrency limits.
 */
public final class ConcurrencyLimits implements RuleSetOption {

	/** The permits in use by the ids of rules. */
	private final Map<String, LongAdder> inUse = new ConcurrentHashMap<>();

	@Override
	public @Nullable HeldPermits of(Rule rule, RuleKey key) {
		if (!rule.limits().holdPermits()) {
			return null;
		}
		this.inUse.computeIfAbsent(rule.id(), (id) -> new LongAdder());
		return new HeldPermits(() -> Objects.requireNonNull(this.inUse.get(rule.id())));
	}

	/**
	 * Takes over the numbers, since requests in flight release their permits later. The
	 * number of a removed rule is kept while it is not zero, because the rule may be
	 * added again.
	 */
	@Override
	public void continueFrom(RuleSetOption replaced) {
		ConcurrencyLimits earlier = (ConcurrencyLimits) replaced;
		earlier.inUse.forEach((rule, permits) -> {
			if (this.inUse.containsKey(rule) || permits.sum() != 0) {
				this.inUse.put(rule, permits);
			}
		});
	}

}
