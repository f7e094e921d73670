package io.tierlimit.store.redis;

import io.tierlimit.junit.Poll;
import io.tierlimit.redis.RedisSentinels;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.Charge;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} on a master that a sentinel replaces.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class SentinelTests {

	private static final String OFFSET = "master_repl_offset";

	private final Charge charge = Instance.ten("sentinel");

	private RedisSentinels sentinels;

	@BeforeEach
	void start() {
		this.sentinels = RedisSentinels.start();
	}

	@AfterEach
	void stop() {
		this.sentinels.close();
	}

	@Test
	void promotedReplicaHasTheBuckets(CapturedOutput output) {
		try (Instance instance = instance()) {
			assertThat(instance.request(4, this.charge)).isEqualTo(Tally.stored(4, 4));
			awaitCopy();
			this.sentinels.failover();
			this.sentinels.attachReplica();
			OutageLog log = new OutageLog(output);
			instance.awaitRecovery();
			assertThat(instance.request(20, this.charge)).isEqualTo(Tally.stored(20, 6));
			assertThat(log.begun()).isLessThanOrEqualTo(1);
			assertThat(this.sentinels.master().calls()).containsKey("evalsha");
			instance.awaitInstances(1);
		}
	}

	@Test
	void killedMasterIsReplaced(CapturedOutput output) {
		try (Instance instance = instance()) {
			assertThat(instance.request(4, this.charge)).isEqualTo(Tally.stored(4, 4));
			awaitCopy();
			RedisServer old = this.sentinels.master();
			this.sentinels.ignoreOutages();
			old.kill();
			assertThat(instance.request(200, this.charge)).isEqualTo(Tally.alone(200, 10));
			this.sentinels.noticeOutages();
			this.sentinels.awaitMasterOtherThan(old);
			new OutageLog(output).awaitOneOutage(instance);
			assertThat(instance.request(20, this.charge)).isEqualTo(Tally.stored(20, 6));
		}
	}

	private Instance instance() {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(this.sentinels.masterName());
		this.sentinels.sentinelPorts().forEach((port) -> configuration.sentinel("localhost", port));
		return new Instance(new LettuceConnectionFactory(configuration), Instance.COUNTED).connected();
	}

	/** Waits until the replica has the data of the master. */
	private void awaitCopy() {
		Poll.until(
				() -> TestConnections.info(this.sentinels.replica(), OFFSET) == TestConnections
					.info(this.sentinels.master(), OFFSET),
				() -> "no copy: " + this.sentinels.replica().command("INFO", "replication"));
	}

}
