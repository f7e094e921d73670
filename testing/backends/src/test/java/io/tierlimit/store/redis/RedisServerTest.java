package io.tierlimit.store.redis;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.redis.RedisServer;
import io.tierlimit.redis.TcpProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/**
 * Tests that each have a server, and a network in front of the server that the test can
 * disturb.
 */
@Tag("slow")
abstract class RedisServerTest {

	RedisServer server;

	TcpProxy network;

	private final List<Instance> instances = new ArrayList<>();

	@BeforeEach
	final void startServer() {
		this.server = RedisServer.start(options());
		this.network = new TcpProxy(this.server.port());
	}

	/** The options of the server. */
	String[] options() {
		return new String[0];
	}

	/** Closes an instance after the test, before its server. */
	final Instance use(Instance instance) {
		this.instances.add(instance);
		return instance;
	}

	@AfterEach
	final void stopServer() {
		this.instances.forEach(Instance::close);
		this.network.close();
		this.server.close();
	}

}
