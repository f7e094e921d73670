package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

import io.tierlimit.junit.Poll;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener.CallOutcome;
import io.tierlimit.store.StoreStatus;
import io.tierlimit.store.StoreStatus.LocalShare;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the status and the calls that {@link RedisBucketStore} reports.
 */
class StoreStatusTests extends RedisServerTest {

	private final Charge charge = Instance.ten("status");

	@Test
	void serverThatRepliesIsReachable() {
		Instance instance = use(Instance.on(this.server.port()));
		assertThat(instance.store.status()).isEqualTo(new StoreStatus(true, StoreFailurePolicy.LOCAL,
				Map.of("redis", "CLOSED"), null, new LocalShare(BigDecimal.ONE, null, null)));
		assertThat(instance.store.name()).isEqualTo("redis");
		assertThat(this.server.command("DBSIZE")).as("the check stores nothing").contains("0");
	}

	@Test
	void outageIsReportedBeforeAnyRequest() {
		Instance instance = use(Instance.on(this.server.port()));
		this.server.kill();
		assertThat(instance.store.status()).returns(false, StoreStatus::reachable)
			.extracting(StoreStatus::lastFailure)
			.isNotNull();
		instance.request(20, this.charge);
		StoreStatus status = instance.store.status();
		assertThat(status.breakers()).containsOnlyKeys("redis");
		assertThat(status.breakers().get("redis")).isNotEqualTo("CLOSED");
		this.server.restart();
		instance.awaitRecovery();
		assertThat(instance.store.status().reachable()).isTrue();
		assertThat(instance.store.status().lastFailure()).as("it has failed once").isNotNull();
	}

	@Test
	void everyMasterOfAClusterIsChecked() {
		try (RedisCluster cluster = RedisCluster.start();
				Instance instance = Instance.on(ClusterBuckets.factory(cluster), Instance.SETTINGS)) {
			assertThat(instance.store.status().reachable()).isTrue();
			assertThat(instance.store.status().breakers()).hasSize(ClusterBuckets.MASTERS).containsValue("CLOSED");
			RedisServer dead = ClusterBuckets.master(cluster,
					ClusterBuckets.charge("status", ClusterBuckets.affinityKey(2, 0), 10));
			instance.leaveUnanswered((call) -> ClusterBuckets.isOn(2, call), dead::stop);
			assertThat(instance.store.status().reachable()).isFalse();
			Poll.until(() -> instance.store.status().breakers().containsValue("OPEN"), () -> "never opened");
			instance.answerAgain(dead::resume);
			// Only the health check calls this master.
			Poll.until(() -> instance.store.status().reachable(), () -> instance.store.status().toString());
		}
	}

	@Test
	void everyCallIsReported() {
		Instance instance = use(Instance.on(this.server.port()));
		instance.calls.next();
		instance.request(2, this.charge);
		instance.refund(instance.acquire(this.charge));
		instance.left(this.charge);
		instance.store.reset(this.charge.key(), new StoreFailureFlag());
		assertThat(instance.calls.next()).hasSize(6).containsOnly(CallOutcome.ANSWERED);
	}

	@Test
	void failedAndSkippedCallsAreReported() {
		Instance instance = use(Instance.on(this.server.port()));
		instance.calls.next();
		this.server.kill();
		instance.request(50, this.charge);
		List<CallOutcome> calls = instance.calls.next();
		assertThat(calls).hasSize(50).containsOnly(CallOutcome.FAILED, CallOutcome.SKIPPED);
		assertThat(calls.subList(0, 5)).as("it takes five to open the breaker").containsOnly(CallOutcome.FAILED);
	}

}
