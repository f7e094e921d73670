package io.tierlimit.application;

import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;

class RedisChargingTests extends ChargingContract {

	private final RedisServer server = RedisServer.start();

	@Override
	String[] store() {
		return RunningApplication.redis(this.server.port());
	}

	@AfterAll
	void stopServer() {
		this.server.close();
	}

}
