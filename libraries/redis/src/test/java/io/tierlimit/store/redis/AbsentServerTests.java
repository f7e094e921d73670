package io.tierlimit.store.redis;

import java.util.List;

import io.tierlimit.store.Charge;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} without its server: each request is decided by the
 * instance alone and, once the server has returned, by the server.
 */
@ExtendWith(OutputCaptureExtension.class)
class AbsentServerTests extends RedisServerTest {

	private static final int MANY = 300;

	private final Charge charge = Instance.ten("outage");

	@Test
	void killedServerReturnsWithoutBuckets(CapturedOutput output) {
		Instance instance = use(Instance.on(this.server.port()));
		assertThat(instance.request(4, this.charge)).isEqualTo(Tally.stored(4, 4));
		this.server.kill();
		assertThat(instance.request(MANY, this.charge)).isEqualTo(Tally.alone(MANY, 10));
		this.server.restart();
		assertOneOutage(instance, output);
		assertThat(instance.request(20, this.charge)).isEqualTo(Tally.stored(20, 10));
	}

	@Test
	void stoppedServerReturnsWithItsBuckets(CapturedOutput output) {
		Instance instance = use(Instance.on(this.server.port()));
		new OutageLog(output).awaitOutage(instance, this.charge, this.server::stop, this.server::resume);
		// Calls that were made before the breaker opened may have been charged.
		assertThat(instance.request(20, this.charge).admitted()).isLessThanOrEqualTo(6);
		assertThat(instance.left(this.charge)).isZero();
	}

	@Test
	void healedConnectionEndsTheOutage(CapturedOutput output) {
		Instance instance = use(Instance.on(this.network.port()));
		new OutageLog(output).awaitOutage(instance, this.charge, this.network::swallow, this.network::heal);
		assertThat(instance.request(20, this.charge).admitted()).isLessThanOrEqualTo(6);
		assertThat(instance.left(this.charge)).isZero();
	}

	@Test
	void lostConnectionIsReplacedAfterTheOutage(CapturedOutput output) {
		Instance instance = use(Instance.on(this.network.port()));
		new OutageLog(output).awaitOutage(instance, this.charge, this.network::swallow, () -> {
			this.network.cut();
			this.network.heal();
		});
		assertThat(instance.request(20, this.charge)).isEqualTo(Tally.stored(20, 6));
	}

	@Test
	void serverMayStartAfterTheApplication(CapturedOutput output) {
		this.network.reject();
		Instance instance = use(Instance.starting(this.network.port()));
		assertThat(instance.request(MANY, this.charge)).isEqualTo(Tally.alone(MANY, 10));
		this.network.heal();
		assertOneOutage(instance, output);
		assertThat(instance.request(20, this.charge)).isEqualTo(Tally.stored(20, 10));
	}

	private static void assertOneOutage(Instance instance, CapturedOutput output) {
		OutageLog log = new OutageLog(output);
		log.awaitOneOutage(instance);
		assertThat(log.numbers()).isEqualTo(List.of(instance.all().alone(), 0, 0));
	}

}
