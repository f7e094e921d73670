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

import io.tierlimit.junit.Poll;

/**
 * A real Redis server with its own process and directory, reachable from this machine
 * only.
 */
public final class RedisServer implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final Duration PING_TIMEOUT = Duration.ofSeconds(1);

	/**
	 * The servers that are not closed. They end with the JVM, so that an aborted test run
	 * leaves no server behind.
	 */
	private static final Set<RedisServer> OPEN = ConcurrentHashMap.newKeySet();

	static {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(RedisServer::close)));
	}

	private final int port = LoopbackPorts.free();

	private final Path directory = Directories.create();

	private final List<String> options;

	private volatile Process process;

	private volatile boolean frozen;

	private RedisServer(List<String> configuration, List<String> options) {
		this.options = options;
		OPEN.add(this);
		try {
			Files.write(this.directory.resolve("redis.conf"), configuration);
			this.process = launch();
		}
		catch (IOException | RuntimeException ex) {
			close();
			throw new IllegalStateException(ex.getMessage(), ex);
		}
	}

	/**
	 * Starts a server that stores nothing on disk.
	 * @param options as on the command line, for example {@code "--maxmemory", "2mb"};
	 * they override the options of this class
	 */
	public static RedisServer start(String... options) {
		return start(List.of(), options);
	}

	/** Starts a server with a configuration file, which the server may rewrite. */
	static RedisServer start(List<String> configuration, String... options) {
		return start(1, configuration, options).get(0);
	}

	/** Starts several servers at the same time. */
	static List<RedisServer> start(int number, List<String> configuration, String... options) {
		List<RedisServer> servers = new ArrayList<>();
		try {
			for (int i = 0; i < number; i++) {
				servers.add(new RedisServer(configuration, List.of(options)));
			}
			servers.forEach(RedisServer::awaitReady);
			return servers;
		}
		catch (RuntimeException ex) {
			servers.forEach(RedisServer::close);
			throw new IllegalStateException(ex.getMessage(), ex);
		}
	}

	public int port() {
		return this.port;
	}

	public long pid() {
		return this.process.pid();
	}

	/** The directory of the server, with its log; deleted by {@link #close()}. */
	Path directory() {
		return this.directory;
	}

	/** All servers that are not closed. */
	static Set<RedisServer> open() {
		return Set.copyOf(OPEN);
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/** Whether the process was stopped, so that a command would have no reply. */
	boolean isFrozen() {
		return this.frozen;
	}

	/** Ends the process as in a crash, and waits until it has ended. */
	public synchronized void kill() {
		Signals.kill(this.process);
	}

	/**
	 * Starts the server again on the same port with the same options. If it is still
	 * running, it is {@linkplain #kill() killed} before. The server is empty, unless the
	 * options keep its data.
	 */
	public synchronized void restart() {
		kill();
		this.process = launch();
		this.frozen = false;
		awaitReady();
	}

	/** Freezes the process: its connections stay open, and it does not reply. */
	public synchronized void stop() {
		this.frozen = true;
		Signals.stop(this.process.toHandle());
	}

	/** Continues a stopped process. */
	public synchronized void resume() {
		Signals.resume(this.process.toHandle());
		this.frozen = false;
	}

	/**
	 * Opens a new connection, which is authenticated if the options contain
	 * {@code --requirepass}.
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
	 * Sends one command on a separate connection.
	 * @see RedisSocket#command
	 */
	public String command(String... words) {
		try (RedisSocket socket = connect()) {
			return socket.command(words);
		}
	}

	/**
	 * The number of executions of each command since startup or
	 * {@link #resetStatistics()}, by its lower-case name, including calls by this class
	 * ({@code info}, {@code config}).
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

	/** Ends the process in any state, and deletes its directory. */
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
		Poll.until(PATIENCE, () -> isReady() || !isAlive(), () -> "Redis does not reply: " + read(log()));
		if (!isAlive()) {
			throw new IllegalStateException("Redis did not start: " + read(log()));
		}
	}

	/**
	 * Whether the server replies, and the reply is not from another server on the port.
	 */
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
