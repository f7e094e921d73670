package io.tierlimit.redis;

import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class RedisSentinelsTests {

	private final Set<RedisServer> before = RedisServer.open();

	@Test
	void sentinelReportsTheMaster() {
		try (RedisSentinels sentinels = RedisSentinels.start();
				RedisSocket sentinel = new RedisSocket(sentinels.sentinelPorts().get(0))) {
			assertThat(sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", sentinels.masterName()))
				.isEqualTo("127.0.0.1\n" + sentinels.master().port());
			try (RedisSocket master = sentinels.master().connect()) {
				master.command("SET", "key", "value");
				assertThat(master.command("WAIT", "1", "5000")).isEqualTo("1");
			}
			assertThat(sentinels.replica().command("GET", "key")).isEqualTo("value");
		}
	}

	@Test
	void failsOverAndBack() {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			RedisServer old = sentinels.master();
			RedisServer replica = sentinels.replica();
			sentinels.failover();
			assertThat(sentinels.master()).isSameAs(replica);
			assertThat(sentinels.replica()).isSameAs(old);
			assertThat(replica.command("SET", "key", "value")).isEqualTo("OK");
			sentinels.attachReplica();
			sentinels.failover();
			assertThat(sentinels.master()).isSameAs(old);
			assertThat(old.command("GET", "key")).isEqualTo("value");
		}
	}

	@Test
	void killedMasterIsReplacedAndReturnsAsReplica() {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			RedisServer old = sentinels.master();
			old.kill();
			sentinels.awaitMasterOtherThan(old);
			sentinels.master().command("SET", "key", "value");
			old.restart();
			sentinels.attachReplica();
			assertThat(old.command("GET", "key")).isEqualTo("value");
		}
	}

	@Test
	void leavesNothingBehind() {
		RedisSentinels sentinels = RedisSentinels.start();
		sentinels.master().stop();
		assertThat(RedisServer.open()).hasSize(this.before.size() + 3);
		sentinels.close();
		assertThat(RedisServer.open()).isEqualTo(this.before);
		sentinels.close();
	}

}
