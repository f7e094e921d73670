package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import io.tierlimit.junit.Poll;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreStatus;
import io.tierlimit.store.StoreStatus.Failure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} as a user with only the rights that
 * {@code docs/redis.md} documents.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeastPrivilegeTests extends RedisServerTest {

	static final List<String> COMMANDS = List.of("+evalsha", "+eval", "+time", "+get", "+set", "+scan");

	private final Charge charge = Instance.ten("user");

	@Test
	void documentedRightsAreSufficient() {
		Instance instance = use(instance(COMMANDS, 0, Instance.COUNTED));
		instance.awaitInstances(1);
		assertThat(worksAltogether(instance)).isTrue();
	}

	/** {@link #missingRightIsLoggedOnceWithTheErrorOfRedis} tests the other rights. */
	@ParameterizedTest
	@ValueSource(strings = { "+time", "+set", "+scan" })
	void everyDocumentedRightIsRequired(String command) {
		assertThat(worksAltogether(use(instance(without(command))))).isFalse();
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '"', value = { "+evalsha, no permissions to run the 'evalsha' command",
			"+eval, no permissions to run the 'eval' command", "+get, can't run this command" })
	void missingRightIsLoggedOnceWithTheErrorOfRedis(String command, String words, CapturedOutput output) {
		Instance instance = use(instance(without(command)));
		assertThat(instance.request(30, this.charge)).isEqualTo(Tally.alone(30, 10));
		assertThat(instance.store.reset(this.charge.key(), new StoreFailureFlag())).isFalse();
		assertThat(new OutageLog(output).begun()).isOne();
		assertThat(output).containsOnlyOnce(words);
		Failure failure = Objects.requireNonNull(instance.store.status().lastFailure());
		assertThat(failure.reason()).contains(words);
	}

	private static List<String> without(String command) {
		List<String> others = new ArrayList<>(COMMANDS);
		assertThat(others.remove(command)).isTrue();
		return others;
	}

	/** The pattern of a user's rights may contain only the buckets. */
	@Test
	void keyOfTheInstancesThatIsInaccessibleIsNotAnOutage(CapturedOutput output) {
		createUser(this.server, "limiter", COMMANDS);
		this.server.command("ACL", "SETUSER", "limiter", "resetkeys", "~tierlimit:user:*");
		Instance instance = use(new Instance(new LettuceConnectionFactory(configuration(0)), Instance.COUNTED));
		Poll.until(() -> instance.localShare().problem() != null, () -> "no problem");
		instance.store.leave();
		instance.store.join();
		assertThat(instance.request(20, this.charge)).isEqualTo(Tally.stored(20, 10));
		assertThat(instance.store.status().lastFailure()).as("the check has no right to its key").isNotNull();
		assertThat(instance.localShare().problem()).contains("NOPERM");
		assertThat(output).containsOnlyOnce("The number of instances is unknown");
	}

	@Test
	void olderProtocolRequiresNoMoreRights() {
		createUser(this.server, "limiter", COMMANDS);
		LettuceClientConfiguration client = LettuceClientConfiguration.builder()
			.clientOptions(ClientOptions.builder().protocolVersion(ProtocolVersion.RESP2).build())
			.clientName("limits")
			.build();
		Instance instance = use(
				new Instance(new LettuceConnectionFactory(configuration(0), client), Instance.SETTINGS));
		assertThat(worksAltogether(instance)).isTrue();
	}

	@Test
	void databaseRequiresSelect() {
		List<String> more = new ArrayList<>(COMMANDS);
		more.add("+select");
		try (Instance without = instance(COMMANDS, 1, Instance.SETTINGS)) {
			assertThat(without.acquire(this.charge).source()).isEqualTo(AcquireResult.Source.FALLBACK);
		}
		Instance with = use(instance(more, 1, Instance.SETTINGS));
		assertThat(worksAltogether(with)).isTrue();
	}

	@Test
	void keysOfOthersAreInaccessible() {
		Instance instance = use(instance(COMMANDS));
		this.server.command("ACL", "SETUSER", "limiter", "resetkeys", "~other:*");
		assertThat(instance.acquire(this.charge).source()).isEqualTo(AcquireResult.Source.FALLBACK);
		assertThat(this.server.command("DBSIZE")).isEqualTo("0");
	}

	/**
	 * Acquires, rejects, peeks, refunds, settles, and resets one bucket and all buckets,
	 * and holds and renews permits, when Redis does not have the script.
	 */
	private boolean worksAltogether(Instance instance) {
		this.server.command("SCRIPT", "FLUSH");
		boolean works = instance.request(11, this.charge).equals(Tally.stored(11, 10));
		AcquireResult taken = instance.acquire(Instance.ten("other"));
		instance.refund(taken);
		works &= instance.left(Instance.ten("other")) == 10;
		Charge estimated = instance.acquire(Instance.cost(5, Instance.ten("other"))).charge(0);
		works &= !instance.store
			.settle(List.of(new Settlement(estimated, 4, 0), new Settlement(estimated, 7, 0)), new StoreFailureFlag())
			.isEmpty();
		works &= instance.left(Instance.ten("other")) == 4;
		works &= instance.store.reset(this.charge.key(), new StoreFailureFlag());
		works &= instance.store.resetAll("user");
		Charge held = new Charge(this.charge.key(), Concurrency.of(1, Duration.ofMinutes(1)), 1);
		AcquireResult holding = instance.acquire(held);
		instance.store.holders().renew();
		works &= instance.left(held) == 0;
		instance.refund(holding);
		works &= instance.left(held) == 1;
		StoreStatus status = instance.store.status();
		return works && status.reachable() && status.lastFailure() == null;
	}

	static void createUser(RedisServer server, String name, List<String> commands) {
		List<String> user = new ArrayList<>(
				List.of("ACL", "SETUSER", name, "reset", "on", ">secret", "~tierlimit:*", "-@all"));
		user.addAll(commands);
		server.command(user.toArray(String[]::new));
	}

	private Instance instance(List<String> commands) {
		return instance(commands, 0, Instance.SETTINGS);
	}

	private Instance instance(List<String> commands, int database, RedisStoreSettings settings) {
		createUser(this.server, "limiter", commands);
		return new Instance(new LettuceConnectionFactory(configuration(database)), settings);
	}

	private RedisStandaloneConfiguration configuration(int database) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("localhost", this.server.port());
		configuration.setDatabase(database);
		configuration.setUsername("limiter");
		configuration.setPassword("secret");
		return configuration;
	}

}
