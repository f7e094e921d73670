package io.tierlimit.store.redis;

import io.tierlimit.redis.RedisSocket;
import io.tierlimit.store.Charge;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} with a password that is right, wrong, and right
 * again.
 */
@ExtendWith(OutputCaptureExtension.class)
class PasswordTests extends RedisServerTest {

	private final Charge charge = Instance.ten("password");

	@Override
	String[] options() {
		return new String[] { "--requirepass", "right" };
	}

	@Test
	void wrongPasswordAtStartupIsAnOutage(CapturedOutput output) {
		try (RedisSocket admin = this.server.connect(); Instance instance = instance("wrong")) {
			assertThat(instance.request(200, this.charge)).isEqualTo(Tally.alone(200, 10));
			admin.command("CONFIG", "SET", "requirepass", "wrong");
			new OutageLog(output).awaitOneOutage(instance);
			assertThat(instance.request(20, this.charge)).isEqualTo(Tally.stored(20, 10));
			// The message depends on whether the server or the client is faster.
			assertThat(output).containsAnyOf("WRONGPASS", "rejected the connection during its handshake")
				.doesNotContain("\"wrong\"", "'wrong'");
		}
	}

	@Test
	void changedPasswordIsAnOutage(CapturedOutput output) {
		try (RedisSocket admin = this.server.connect(); Instance instance = instance("right").connected()) {
			assertThat(instance.request(4, this.charge)).isEqualTo(Tally.stored(4, 4));
			admin.command("CONFIG", "SET", "requirepass", "changed");
			admin.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
			assertThat(instance.request(200, this.charge)).isEqualTo(Tally.alone(200, 10));
			admin.command("CONFIG", "SET", "requirepass", "right");
			new OutageLog(output).awaitOneOutage(instance);
			assertThat(instance.request(20, this.charge)).isEqualTo(Tally.stored(20, 6));
		}
	}

	private Instance instance(String password) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("localhost", this.server.port());
		configuration.setPassword(password);
		return new Instance(new LettuceConnectionFactory(configuration), Instance.SETTINGS);
	}

}
