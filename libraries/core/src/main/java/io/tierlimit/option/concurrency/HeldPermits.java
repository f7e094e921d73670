package io.tierlimit.option.concurrency;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import io.tierlimit.option.OptionMeter;
import io.tierlimit.option.RuleOption;
import io.tierlimit.option.RuleOptionFactory;
import io.tierlimit.option.EndedCharge;
import io.tierlimit.option.OutcomeEffect;
import io.tierlimit.rule.RequestOutcome;

/**
 * The permits of one rule that the requests of this instance hold. Every request releases
 * its permits when it has ended, whatever its outcome is.
 *
 * @param inUse the number of permits
 */
public record HeldPermits(LongAdder inUse) implements RuleOption {

	/**
	 * Creates the options of rules with concurrency limits. The number of a rule outlives
	 * a rule set, since requests in flight release their permits later. It is kept even
	 * if the rule was removed, because the rule may be added again.
	 * @return the factory
	 */
	public static RuleOptionFactory factory() {
		Map<String, LongAdder> inUse = new ConcurrentHashMap<>();
		return (rules) -> (rule, key) -> rule.limits().holdPermits()
				? new HeldPermits(inUse.computeIfAbsent(rule.id(), (id) -> new LongAdder())) : null;
	}

	@Override
	public void held(long permits) {
		this.inUse.add(permits);
	}

	@Override
	public OutcomeEffect effect(RequestOutcome outcome, EndedCharge charge) {
		return OutcomeEffect.REFUND;
	}

	@Override
	public List<OptionMeter> meters() {
		return List.of(OptionMeter.gauge("tierlimit.permits.in.use",
				"Permits that requests of this instance hold at present", this.inUse::sum));
	}

}
