package io.tierlimit.application;

import io.tierlimit.redis.RedisServer;

class RedisSettledCostsTests extends SettledCostsContract {

	private final RedisServer server = RedisServer.start();

	@Override
	String[] store() {
		return RunningApplication.redis(this.server.port());
	}

	@Override
	void stopStore() {
		this.server.close();
	}

}
