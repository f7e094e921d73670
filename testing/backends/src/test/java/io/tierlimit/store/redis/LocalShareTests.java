package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.util.List;

import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreStatus.LocalShare;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the share of a limit that each of several {@link RedisBucketStore stores}
 * grants while Redis cannot be reached.
 */
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

}
