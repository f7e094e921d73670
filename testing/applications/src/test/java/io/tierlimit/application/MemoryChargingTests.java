package io.tierlimit.application;

class MemoryChargingTests extends ChargingContract {

	@Override
	RunningApplication start(String... properties) {
		return RunningApplication.start(EndingApplication.class, properties);
	}

}
