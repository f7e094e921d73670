package io.tierlimit.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

import io.tierlimit.store.Ticker;

import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the script with a clock that the test controls, instead of the server's clock.
 */
final class SimulatedTime extends ForwardingClient {

	private static final String CLOCK = "redis.call('TIME')";

	private static final String MARGIN = "local MARGIN = 1000 ";

	/**
	 * The script of the application, with a clock from its arguments and a longer expiry.
	 */
	static final RedisScript<?> SCRIPT = RedisScript.of(replace(MARGIN, "local MARGIN = 3600000 ",
			replace(CLOCK, "{ ARGV[#ARGV - 1], ARGV[#ARGV] }", RedisBuckets.script().getScriptAsString())));

	private Ticker clock = () -> 0;

	SimulatedTime(ScriptClient client) {
		super(client);
	}

	static String replace(String old, String replacement, String script) {
		assertThat(script).containsOnlyOnce(old);
		return script.replace(old, replacement);
	}

	void set(long now) {
		this.clock = () -> now;
	}

	/** Replaces the clock by another clock. */
	void follow(Ticker ticker) {
		this.clock = ticker;
	}

	long now() {
		return this.clock.ticks();
	}

	@Override
	public Future<List<Object>> send(RedisScript<?> script, ScriptCall call, boolean byText) {
		List<byte[]> arguments = new ArrayList<>(call.arguments());
		long now = now();
		arguments.add(bytes(now / 1_000_000));
		arguments.add(bytes(now % 1_000_000));
		return this.client.send(script, new ScriptCall(call.keys(), arguments), byText);
	}

	private static byte[] bytes(long number) {
		return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
	}

}
