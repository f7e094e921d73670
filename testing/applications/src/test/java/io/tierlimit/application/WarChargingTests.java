package io.tierlimit.application;

/**
 * Tests charging with the filter for error pages of a deployed WAR, which wraps the
 * response and forwards.
 */
class WarChargingTests extends ChargingContract {

	@Override
	RunningApplication start(String... properties) {
		return RunningApplication.startAsWar(EndingApplication.class, properties);
	}

}
