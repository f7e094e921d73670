package io.tierlimit.application;

/**
 * The filter that makes error pages of a deployed WAR wraps the response and forwards.
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
