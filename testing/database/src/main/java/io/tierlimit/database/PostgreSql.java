package io.tierlimit.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.tierlimit.redis.Directories;
import io.tierlimit.redis.LoopbackPorts;
import io.tierlimit.redis.Signals;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.jspecify.annotations.Nullable;

/**
 * A real PostgreSQL server with its own process and directory, reachable from this
 * machine only. Each JVM has at most one server, which ends with the JVM.
 */
public final class PostgreSql {

	private static final Path PREPARED = PreparedServer.directory("postgresql",
			(directory) -> start(directory, directory.resolve("data"), LoopbackPorts.free()).close());

	private final Path directory = Directories.create();

	private final int port = LoopbackPorts.free();

	private int databases;

	private @Nullable EmbeddedPostgres process;

	private PostgreSql() {
		Runtime.getRuntime().addShutdownHook(new Thread(this::end));
		try {
			PreparedServer.copy(PREPARED.resolve("data"), data());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start();
	}

	/** The server of this JVM. */
	public static PostgreSql server() {
		return Started.SERVER;
	}

	/**
	 * Creates an empty database.
	 * @return the JDBC URL, with the name of the user
	 */
	public synchronized String createDatabase() {
		String name = "test" + ++this.databases;
		try (Connection connection = DriverManager.getConnection(url("postgres"));
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE DATABASE " + name);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return url(name);
	}

	/** Stops the server, which closes all connections. Its databases are kept. */
	public synchronized void stop() {
		EmbeddedPostgres running = this.process;
		this.process = null;
		if (running != null) {
			try {
				running.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	/** Starts the server again on the same port, unless it runs. */
	public synchronized void start() {
		if (this.process != null) {
			return;
		}
		try {
			this.process = start(PREPARED, data(), this.port);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Unpacks the server and creates its first databases, unless they exist. */
	private static EmbeddedPostgres start(Path prepared, Path data, int port) throws IOException {
		return EmbeddedPostgres.builder()
			.setOverrideWorkingDirectory(prepared.resolve("binaries").toFile())
			.setDataDirectory(data)
			.setCleanDataDirectory(false)
			.setPort(port)
			.setPGStartupWait(PreparedServer.PATIENCE)
			.setServerConfig("fsync", "off")
			.setRegisterShutdownHook(false)
			.start();
	}

	/**
	 * Freezes the server: its connections stay open, it accepts new connections, and it
	 * does not reply.
	 */
	public synchronized void freeze() {
		processes().forEach((process) -> send(process, Signals::stop));
	}

	/** Continues a frozen server. */
	public synchronized void resume() {
		processes().forEach((process) -> send(process, Signals::resume));
	}

	/** Sends a signal to a process. The process of a connection may end at any time. */
	private static void send(ProcessHandle process, Consumer<ProcessHandle> signal) {
		try {
			signal.accept(process);
		}
		catch (IllegalStateException ex) {
			if (!Signals.hasEnded(process)) {
				throw ex;
			}
		}
	}

	/**
	 * The processes of the server. The process that starts the other processes comes
	 * first, so that a stopped server starts no processes.
	 */
	private Stream<ProcessHandle> processes() {
		try {
			String first = Files.readAllLines(data().resolve("postmaster.pid")).get(0);
			return ProcessHandle.of(Long.parseLong(first))
				.stream()
				.flatMap((server) -> Stream.concat(Stream.of(server), server.descendants()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	Path directory() {
		return this.directory;
	}

	private Path data() {
		return this.directory.resolve("data");
	}

	private String url(String database) {
		return "jdbc:postgresql://127.0.0.1:" + this.port + "/" + database + "?user=postgres";
	}

	private void end() {
		stop();
		Directories.delete(this.directory);
	}

	private static final class Started {

		static final PostgreSql SERVER = new PostgreSql();

	}

}
