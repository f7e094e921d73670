package io.tierlimit.option.wait;

import java.util.Map;

import io.tierlimit.option.RuleOption;
import io.tierlimit.store.ChargeOptions;

/**
 * Applies the bounds on the reservation of permits that are not yet available, for
 * requests that wait for them and for code.
 *
 * @param bounds the bounds
 */
public record Reservable(ReservationOptions bounds) implements RuleOption {

	@Override
	public ChargeOptions charge(ChargeOptions options, Purpose purpose) {
		return switch (purpose) {
			case IMMEDIATE -> options;
			case WAITING -> options.reserving(this.bounds.byWaiting());
			case RESERVATION -> options.reserving(this.bounds.byProgram());
		};
	}

	@Override
	public void describe(Map<String, Object> description) {
		if (this.bounds.maxReserved() > 0) {
			description.put("maxReserved", this.bounds.maxReserved());
		}
		if (!this.bounds.maxWait().isZero()) {
			description.put("maxWait", this.bounds.maxWait());
		}
	}

}
