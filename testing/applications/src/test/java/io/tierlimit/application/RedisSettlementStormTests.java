package io.tierlimit.application;

import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;

class RedisSettlementStormTests extends SettlementStormContract {

	private final RedisServer server = RedisServer.start();

	@Override
	String[] store() {
		return RunningApplication.redis(this.server.port());
	}

	@Override
	int number() {
		return 2;
	}

	@AfterAll
	void stopServer() {
		this.server.close();
	}

}
