package io.tierlimit.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A real Redis in a process and a directory of its own, reachable from this machine only.
 */
public final class RedisServer implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final Duration PING_TIMEOUT = Duration.ofSeconds(1);

	/** Ended with the JVM, so that a test run that is broken off leaves none behind. */
	private static final Set<RedisServer> OPEN = ConcurrentHashMap.newKeySet();

	static {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(RedisServer::close)));
	}

	private final int port = LoopbackPorts.free();

	private final Path directory = Directories.create();

	private final List<String> options;

	private volatile Process process;

	private RedisServer(List<String> configuration, List<String> options) {
		this.options = options;
		OPEN.add(this);
		try {
			Files.write(this.directory.resolve("redis.conf"), configuration);
			this.process = launch();
			awaitReady();
		}
		catch (IOException | RuntimeException ex) {
			close();
			throw new IllegalStateException(ex.getMessage(), ex);
		}
	}

	/**
	 * Starts a server that keeps nothing on disk.
	 * @param options as on the command line, for example {@code "--maxmemory", "2mb"};
	 * they win over what is set here
	 */
	public static RedisServer start(String... options) {
		return start(List.of(), options);
	}

	/** Starts a server with a configuration file, which servers rewrite when told to. */
	static RedisServer start(List<String> configuration, String... options) {
		return new RedisServer(configuration, List.of(options));
	}

	public int port() {
		return this.port;
	}

	public long pid() {
		return this.process.pid();
	}

	/** Where the server runs, with its log; gone after {@link #close()}. */
	Path directory() {
		return this.directory;
	}

	/** All that are not closed. */
	static Set<RedisServer> open() {
		return Set.copyOf(OPEN);
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/** Ends the process as a crash does, and waits until it is gone. */
	public synchronized void kill() {
		Signals.kill(this.process);
	}

	/**
	 * Starts anew on the same port with the same options, after a {@link #kill()} if it
	 * still runs: empty, unless the options let it keep its data.
	 */
	public synchronized void restart() {
		kill();
		this.process = launch();
		awaitReady();
	}

	/** Freezes the process: its connections stay open, and nothing answers. */
	public synchronized void stop() {
		Signals.stop(this.process);
	}

	/** Lets a stopped process go on. */
	public synchronized void resume() {
		Signals.resume(this.process);
	}

	/**
	 * A new connection, authenticated if the options have a {@code --requirepass}.
	 */
	public RedisSocket connect() {
		return connect(PATIENCE);
	}

	RedisSocket connect(Duration timeout) {
		RedisSocket socket = new RedisSocket(this.port, timeout);
		int password = this.options.indexOf("--requirepass") + 1;
		if (password > 0) {
			socket.command("AUTH", this.options.get(password));
		}
		return socket;
	}

	/**
	 * Sends one command on a connection of its own.
	 * @see RedisSocket#command
	 */
	public String command(String... words) {
		try (RedisSocket socket = connect()) {
			return socket.command(words);
		}
	}

	/**
	 * How often each command was called since the start or {@link #resetStatistics()}, by
	 * its lower-case name; those of this class count too ({@code info}, {@code config}).
	 */
	public Map<String, Long> calls() {
		Map<String, Long> calls = new TreeMap<>();
		command("INFO", "commandstats").lines().filter((line) -> line.startsWith("cmdstat_")).forEach((line) -> {
			int colon = line.indexOf(':');
			String count = line.substring(line.indexOf("calls=", colon) + 6, line.indexOf(',', colon));
			calls.put(line.substring("cmdstat_".length(), colon), Long.valueOf(count));
		});
		return calls;
	}

	public void resetStatistics() {
		command("CONFIG", "RESETSTAT");
	}

	/** Ends the process, whatever its state, and deletes its directory. */
	@Override
	public synchronized void close() {
		if (this.process != null) {
			kill();
		}
		Directories.delete(this.directory);
		OPEN.remove(this);
	}

	private Process launch() {
		List<String> command = new ArrayList<>(
				List.of(RedisBinary.path().toString(), "redis.conf", "--port", String.valueOf(this.port), "--bind",
						"127.0.0.1", "--dir", this.directory.toString(), "--save", "", "--appendonly", "no"));
		command.addAll(this.options);
		try {
			return new ProcessBuilder(command).directory(this.directory.toFile())
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void awaitReady() {
		Poll.until(PATIENCE, () -> isReady() || !isAlive(), () -> "Redis doesn't answer: " + read(log()));
		if (!isAlive()) {
			throw new IllegalStateException("Redis didn't start: " + read(log()));
		}
	}

	/** Whether it answers, and is not another server on the port. */
	private boolean isReady() {
		try (RedisSocket socket = connect(PING_TIMEOUT)) {
			socket.command("PING");
			return socket.command("INFO", "server").contains("process_id:" + pid());
		}
		catch (RedisSocket.ErrorReply ex) {
			return String.valueOf(ex.getMessage()).startsWith("NOAUTH"); // but not
																			// LOADING
		}
		catch (UncheckedIOException ex) {
			return false;
		}
	}

	private Path log() {
		return this.directory.resolve("redis.log");
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public String toString() {
		return "Redis on port " + this.port;
	}

}
