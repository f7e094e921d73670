package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.util.List;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreStatus.LocalShare;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the share of a limit that each of several {@link RedisBucketStore stores}
 * grants while Redis cannot be reached.
 */
@ExtendWith(OutputCaptureExtension.class)
class LocalShareTests extends RedisServerTest {

	private final Charge ten = Instance.ten("ten");

	@Test
	void storeIsCountedFromItsCreationUntilItIsClosed() {
		Instance one = use(counted());
		one.awaitInstances(1);
		Instance other = counted();
		one.awaitInstances(2);
		other.close();
		one.awaitInstances(1);
	}

	@Test
	void threeInstancesGrantAThirdEachDuringAnOutage() {
		List<Instance> instances = List.of(use(counted()), use(counted()), use(counted()));
		instances.forEach((instance) -> instance.awaitInstances(3));
		assertThat(instances.get(0).request(4, this.ten)).as("with Redis").isEqualTo(Tally.stored(4, 4));
		this.network.reject();
		assertThat(instances).allSatisfy((instance) -> {
			assertThat(instance.request(20, this.ten)).isEqualTo(Tally.alone(20, 3));
			assertThat(instance.store.status().localShare()).extracting(LocalShare::instances).isEqualTo(3);
		});
		this.network.heal();
		instances.forEach(Instance::awaitRecovery);
		assertThat(instances.get(1).request(10, this.ten)).isEqualTo(Tally.stored(10, 6));
	}

	@Test
	void instancesOverJedisGrantHalfEachAfterTheServerWasKilled() {
		List<Instance> instances = List.of(use(jedis()), use(jedis()));
		instances.forEach((instance) -> instance.awaitInstances(2));
		this.server.kill();
		assertThat(instances)
			.allSatisfy((instance) -> assertThat(instance.request(20, this.ten)).isEqualTo(Tally.alone(20, 5)));
	}

	@Test
	void instanceThatStartsDuringAnOutageGrantsTheWholeLimitUntilRedisShowsTheNumber(CapturedOutput output) {
		Instance first = use(counted());
		first.awaitInstances(1);
		this.network.reject();
		Instance second = use(counted());
		assertThat(second.request(20, this.ten)).isEqualTo(Tally.alone(20, 10));
		assertThat(second.localShare().instances()).isNull();
		this.network.heal();
		second.awaitRecovery();
		second.awaitInstances(2);
		this.network.reject();
		Charge other = Instance.ten("other");
		assertThat(second.request(20, other)).isEqualTo(Tally.alone(20, 5));
		assertThat(output).containsOnlyOnce("The number of instances is unknown");
	}

	/** The permits that were consumed remain consumed, up to the capacity. */
	@Test
	void shareThatChangesAppliesToTheBucketsOfAnEarlierOutage() {
		Charge hundred = Instance.charge("hundred", new TokenBucket(new Rate(100, Rate.MAX_PERIOD)));
		Instance one = use(counted());
		one.awaitInstances(1);
		this.network.reject();
		assertThat(one.request(20, hundred)).isEqualTo(Tally.alone(20, 20));
		this.network.heal();
		use(counted());
		one.awaitRecovery();
		one.awaitInstances(2);
		this.network.reject();
		assertThat(one.request(50, hundred)).isEqualTo(Tally.alone(50, 30));
	}

	@Test
	void fixedShareIsNotCounted() {
		Instance fixed = use(Instance.on(this.server.port()));
		Instance counted = use(counted());
		counted.awaitInstances(1);
		fixed.store.join();
		counted.awaitInstances(1);
		assertThat(fixed.localShare()).isEqualTo(new LocalShare(BigDecimal.ONE, null, null));
	}

	/** An instance whose network can be disturbed. */
	private Instance counted() {
		return new Instance(new LettuceConnectionFactory("localhost", this.network.port()), Instance.COUNTED);
	}

	private Instance jedis() {
		return new Instance(
				TestConnections.started(new JedisConnectionFactory(
						new RedisStandaloneConfiguration("localhost", this.server.port()), TestConnections.JEDIS)),
				Instance.COUNTED);
	}

}
