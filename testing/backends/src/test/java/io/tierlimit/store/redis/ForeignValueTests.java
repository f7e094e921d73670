package io.tierlimit.store.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.StoredNumbers;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
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
 * Tests for {@link RedisBucketStore} if a key contains a value that is not a bucket.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class ForeignValueTests {

	private static final byte[] KEY = "tierlimit:foreign:{ada}".getBytes(StandardCharsets.UTF_8);

	private static final long MOST = 1_000_000_000_000L;

	private static final byte[] CONSUMED = StoredNumbers.packed(1, 1, 0, 0, 0, 1, 0);

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
		this.instance = Instance.on(server.port());
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
		assertReplaced(output);
	}

	static Stream<Named<byte[]>> garbage() {
		return Stream.of(named("empty", new byte[0]), named("text", "42".getBytes(StandardCharsets.UTF_8)),
				named("too short", Arrays.copyOf(CONSUMED, CONSUMED.length - 1)),
				named("too long", Arrays.copyOf(CONSUMED, CONSUMED.length + 1)),
				named("too long by a log's entry", Arrays.copyOf(CONSUMED, CONSUMED.length + 10)),
				named("no mark", StoredNumbers.packed(0, 1, 0, 0, 0, 1, 0)),
				named("another mark", StoredNumbers.packed(Algorithm.values().length + 1, 1, 0, 0, 0, 1, 0)),
				named("too much consumed", StoredNumbers.packed(1, MOST + 1, 0, 0, 0, 1, 0)),
				named("too much debt", StoredNumbers.packed(1, 0, MOST + 1, 0, 0, 1, 0)),
				named("too much consumed before", StoredNumbers.packed(3, 0, 0, 0, MOST + 1, 1, 0)),
				named("negative", StoredNumbers.packed(1, -1, 0, 0, 0, 1, 0)),
				named("negative debt", StoredNumbers.packed(1, 1, -1, 0, 0, 1, 0)),
				named("too much earned", StoredNumbers.packed(1, 1, 0, 1, 0, 1, 0)),
				named("no period", StoredNumbers.packed(1, 1, 0, 0, 0, 0, 0)),
				named("too long a period", StoredNumbers.packed(1, 1, 0, 0, 0, 1L << 54, 0)),
				named("too late", StoredNumbers.packed(1, 1, 0, 0, 0, 1, 1L << 54)),
				named("counted too late", StoredNumbers.packed(1, 1, 0, 0, 0, 1, 0, 1L << 54, 0)),
				named("too many charges", StoredNumbers.packed(1, 1, 0, 0, 0, 1, 0, 0, 1L << 53)),
				named("too many permits a period", StoredNumbers.packed(1, 1, 0, 0, 0, 1, 0, 0, 0, MOST + 1)),
				named("half an entry", Arrays.copyOf(StoredNumbers.packed(4, 1, 0, 0, 0, 1, 0), CONSUMED.length + 5)),
				named("all bits", StoredNumbers.packed(1, -1, -1, -1, -1, -1, -1)));
	}

	@ParameterizedTest
	@MethodSource("garbage")
	void garbageIsReplaced(byte[] value, CapturedOutput output) {
		write(value);
		assertReplaced(output);
	}

	static Stream<Named<byte[]>> inconsistentLogs() {
		long now = Instant.now().getEpochSecond() * 1_000_000;
		byte[] empty = StoredNumbers.packed(4, 5, 0, 0, 0, 60_000_000, now);
		byte[] tooMuch = entry(StoredNumbers.packed(4, 9, 0, 0, 0, 60_000_000, now), now, 1);
		byte[] tooLittle = entry(StoredNumbers.packed(4, 0, 0, 0, 0, 60_000_000, now), now, 9);
		byte[] expired = entry(StoredNumbers.packed(4, 0, 0, 0, 0, 60_000_000, now), 1, 9);
		byte[] nothing = entry(StoredNumbers.packed(4, 1, 0, 0, 0, 60_000_000, now), now, 0);
		return Stream.of(named("no entry", empty), named("more consumed than recorded", tooMuch),
				named("less consumed than recorded", tooLittle), named("less consumed than expired", expired),
				named("an entry without permits", nothing));
	}

	@ParameterizedTest
	@MethodSource("inconsistentLogs")
	void inconsistentLogFailsNoRequest(byte[] value) {
		Limit limit = new SlidingLog(Rate.parse("10/m"));
		for (long cost = 0; cost <= 10; cost++) {
			Charge log = new Charge(this.charge.key(), limit, cost);
			write(value);
			assertThat(this.instance.request(1, log).stored()).isOne();
			assertThat(this.instance.left(log)).isBetween(0L, 10L);
			write(value);
			this.instance.store.refund(List.of(log), new StoreFailureFlag());
			assertThat(server.command("PTTL", new String(KEY, StandardCharsets.UTF_8))).matches("[1-9]\\d*");
			assertThat(this.instance.request(1, log).stored()).isOne();
		}
	}

	@Test
	void warningIsLoggedOncePerRule(CapturedOutput output) {
		for (int i = 0; i < 5; i++) {
			write("garbage".getBytes(StandardCharsets.UTF_8));
			assertThat(this.instance.request(1, this.charge)).isEqualTo(Tally.stored(1, 1));
		}
		server.command("SET", "tierlimit:foreign:{eve}", "garbage");
		server.command("SET", "tierlimit:another:{ada}", "garbage");
		Charge eve = new Charge(new BucketKey("foreign", "eve"), this.charge.limit(), 1);
		assertThat(this.instance.request(1, eve, Instance.ten("another"))).isEqualTo(Tally.stored(1, 1));
		assertThat(output.toString().split("does not contain a bucket and will be overwritten", -1)).hasSize(1 + 2);
		assertThat(output).containsOnlyOnce("A Redis key of rule 'foreign'")
			.containsOnlyOnce("A Redis key of rule 'another'")
			.doesNotContain("foreign/ada", "foreign/eve", "another/ada", "{ada}", "{eve}");
	}

	private void assertReplaced(CapturedOutput output) {
		assertThat(this.instance.left(this.charge)).isEqualTo(10);
		this.instance.store.refund(List.of(this.charge), new StoreFailureFlag());
		assertThat(this.instance.store.reset(this.charge.key(), new StoreFailureFlag())).isTrue();
		assertThat(this.instance.store.resetAll("foreign")).isTrue();
		assertThat(this.instance.request(20, this.charge)).isEqualTo(Tally.stored(20, 10));
		assertThat(output).containsOnlyOnce("does not contain a bucket and will be overwritten");
		assertThat(server.command("PTTL", new String(KEY, StandardCharsets.UTF_8))).matches("[1-9]\\d*");
	}

	private static void write(byte[] value) {
		try (RedisConnection redis = factory.getConnection()) {
			redis.stringCommands().set(KEY, value);
		}
	}

	private static byte[] entry(byte[] log, long now, int permits) {
		return ByteBuffer.allocate(log.length + 10).put(log).putLong(now).putShort((short) permits).array();
	}

}
