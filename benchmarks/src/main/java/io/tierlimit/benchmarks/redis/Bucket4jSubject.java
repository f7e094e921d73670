package io.tierlimit.benchmarks.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;

/**
 * Bucket4j with one bucket for each tier, checked one after the other.
 */
final class Bucket4jSubject implements Subject {

	private final RedisClient client;

	private final StatefulRedisConnection<byte[], byte[]> connection;

	private final ProxyManager<byte[]> buckets;

	private final int tiers;

	private final BucketConfiguration limit;

	Bucket4jSubject(int port, int tiers, long capacity, Duration period) {
		this.client = RedisClient.create("redis://localhost:" + port);
		this.connection = this.client.connect(ByteArrayCodec.INSTANCE);
		this.buckets = Bucket4jLettuce.casBasedBuilder(this.connection)
			.expirationAfterWrite(
					ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofSeconds(10)))
			.build();
		this.tiers = tiers;
		this.limit = BucketConfiguration.builder()
			.addLimit((bandwidth) -> bandwidth.capacity(capacity).refillGreedy(capacity, period))
			.build();
	}

	@Override
	public void check(int caller) {
		for (int i = 0; i < this.tiers; i++) {
			byte[] key = ("bucket4j:tier-" + i + ":{user-" + caller + "}").getBytes(StandardCharsets.UTF_8);
			if (!this.buckets.builder().build(key, () -> this.limit).tryConsume(1)) {
				return;
			}
		}
	}

	@Override
	public void close() {
		this.connection.close();
		this.client.shutdown();
	}

}
