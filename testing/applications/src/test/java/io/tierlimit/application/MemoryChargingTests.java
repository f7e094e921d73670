package io.tierlimit.application;

class MemoryChargingTests extends ChargingContract {

	@Override
	String[] store() {
		return new String[] { "tierlimit.store=memory" };
	}

}
