package io.tierlimit.application;

/**
 * Tests charging with the filter for error pages of a deployed WAR, which wraps the
 * response and forwards.
 */
class WarChargingTests extends ChargingContract {

	@Override
	String[] store() {
		return new String[] { "tierlimit.store=memory" };
	}

	@Override
	RunningApplication start(String... properties) {
		return RunningApplication.startAsWar(EndingApplication.class, properties);
	}

}
