package io.tierlimit.option.concurrency;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import io.tierlimit.option.OptionMeter;
import io.tierlimit.option.RuleOption;
import io.tierlimit.option.EndedCharge;
import io.tierlimit.option.OutcomeEffect;
import io.tierlimit.rule.RequestOutcome;

/**
 * The permits of one rule that the requests of this instance hold. Every request releases
 * its permits when it has ended, whatever its outcome is.
 *
 * @param inUse the number of permits, which a reload of the rules may replace
 */
record HeldPermits(Supplier<LongAdder> inUse) implements RuleOption {

	@Override
	public void held(long permits) {
		this.inUse.get().add(permits);
	}

	@Override
	public OutcomeEffect effect(RequestOutcome outcome, EndedCharge charge) {
		return OutcomeEffect.REFUND;
	}

	@Override
	public List<OptionMeter> meters() {
		return List.of(OptionMeter.gauge("tierlimit.permits.in.use",
				"Permits that requests of this instance hold at present", () -> this.inUse.get().sum()));
	}

}
