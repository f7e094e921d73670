package io.tierlimit.application;

class MemorySettledCostsTests extends SettledCostsContract {

	@Override
	String[] store() {
		return new String[] { "tierlimit.store=memory" };
	}

}
