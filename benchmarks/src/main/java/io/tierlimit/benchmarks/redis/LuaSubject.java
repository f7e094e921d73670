package io.tierlimit.benchmarks.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;

/**
 * Runs a script without a library around it, or a GET, by Lettuce and one connection: the
 * minimum cost of a check.
 */
final class LuaSubject implements Subject {

	private final RedisClient client;

	private final StatefulRedisConnection<String, String> connection;

	private final Call call;

	private LuaSubject(int port, Calls calls) {
		this.client = RedisClient.create("redis://localhost:" + port);
		this.connection = this.client.connect(StringCodec.UTF8);
		this.call = calls.on(this.connection);
	}

	static LuaSubject get(int port) {
		return new LuaSubject(port, (connection) -> {
			for (int caller = 0; caller < RedisBenchmarks.CALLERS; caller++) {
				connection.sync().set("get:{" + caller + "}", "0123456789abcdef");
			}
			return (caller) -> connection.async().get("get:{" + caller + "}").get();
		});
	}

	/** A token bucket for each tier. All buckets are decided together. */
	static LuaSubject reference(int port, int tiers) {
		return new LuaSubject(port, (connection) -> {
			String digest = connection.sync().scriptLoad(script("reference.lua"));
			String[] arguments = new String[3 * tiers];
			for (int i = 0; i < tiers; i++) {
				arguments[3 * i] = "1000000000";
				arguments[3 * i + 1] = "1";
				arguments[3 * i + 2] = "1";
			}
			return (caller) -> {
				String[] keys = new String[tiers];
				for (int i = 0; i < tiers; i++) {
					keys[i] = "reference:tier-" + i + ":{user-" + caller + "}";
				}
				connection.async().evalsha(digest, ScriptOutputType.MULTI, keys, arguments).get();
			};
		});
	}

	/** Two keys for one bucket, as in the filter of Spring Cloud Gateway. */
	static LuaSubject gateway(int port) {
		return new LuaSubject(port, (connection) -> {
			String digest = connection.sync().scriptLoad(script("gateway.lua"));
			return (caller) -> {
				String[] keys = { "rate_limiter.{user-" + caller + "}.tokens",
						"rate_limiter.{user-" + caller + "}.timestamp" };
				connection.async().evalsha(digest, ScriptOutputType.MULTI, keys, "1000000", "1000000000", "1").get();
			};
		});
	}

	private static String script(String name) {
		try (InputStream file = LuaSubject.class.getResourceAsStream(name)) {
			return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void check(int caller) throws Exception {
		this.call.run(caller);
	}

	@Override
	public void close() {
		this.connection.close();
		this.client.shutdown();
	}

	/**
	 * Prepares calls on a connection.
	 */
	@FunctionalInterface
	private interface Calls {

		Call on(StatefulRedisConnection<String, String> connection);

	}

	/**
	 * One call with its reply.
	 */
	@FunctionalInterface
	private interface Call {

		void run(int caller) throws Exception;

	}

}
