package io.tierlimit.database;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Tag("slow")
class TestDatabaseTests {

	@ParameterizedTest
	@CsvSource({ "H2, H2, 2", "POSTGRESQL, PostgreSQL, 18", "MARIADB, MariaDB, 11" })
	void databaseIsARealOne(TestDatabase database, String product, int version) throws SQLException {
		try (Connection connection = DriverManager.getConnection(database.create())) {
			assertThat(connection.getMetaData().getDatabaseProductName()).isEqualTo(product);
			assertThat(connection.getMetaData().getDatabaseMajorVersion()).isEqualTo(version);
		}
	}

	@ParameterizedTest
	@EnumSource
	void eachDatabaseIsEmptyAndOutlivesItsConnections(TestDatabase database) throws SQLException {
		String first = database.create();
		execute(first, "CREATE TABLE numbers (n INT)");
		execute(first, "INSERT INTO numbers VALUES (1)");
		assertThat(count(first)).isEqualTo(1);
		String second = database.create();
		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> count(second));
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "H2")
	void serverIsReachableFromThisMachineOnly(TestDatabase database) throws SocketException {
		int port = URI.create(database.create().substring("jdbc:".length())).getPort();
		List<InetAddress> others = NetworkInterface.networkInterfaces()
			.flatMap(NetworkInterface::inetAddresses)
			.filter((address) -> !address.isLoopbackAddress())
			.toList();
		for (InetAddress address : others) {
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> connect(address, port));
		}
	}

	@Test
	void stoppedServerRejectsConnectionsAndReturnsWithItsDatabases() throws SQLException {
		String url = TestDatabase.POSTGRESQL.create();
		execute(url, "CREATE TABLE numbers (n INT)");
		try (Connection open = DriverManager.getConnection(url)) {
			PostgreSql.server().stop();
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> open.createStatement().execute("SELECT 1"));
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> count(url));
		}
		finally {
			PostgreSql.server().start();
		}
		assertThat(count(url)).isZero();
	}

	@Test
	void frozenServerRepliesAfterResume() throws Exception {
		String url = TestDatabase.POSTGRESQL.create();
		execute(url, "CREATE TABLE numbers (n INT)");
		ExecutorService threads = Executors.newSingleThreadExecutor();
		try (Connection open = DriverManager.getConnection(url)) {
			Future<?> reply;
			PostgreSql.server().freeze();
			try {
				reply = threads.submit(() -> open.createStatement().execute("SELECT 1"));
				assertThatExceptionOfType(SQLException.class)
					.isThrownBy(() -> count(url + "&connectTimeout=1&socketTimeout=1"));
				assertThat(reply.isDone()).isFalse();
			}
			finally {
				PostgreSql.server().resume();
			}
			reply.get(60, TimeUnit.SECONDS);
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(count(url)).isZero();
	}

	private static void connect(InetAddress address, int port) throws IOException {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(address, port), 1000);
		}
	}

	private static void execute(String url, String statement) throws SQLException {
		try (Connection connection = DriverManager.getConnection(url); Statement sql = connection.createStatement()) {
			sql.execute(statement);
		}
	}

	private static int count(String url) throws SQLException {
		try (Connection connection = DriverManager.getConnection(url);
				Statement sql = connection.createStatement();
				ResultSet result = sql.executeQuery("SELECT COUNT(*) FROM numbers")) {
			assertThat(result.next()).isTrue();
			return result.getInt(1);
		}
	}

}
