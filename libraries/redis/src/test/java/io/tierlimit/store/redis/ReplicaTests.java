package io.tierlimit.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.tierlimit.limit.Ban;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} on a server that becomes a replica, as after a
 * failover of which the application was not notified. A replica rejects writes.
 */
@ExtendWith(OutputCaptureExtension.class)
class ReplicaTests extends RedisServerTest {

	private static final long HOUR = 3_600_000_000L;

	private final Charge charge = Instance.ten("user");

	@Test
	void replicaIsAnOutageUntilItIsPromoted(CapturedOutput output) {
		Instance instance = use(Instance.on(this.server.port()));
		OutageLog log = new OutageLog(output);
		assertThat(instance.request(4, this.charge)).isEqualTo(Tally.stored(4, 4));
		this.server.command("REPLICAOF", "127.0.0.1", "1");
		assertThat(instance.request(30, this.charge)).isEqualTo(Tally.alone(30, 10));
		assertThat(output).containsOnlyOnce("READONLY");
		this.server.command("REPLICAOF", "NO", "ONE");
		log.awaitOneOutage(instance);
		assertThat(instance.request(20, this.charge)).isEqualTo(Tally.stored(20, 6));
	}

	/**
	 * This is the same as for a rejection that cannot be counted because there is no
	 * memory left.
	 */
	@Test
	void rejectionByAReplicaIsNotCounted() {
		BanPolicy policy = new BanPolicy(2, HOUR, HOUR, HOUR);
		Charge banning = Instance.with(ChargeOptions.ENFORCED.with(policy), this.charge);
		Instance instance = use(Instance.on(this.server.port()));
		assertThat(instance.request(10, banning)).isEqualTo(Tally.stored(10, 10));
		this.server.command("REPLICAOF", "127.0.0.1", "1");
		assertThat(bans(instance, banning, 5)).containsOnlyNulls();
		this.server.command("REPLICAOF", "NO", "ONE");
		assertThat(bans(instance, banning, 1)).containsOnlyNulls();
		assertThat(bans(instance, banning, 1)).doesNotContainNull();
	}

	private static List<@Nullable Ban> bans(Instance instance, Charge charge, int rejections) {
		List<@Nullable Ban> bans = new ArrayList<>();
		for (int i = 0; i < rejections; i++) {
			AcquireResult result = instance.acquire(charge);
			assertThat(result.source()).isEqualTo(Source.STORE);
			assertThat(result.admitted()).isFalse();
			bans.add(Objects.requireNonNull(result.decision(0)).ban());
		}
		return bans;
	}

}
