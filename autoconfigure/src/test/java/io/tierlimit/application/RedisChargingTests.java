package io.tierlimit.application;

import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;

class RedisChargingTests extends ChargingContract {

	private final RedisServer server = RedisServer.start();

	@Override
	String[] store() {
		return new String[] { "tierlimit.store=redis", "spring.data.redis.port=" + this.server.port(),
				"tierlimit.redis.timeout=5s" };
	}

	@AfterAll
	void stopServer() {
		this.server.close();
	}

}
