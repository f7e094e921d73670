package io.tierlimit.application;

class MemoryHeldPermitsTests extends HeldPermitsContract {

	@Override
	String[] store() {
		return new String[] { "tierlimit.store=memory" };
	}

}
