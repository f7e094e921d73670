package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;

import io.tierlimit.junit.Poll;
import io.tierlimit.store.StoreStatus.LocalShare;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link InstanceShare} and {@code members.lua} on a real Redis, whose clock
 * the test controls.
 */
@ExtendWith(OutputCaptureExtension.class)
class InstanceShareTests extends RedisServerTest {

	private static final String KEY = "tierlimit:(members)";

	/** The script of the application, except for the clock. */
	private static final RedisScript<?> SCRIPT = RedisScript.of(SimulatedTime.replace("redis.call('TIME')",
			"{ ARGV[#ARGV - 1], ARGV[#ARGV] }", InstanceShare.script().getScriptAsString()));

	/**
	 * A time whose milliseconds have 13 digits, like the milliseconds of the current
	 * time.
	 */
	private static final Duration START = Duration.ofMillis(1_800_000_000_123L);

	private SimulatedTime client;

	private Duration now = START;

	/** The clock of the instances. */
	private long nanoTime;

	@BeforeEach
	void connect() {
		this.client = new SimulatedTime(TestConnections.client(this.network.port()));
		this.client.follow(() -> this.now.toMillis() * 1000);
	}

	@AfterEach
	void disconnect() {
		this.client.close();
	}

	@ParameterizedTest
	@CsvSource({ "1, 1", "2, 0.5", "3, 0.333333333333333333333333333334", "8, 0.125" })
	void shareIsDividedByTheNumberOfInstancesAndRoundedUp(int number, BigDecimal share) {
		List<InstanceShare> all = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			all.add(instance());
		}
		all.forEach(InstanceShare::renew);
		assertThat(all).extracting((each) -> instances(each)).containsOnly(number);
		assertThat(all).allSatisfy((each) -> assertThat(each.current().share()).isEqualByComparingTo(share));
	}

	@Test
	void renewalMovesTheEndAndIsOneCall() {
		InstanceShare instance = instance();
		InstanceShare other = instance();
		this.server.resetStatistics();
		this.now = START.plus(Renewals.INTERVAL);
		instance.renew();
		assertThat(this.server.calls()).containsEntry("evalsha", 1L).doesNotContainKey("eval");
		assertThat(stored()).hasSize(2).anyMatch((line) -> line.endsWith(" 1800000040123"));
		assertThat(instances(other)).as("it was not renewed").isEqualTo(2);
	}

	@Test
	void endIsWrittenWithAllDigits() {
		this.now = Duration.ofMillis(123_456_789_012_345L);
		instance();
		assertThat(stored()).singleElement().asString().endsWith(" 123456789042345");
	}

	@Test
	void instanceThatIsNotRenewedIsCountedUntilItsEnd() {
		InstanceShare crashed = instance();
		InstanceShare other = instance();
		assertThat(instances(crashed)).isOne();
		this.now = START.plus(Renewals.LIFE).minusMillis(1);
		other.renew();
		assertThat(instances(other)).isEqualTo(2);
		this.now = START.plus(Renewals.LIFE);
		other.renew();
		assertThat(stored()).hasSize(1);
		renewWithoutEarlierNumbers(other);
		assertThat(instances(other)).isOne();
	}

	@Test
	void largestNumberOfTheLastLifeIsUsedAfterALossOfData() {
		List<InstanceShare> all = List.of(instance(), instance(), instance());
		all.forEach(InstanceShare::renew);
		this.server.command("FLUSHALL");
		this.nanoTime = Renewals.LIFE.toNanos() - 1;
		InstanceShare first = all.get(0);
		first.renew();
		assertThat(instances(first)).isEqualTo(3);
		assertThat(first.current().share()).isEqualByComparingTo("0.333333333333333333333333333334");
		this.nanoTime++;
		first.renew();
		assertThat(instances(first)).as("the other instances have not returned").isOne();
	}

	@Test
	void numberIsRemovedAtTheEnd() {
		InstanceShare instance = instance();
		instance();
		instance.renew();
		assertThat(instances(instance)).isEqualTo(2);
		this.network.reject();
		instance.end();
		instance.renew();
		assertThat(instance.current().instances()).isNull();
		assertThat(instance.current().share()).isEqualByComparingTo("1");
	}

	@Test
	void errorIsAProblemLikeAnyOther(CapturedOutput output) {
		InstanceShare instance = new InstanceShare(
				ScriptSession.inBackground(new BrokenClient(this.client), SCRIPT, System::nanoTime),
				new RedisKeys("tierlimit").members(), () -> this.nanoTime);
		instance.renew();
		instance.renew();
		instance.end();
		assertThat(instance.current().problem()).isEqualTo("a missing class");
		assertThat(output).containsOnlyOnce("The number of instances is unknown");
	}

	@Test
	void keyExpiresWithItsLastMember() {
		instance();
		assertThat(Long.parseLong(this.server.command("PTTL", KEY))).isBetween(20_000L, 30_000L);
	}

	@Test
	void instanceThatLeavesIsRemovedAtOnce() {
		InstanceShare leaving = instance();
		InstanceShare other = instance();
		leaving.end();
		assertThat(stored()).hasSize(1);
		renewWithoutEarlierNumbers(other);
		assertThat(instances(other)).isOne();
		other.end();
		Poll.until(() -> this.server.command("EXISTS", KEY).equals("0"), () -> "still there");
	}

	@Test
	void memberIsNotCountedForLongAfterTheClockOfRedisHasSteppedBack() {
		InstanceShare crashed = instance();
		assertThat(instances(crashed)).isOne();
		this.now = START.minus(Duration.ofHours(1));
		InstanceShare other = instance();
		assertThat(instances(other)).isEqualTo(2);
		this.now = this.now.plus(Renewals.INTERVAL.multipliedBy(2));
		other.renew();
		assertThat(instances(other)).isEqualTo(2);
		this.now = this.now.plus(Renewals.INTERVAL);
		renewWithoutEarlierNumbers(other);
		assertThat(instances(other)).isOne();
	}

	@Test
	void prefixesAreCountedSeparately() {
		instance();
		InstanceShare other = new InstanceShare(ScriptSession.inBackground(this.client, SCRIPT, System::nanoTime),
				new RedisKeys("other").members(), () -> this.nanoTime);
		other.renew();
		assertThat(instances(other)).isOne();
	}

	@Test
	void lastNumberRemainsDuringAnOutageWhichIsLoggedOnce(CapturedOutput output) {
		InstanceShare first = instance();
		instance();
		first.renew();
		this.network.reject();
		for (int i = 0; i < 3; i++) {
			first.renew();
			assertThat(instances(first)).isEqualTo(2);
			assertThat(first.current().share()).isEqualByComparingTo("0.5");
			assertThat(first.current().problem()).isNotEmpty();
		}
		assertThat(output).containsOnlyOnce("was not renewed in Redis")
			.containsOnlyOnce("this instance enforces 1/2 of each limit, because Redis last showed 2 instances.");
		this.network.heal();
		recover(first);
		assertThat(first.current().problem()).isNull();
		this.network.reject();
		first.renew();
		assertThat(output.toString().split("was not renewed in Redis", -1)).as("one for each outage").hasSize(3);
	}

	@Test
	void outageFromStartupOnMeansTheWholeLimitAndIsLoggedOnce(CapturedOutput output) {
		this.network.reject();
		InstanceShare instance = instance();
		instance.renew();
		assertThat(instance.current().instances()).isNull();
		assertThat(instance.current().share()).isEqualByComparingTo("1");
		assertThat(output).containsOnlyOnce("The number of instances is unknown")
			.containsOnlyOnce("this instance enforces 100% of each limit")
			.containsOnlyOnce("tierlimit.redis.local-share");
		this.network.heal();
		recover(instance);
		assertThat(instances(instance)).isOne();
	}

	@Test
	void otherValueUnderTheNameIsAProblemAndIsKept(CapturedOutput output) {
		this.server.command("LPUSH", KEY, "value");
		InstanceShare instance = instance();
		instance.renew();
		assertThat(instance.current()).usingRecursiveComparison()
			.ignoringFields("problem")
			.isEqualTo(new LocalShare(BigDecimal.ONE, null, null));
		assertThat(instance.current().problem()).contains("WRONGTYPE");
		assertThat(output).containsOnlyOnce("WRONGTYPE");
		assertThat(this.server.command("LLEN", KEY)).isEqualTo("1");
	}

	/** An instance that has renewed its membership once. */
	private InstanceShare instance() {
		InstanceShare instance = new InstanceShare(ScriptSession.inBackground(this.client, SCRIPT, System::nanoTime),
				new RedisKeys("tierlimit").members(), () -> this.nanoTime);
		instance.renew();
		return instance;
	}

	/** Renews a membership when no earlier number is used. */
	private void renewWithoutEarlierNumbers(InstanceShare instance) {
		this.nanoTime += Renewals.LIFE.toNanos();
		instance.renew();
	}

	private static void recover(InstanceShare instance) {
		Poll.until(() -> {
			instance.renew();
			return instance.current().problem() == null;
		}, () -> String.valueOf(instance.current()));
	}

	private static int instances(InstanceShare instance) {
		return Objects.requireNonNull(instance.current().instances());
	}

	private List<String> stored() {
		return this.server.command("GET", KEY).lines().toList();
	}

	/** A client whose calls end with an error. */
	private static final class BrokenClient extends ForwardingClient {

		BrokenClient(ScriptClient client) {
			super(client);
		}

		@Override
		public Future<List<Object>> send(RedisScript<?> script, ScriptCall call, boolean byText) {
			throw new NoClassDefFoundError("a missing class");
		}

	}

}
