package io.tierlimit.database;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests the servers in one other JVM: the databases, and that the servers end with the
 * JVM and leave no files.
 */
@Tag("slow")
class TestDatabaseTests {

	@Test
	void databasesAreRealAndEmptyAndEndWithTheJvm() throws IOException, InterruptedException {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), Program.class.getName())
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output).isZero();
		List<Path> directories = output.lines()
			.filter((line) -> line.startsWith("directory "))
			.map((line) -> Path.of(line.substring("directory ".length())))
			.toList();
		assertThat(directories).hasSize(2).allSatisfy((directory) -> {
			assertThat(directory).doesNotExist();
			assertThat(ProcessHandle.allProcesses()
				.filter((other) -> other.info().commandLine().orElse("").contains(directory.toString()))).isEmpty();
		});
	}

	/** A program that uses the databases, and ends without closing the servers. */
	static final class Program {

		private Program() {
		}

		public static void main(String[] arguments) throws Exception {
			System.out.println("directory " + MariaDb.server().directory());
			System.out.println("directory " + PostgreSql.server().directory());
			check(TestDatabase.H2, "H2", 2);
			check(TestDatabase.MARIADB, "MariaDB", 11);
			assertIsReachableFromThisMachineOnly(TestDatabase.MARIADB);
			check(TestDatabase.POSTGRESQL, "PostgreSQL", 18);
			assertIsReachableFromThisMachineOnly(TestDatabase.POSTGRESQL);
			String url = TestDatabase.POSTGRESQL.create();
			execute(url, "CREATE TABLE numbers (n INT)");
			PostgreSql.server().stop();
			assertFails(url);
			PostgreSql.server().start();
			PostgreSql.server().freeze();
			assertFails(url + "&connectTimeout=1&socketTimeout=1");
			PostgreSql.server().resume();
			execute(url, "SELECT n FROM numbers");
		}

		private static void check(TestDatabase database, String product, int version) throws SQLException {
			String url = database.create();
			execute(url, "CREATE TABLE numbers (n INT)");
			execute(url, "SELECT n FROM numbers");
			assertFails(database.create());
			try (Connection connection = DriverManager.getConnection(url)) {
				assertThat(connection.getMetaData().getDatabaseProductName()).isEqualTo(product);
				assertThat(connection.getMetaData().getDatabaseMajorVersion()).isEqualTo(version);
			}
		}

		private static void assertIsReachableFromThisMachineOnly(TestDatabase database) throws IOException {
			int port = URI.create(database.create().substring("jdbc:".length())).getPort();
			List<InetAddress> others = NetworkInterface.networkInterfaces()
				.flatMap(NetworkInterface::inetAddresses)
				.filter((address) -> !address.isLoopbackAddress())
				.toList();
			for (InetAddress address : others) {
				try (Socket socket = new Socket()) {
					assertThatExceptionOfType(IOException.class)
						.isThrownBy(() -> socket.connect(new InetSocketAddress(address, port), 1000));
				}
			}
		}

		private static void assertFails(String url) {
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> execute(url, "SELECT n FROM numbers"));
		}

		private static void execute(String url, String statement) throws SQLException {
			try (Connection connection = DriverManager.getConnection(url)) {
				connection.createStatement().execute(statement);
			}
		}

	}

}
