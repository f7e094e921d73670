package io.tierlimit.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Supplier;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The database of the application, which contains the tables of Tierlimit. Threads that
 * serve requests never call its methods.
 */
public final class JdbcDatabase {

	/**
	 * The timeout is long enough for a table with many rows, and short enough to detect a
	 * lock.
	 */
	private static final Duration QUERY_TIMEOUT = Duration.ofSeconds(30);

	private final DataSource dataSource;

	private final SchemaInitialization initialization;

	private final int queryTimeout;

	/**
	 * Has no timeout, because a script may wait a long time for scripts of other
	 * instances.
	 */
	private final JdbcTemplate untimed;

	private final TransactionTemplate transactions;

	private final TransactionTemplate snapshots;

	private volatile @Nullable JdbcTemplate template;

	private volatile @Nullable DatabaseProduct product;

	/**
	 * Creates an instance whose statements may take at most 30 seconds. It connects with
	 * the first call of another method.
	 * @param dataSource connects to the database
	 * @param initialization when tables are created
	 */
	public JdbcDatabase(DataSource dataSource, SchemaInitialization initialization) {
		this(dataSource, initialization, QUERY_TIMEOUT);
	}

	/**
	 * Creates an instance. It connects with the first call of another method.
	 * @param dataSource connects to the database
	 * @param initialization when tables are created
	 * @param queryTimeout the maximum time of a statement, rounded up to whole seconds
	 */
	public JdbcDatabase(DataSource dataSource, SchemaInitialization initialization, Duration queryTimeout) {
		this.dataSource = dataSource;
		this.initialization = initialization;
		this.queryTimeout = (int) queryTimeout.plusNanos(999_999_999).toSeconds();
		this.untimed = new JdbcTemplate(dataSource);
		this.transactions = new TransactionTemplate(new JdbcTransactionManager(dataSource));
		this.snapshots = new TransactionTemplate(new JdbcTransactionManager(dataSource));
		this.snapshots.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		this.snapshots.setReadOnly(true);
	}

	/**
	 * Creates tables that do not exist, if the setting requires it. Several instances can
	 * call this method at the same time.
	 * @param script the name of the scripts without the database: {@code audit} stands
	 * for {@code audit-h2.sql}, {@code audit-mysql.sql} and {@code audit-postgresql.sql}
	 * @throws org.springframework.dao.DataAccessException if the database cannot be
	 * reached, or rejects the script
	 * @throws IllegalStateException if there is no script for the database
	 */
	public void createTables(String script) {
		DatabaseProduct product = product();
		if (this.initialization == SchemaInitialization.ALWAYS
				|| (this.initialization == SchemaInitialization.EMBEDDED && isInMemory())) {
			String name = script + "-" + product.name().toLowerCase(Locale.ROOT) + ".sql";
			this.transactions.executeWithoutResult((transaction) -> {
				product.awaitOtherScripts(this.untimed);
				new ResourceDatabasePopulator(new ClassPathResource(name, JdbcDatabase.class)).execute(this.dataSource);
			});
		}
	}

	/**
	 * Executes statements on tables that may not exist. If they fail because a table or a
	 * column is missing, tables are created as {@link #createTables} does, and the
	 * statements are executed once more.
	 * @param <T> the type of the result
	 * @param script the name of the scripts of the tables
	 * @param statements executes the statements
	 * @return the result of the statements
	 * @throws org.springframework.dao.DataAccessException if the database cannot be
	 * reached, or rejects the script
	 * @throws IllegalStateException if a table or a column is missing and was not created
	 */
	public <T extends @Nullable Object> T withTables(String script, Supplier<T> statements) {
		try {
			return statements.get();
		}
		catch (BadSqlGrammarException ex) {
			createTables(script);
		}
		try {
			return statements.get();
		}
		catch (BadSqlGrammarException ex) {
			throw new IllegalStateException("the table does not exist, or differs from the script of Tierlimit ("
					+ RetriedStep.cause(ex) + "). Create it, or set tierlimit.jdbc.initialize-schema to always", ex);
		}
	}

	/**
	 * The template for statements. A statement that takes longer than the timeout is
	 * canceled. H2 has no such timeout: H2 would also apply it to later statements of the
	 * connection, and has its own timeout for locks.
	 * @return a template on the database
	 * @throws org.springframework.dao.DataAccessException if the database cannot be
	 * reached
	 */
	public JdbcTemplate template() {
		JdbcTemplate known = this.template;
		if (known == null) {
			known = new JdbcTemplate(this.dataSource);
			known.setQueryTimeout(isH2() ? -1 : this.queryTimeout);
			this.template = known;
		}
		return known;
	}

	/**
	 * The timeout of statements.
	 * @return the maximum time of a statement
	 */
	public Duration queryTimeout() {
		return Duration.ofSeconds(this.queryTimeout);
	}

	/** Does not call {@link #product()}, which requires a supported database. */
	private boolean isH2() {
		return query((connection) -> connection.getMetaData().getDatabaseProductName().equals("H2"));
	}

	/**
	 * The template for transactions.
	 * @return a template whose transactions include the statements of {@link #template()}
	 */
	public TransactionTemplate transactions() {
		return this.transactions;
	}

	/**
	 * The template for transactions that read a snapshot: the rows of one point in time.
	 * @return a template whose transactions include the statements of {@link #template()}
	 */
	public TransactionTemplate snapshots() {
		return this.snapshots;
	}

	/**
	 * Executes a statement in a transaction, because a pool may have connections without
	 * auto-commit.
	 * @param statement the statement
	 * @param parameters its parameters
	 * @throws org.springframework.dao.DataAccessException if the database cannot be
	 * reached, or rejects the statement
	 */
	public void update(String statement, @Nullable Object... parameters) {
		this.transactions.executeWithoutResult((transaction) -> template().update(statement, parameters));
	}

	/**
	 * Inserts a row, or changes the given columns of the row with the same key. Several
	 * instances can call this method at the same time. (If they deleted and inserted the
	 * row instead, one of two transactions would fail.)
	 * @param table the table
	 * @param columns the columns, the first of which is the key of the table
	 * @param values the values of the columns
	 * @throws org.springframework.dao.DataAccessException if the database cannot be
	 * reached, or rejects the row
	 */
	public void upsert(String table, List<String> columns, @Nullable Object... values) {
		update(product().upsert(table, columns), values);
	}

	/**
	 * Reads the version of tables, which differs after each change of their rows.
	 * @param name the name of the tables in {@code tierlimit_version}
	 * @return the version; 0 before the first change
	 * @throws org.springframework.dao.DataAccessException if the database cannot be
	 * reached, or lacks the table of versions
	 */
	public long version(String name) {
		List<Long> versions = template().queryForList("SELECT version FROM tierlimit_version WHERE name = ?",
				Long.class, name);
		return versions.isEmpty() ? 0 : versions.get(0);
	}

	/**
	 * Opens a connection that receives the notifications of triggers.
	 * @return the connection; {@code null} if the database is not PostgreSQL, or its
	 * driver is not the driver of the PostgreSQL project
	 */
	@Nullable NotificationListener listen() throws SQLException {
		return (product() == DatabaseProduct.POSTGRESQL) ? NotificationListener.open(this.dataSource) : null;
	}

	/**
	 * Converts a timestamp to a parameter of a statement.
	 * @param timestamp any timestamp
	 * @return the timestamp in the type that the database requires
	 */
	public Object parameter(Instant timestamp) {
		return product().timestamp(timestamp);
	}

	/**
	 * Reads a timestamp.
	 * @param row a row of a result
	 * @param column the name of the column
	 * @return the timestamp; {@code null} if the column is null
	 * @throws SQLException if the row has no such column
	 */
	public @Nullable Instant timestamp(ResultSet row, String column) throws SQLException {
		return product().timestamp(row, column);
	}

	private DatabaseProduct product() {
		DatabaseProduct known = this.product;
		if (known == null) {
			known = query(DatabaseProduct::of);
			this.product = known;
		}
		return known;
	}

	private boolean isInMemory() {
		String url = query((connection) -> String.valueOf(connection.getMetaData().getURL()));
		return url.startsWith("jdbc:h2:mem:");
	}

	private <T> T query(ConnectionCallback<T> callback) {
		return Objects.requireNonNull(this.untimed.execute(callback));
	}

}
