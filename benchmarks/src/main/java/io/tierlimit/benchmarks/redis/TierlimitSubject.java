package io.tierlimit.benchmarks.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.tierlimit.limit.Limit;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.redis.RedisBucketStore;
import io.tierlimit.store.redis.RedisStoreSettings;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The store of this project, with the settings of an application.
 */
final class TierlimitSubject implements Subject {

	private final LettuceConnectionFactory factory;

	private final RedisBucketStore store;

	private final List<Limit> limits;

	private final boolean owned;

	/**
	 * Creates a store.
	 * @param factory the connection
	 * @param owned whether all buckets of a caller have one owner, and therefore one slot
	 * @param limits the limit of each tier
	 */
	TierlimitSubject(LettuceConnectionFactory factory, boolean owned, List<Limit> limits) {
		factory.afterPropertiesSet();
		factory.start();
		this.factory = factory;
		this.owned = owned;
		this.limits = limits;
		this.store = new RedisBucketStore(factory, new RedisStoreSettings("tierlimit", Duration.ofSeconds(5),
				StoreFailurePolicy.DENY, BigDecimal.ONE, 16384), new InMemoryBucketStore(Ticker.system(), 1),
				StoreListener.NONE);
	}

	@Override
	public void check(int caller) {
		List<Charge> charges = new ArrayList<>(this.limits.size());
		for (int i = 0; i < this.limits.size(); i++) {
			String user = "user-" + caller;
			String owner = this.owned ? user : "user-" + caller + "-of-tier-" + i;
			charges.add(new Charge(new BucketKey("tier-" + i, user, owner), this.limits.get(i), 1));
		}
		AcquireResult result = this.store.acquire(charges, new StoreFailureFlag());
		if (result.source() != AcquireResult.Source.STORE) {
			throw new IllegalStateException("Redis has not decided: " + result);
		}
	}

	@Override
	public void close() {
		this.store.close();
		this.factory.destroy();
	}

}
