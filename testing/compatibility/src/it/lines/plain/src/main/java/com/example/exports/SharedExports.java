package com.example.exports;

import java.time.Duration;

import io.tierlimit.store.redis.RedisBucketStore;
import io.tierlimit.store.redis.RedisStoreSettings;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Exports data with limits that all instances share in Redis.
 */
public final class SharedExports {

	public static void main(String[] customers) {
		int port = Integer.getInteger("redis.port", 6379);
		LettuceConnectionFactory redis = new LettuceConnectionFactory("localhost", port);
		redis.start();
		// An export can wait longer than a web request.
		RedisStoreSettings settings = RedisStoreSettings.STANDARD.withTimeout(Duration.ofSeconds(10));
		try (RedisBucketStore store = new RedisBucketStore(redis, settings)) {
			Exports exports = new Exports(store);
			for (String customer : customers) {
				exports.export(customer);
			}
		}
		finally {
			redis.destroy();
		}
	}

}
