package io.tierlimit.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

import io.tierlimit.redis.RedisServer;
import io.tierlimit.redis.RedisSocket;

/**
 * Records every command that a server executes, including commands of scripts.
 */
final class Monitor implements AutoCloseable {

	private final RedisServer server;

	private final RedisSocket socket;

	Monitor(RedisServer server) {
		this.server = server;
		this.socket = server.connect();
		this.socket.command("MONITOR");
	}

	/** The commands since the last call. */
	List<Executed> executed() {
		String end = UUID.randomUUID().toString();
		List<Executed> executed = new ArrayList<>();
		this.server.command("ECHO", end);
		for (String line = this.socket.reply(); !line.contains(end); line = this.socket.reply()) {
			executed.add(Executed.of(line));
		}
		return executed;
	}

	@Override
	public void close() {
		this.socket.close();
	}

	/**
	 * A command in the output of MONITOR.
	 *
	 * @param byScript whether a script called it
	 * @param words a word for the command and for each argument
	 */
	record Executed(boolean byScript, List<String> words) {

		private static Executed of(String line) {
			int source = line.indexOf(']');
			String words = line.substring(line.indexOf('"', source) + 1, line.length() - 1);
			return new Executed(line.substring(0, source).endsWith(" lua"), List.of(words.split("\" \"", -1)));
		}

		String name() {
			return this.words.get(0).toUpperCase(Locale.ROOT);
		}

	}

}
