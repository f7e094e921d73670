package io.tierlimit.store.redis;

import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.Charge;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} whose server has no memory left and may not forget
 * anything ({@code noeviction}).
 */
@ExtendWith(OutputCaptureExtension.class)
class OutOfMemoryTests {

	private final Charge exhausted = Instance.ten("exhausted");

	private final Charge fresh = Instance.ten("fresh");

	private RedisServer server;

	@BeforeEach
	void start() {
		this.server = RedisServer.start();
	}

	@AfterEach
	void stop() {
		this.server.close();
	}

	@Test
	void refusalsNeedNoMemory(CapturedOutput output) {
		try (Instance instance = Instance.patient(this.server.port())) {
			instance.ask(10, this.exhausted);
			fillMemory();
			assertThat(instance.ask(20, this.exhausted)).isEqualTo(Tally.stored(20, 0));
			assertThat(instance.ask(20, this.fresh, this.exhausted)).isEqualTo(Tally.stored(20, 0));
			assertThat(new OutageLog(output).begun()).isZero();
		}
	}

	@Test
	void whatCannotBeWrittenIsDecidedAlone(CapturedOutput output) {
		try (Instance instance = Instance.patient(this.server.port())) {
			instance.ask(9, this.exhausted);
			fillMemory();
			assertThat(instance.ask(200, this.fresh, this.exhausted)).isEqualTo(Tally.alone(200, 10));
			freeMemory();
			new OutageLog(output).awaitOneOutage(instance);
			assertThat(instance.left(this.fresh)).isEqualTo(10);
			assertThat(instance.left(this.exhausted)).isEqualTo(1);
			assertThat(instance.ask(20, this.fresh)).isEqualTo(Tally.stored(20, 10));
		}
	}

	/** With what isn't a bucket, up to the last byte. */
	private void fillMemory() {
		this.server.command("SET", "other", "x".repeat(100_000));
		this.server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
		this.server.command("CONFIG", "SET", "maxmemory", "1");
	}

	private void freeMemory() {
		this.server.command("CONFIG", "SET", "maxmemory", "0");
	}

}
