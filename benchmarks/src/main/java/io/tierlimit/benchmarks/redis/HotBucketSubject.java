package io.tierlimit.benchmarks.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.redis.RedisBucketStore;
import io.tierlimit.store.redis.RedisStoreSettings;
import io.tierlimit.store.shard.ShardedBuckets;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * One bucket that all callers share. It never becomes empty or full during a run. The
 * number of a caller is the number of the instance that checks its request, and each
 * instance has its own connection.
 */
final class HotBucketSubject implements Subject {

	private static final Limit LIMIT = new TokenBucket(Rate.parse("100/s"), 10_000_000_000L);

	private final List<LettuceConnectionFactory> factories = new ArrayList<>();

	private final List<RedisBucketStore> stores = new ArrayList<>();

	private final List<BucketStore> instances = new ArrayList<>();

	private final List<Charge> charges;

	/**
	 * Creates a bucket.
	 * @param connections creates the connection of an instance
	 * @param shards the number of shards; 1 for a bucket that is not spread
	 * @param count the number of instances
	 */
	HotBucketSubject(Supplier<LettuceConnectionFactory> connections, int shards, int count) {
		this.charges = List.of(new Charge(new BucketKey("shared-" + shards, "").spread(shards), LIMIT, 1));
		for (int i = 0; i < count; i++) {
			LettuceConnectionFactory factory = connections.get();
			factory.afterPropertiesSet();
			factory.start();
			this.factories.add(factory);
			this.stores
				.add(new RedisBucketStore(factory,
						new RedisStoreSettings("tierlimit", Duration.ofSeconds(5), StoreFailurePolicy.DENY,
								BigDecimal.ONE, 16384),
						new InMemoryBucketStore(Ticker.system(), 1), StoreListener.NONE));
			this.instances.add(new ShardedBuckets(this.stores.get(i), Ticker.system()));
		}
	}

	@Override
	public void check(int caller) {
		AcquireResult result = this.instances.get(caller).acquire(this.charges, new StoreFailureFlag());
		if (result.source() != AcquireResult.Source.STORE || !result.admitted()) {
			throw new IllegalStateException("Redis has not admitted the request: " + result);
		}
	}

	@Override
	public void close() {
		this.stores.forEach(RedisBucketStore::close);
		this.factories.forEach(LettuceConnectionFactory::destroy);
	}

}
