package io.tierlimit.application;

class MemorySettlementStormTests extends SettlementStormContract {

	@Override
	String[] store() {
		return new String[] { "tierlimit.store=memory" };
	}

	@Override
	int number() {
		return 1;
	}

}
