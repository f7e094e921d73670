package io.tierlimit.store.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;

/**
 * Tests for {@link RedisBucketStore} where something else stands in place of a bucket.
 */
@ExtendWith(OutputCaptureExtension.class)
class ForeignValueTests {

	private static final byte[] KEY = "tierlimit:foreign:{ada}".getBytes(StandardCharsets.UTF_8);

	private static final long MOST = 1_000_000_000_000L;

	private static RedisServer server;

	private static LettuceConnectionFactory factory;

	private final Charge charge = Instance.ten("foreign");

	private Instance instance;

	@BeforeAll
	static void start() {
		server = RedisServer.start();
		factory = new LettuceConnectionFactory("localhost", server.port());
		factory.afterPropertiesSet();
		factory.start();
	}

	@AfterAll
	static void stop() {
		factory.destroy();
		server.close();
	}

	@BeforeEach
	void connect() {
		server.command("FLUSHALL");
		this.instance = Instance.patient(server.port());
	}

	@AfterEach
	void disconnect() {
		this.instance.close();
	}

	static Stream<Named<Consumer<RedisConnection>>> otherTypes() {
		return Stream.of(named("list", (redis) -> redis.listCommands().rPush(KEY, KEY)),
				named("set", (redis) -> redis.setCommands().sAdd(KEY, KEY)),
				named("hash", (redis) -> redis.hashCommands().hSet(KEY, KEY, KEY)));
	}

	@ParameterizedTest
	@MethodSource("otherTypes")
	void valueOfAnotherTypeIsReplaced(Consumer<RedisConnection> write, CapturedOutput output) {
		try (RedisConnection redis = factory.getConnection()) {
			write.accept(redis);
		}
		assertStartsAnew(output);
	}

	static Stream<Named<byte[]>> garbage() {
		return Stream.of(named("empty", new byte[0]), named("text", "42".getBytes(StandardCharsets.UTF_8)),
				named("too short", new byte[32]), named("too long", new byte[34]), named("no mark", new byte[33]),
				named("another mark", packed(Algorithm.values().length + 1, 1, 0, 1, 0)),
				named("too much spent", packed(1, MOST + 1, 0, 1, 0)), named("negative", packed(1, -1, 0, 1, 0)),
				named("too much earned", packed(1, 1, 1, 1, 0)), named("no period", packed(1, 1, 0, 0, 0)),
				named("too long a period", packed(1, 1, 0, 1L << 54, 0)),
				named("too late", packed(1, 1, 0, 1, 1L << 54)), named("all bits", packed(1, -1, -1, -1, -1)));
	}

	@ParameterizedTest
	@MethodSource("garbage")
	void garbageIsReplaced(byte[] value, CapturedOutput output) {
		write(value);
		assertStartsAnew(output);
	}

	@Test
	void everyRuleIsWarnedOfOnce(CapturedOutput output) {
		for (int i = 0; i < 5; i++) {
			write("garbage".getBytes(StandardCharsets.UTF_8));
			assertThat(this.instance.ask(1, this.charge)).isEqualTo(Tally.stored(1, 1));
		}
		server.command("SET", "tierlimit:foreign:{eve}", "garbage");
		server.command("SET", "tierlimit:another:{ada}", "garbage");
		Charge eve = new Charge(new BucketKey("foreign", "eve"), this.charge.limit(), 1);
		assertThat(this.instance.ask(1, eve, Instance.ten("another"))).isEqualTo(Tally.stored(1, 1));
		assertThat(output.toString().split("is no bucket; it starts anew", -1)).hasSize(1 + 2);
		assertThat(output).containsOnlyOnce("What Redis has in place of " + "the bucket 'foreign/ada'")
			.containsOnlyOnce("bucket 'another/ada'");
	}

	private void assertStartsAnew(CapturedOutput output) {
		assertThat(this.instance.left(this.charge)).isEqualTo(10);
		this.instance.store.refund(List.of(this.charge));
		assertThat(this.instance.store.reset(this.charge.key())).isTrue();
		assertThat(this.instance.store.resetAll("foreign")).isTrue();
		assertThat(this.instance.ask(20, this.charge)).isEqualTo(Tally.stored(20, 10));
		assertThat(output).containsOnlyOnce("is no bucket; it starts anew");
		assertThat(server.command("PTTL", new String(KEY, StandardCharsets.UTF_8))).matches("[1-9]\\d*");
	}

	private static void write(byte[] value) {
		try (RedisConnection redis = factory.getConnection()) {
			redis.stringCommands().set(KEY, value);
		}
	}

	private static byte[] packed(int mark, long... numbers) {
		ByteBuffer packed = ByteBuffer.allocate(33).put((byte) mark);
		for (long number : numbers) {
			packed.putLong(number);
		}
		return packed.array();
	}

}
