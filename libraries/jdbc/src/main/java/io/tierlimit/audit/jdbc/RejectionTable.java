package io.tierlimit.audit.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;

import io.tierlimit.RuleDecision;
import io.tierlimit.jdbc.JdbcDatabase;
import io.tierlimit.key.KeyHash;
import io.tierlimit.logging.PrintableText;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * The table of rejections. A new instance does not connect.
 *
 * @param database has the table
 * @param hash hashes users and addresses, as in keys
 */
public record RejectionTable(JdbcDatabase database, KeyHash hash) {

	private static final String NAME = "audit";

	private static final String INSERT = "INSERT INTO tierlimit_rejection (rejected_at, rule_id, bucket_key, plan_name, "
			+ "user_name, address, endpoint, cost, remaining, retry_after_ms, shadow) "
			+ "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

	private static final String SELECT_OLDEST = "SELECT id FROM tierlimit_rejection WHERE rejected_at < ? "
			+ "ORDER BY rejected_at LIMIT ?";

	private static final String DELETE = "DELETE FROM tierlimit_rejection WHERE id IN ";

	/**
	 * The rows are inserted in groups of this size. The timeout applies to each group.
	 */
	private static final int ROWS_PER_GROUP = 100;

	/**
	 * Inserts all rejections or none. If the table does not exist, it is created if the
	 * settings of the database allow this.
	 */
	void insert(List<Rejection> rejections) {
		this.database.withTables(NAME, () -> this.database.transactions()
			.execute((status) -> this.database.template().batchUpdate(INSERT, rejections, ROWS_PER_GROUP, this::set)));
	}

	/**
	 * Deletes the oldest rows before a timestamp. Several instances can call this method
	 * at the same time.
	 * @return the number of rows that were found, at most {@code max}
	 */
	int deleteBefore(Instant timestamp, int max) throws DataAccessException {
		List<Long> ids = this.database.withTables(NAME, () -> this.database.template()
			.queryForList(SELECT_OLDEST, Long.class, this.database.parameter(timestamp), max));
		if (!ids.isEmpty()) {
			String parameters = String.join(", ", Collections.nCopies(ids.size(), "?"));
			this.database.update(DELETE + "(" + parameters + ")", ids.toArray());
		}
		return ids.size();
	}

	private void set(PreparedStatement row, Rejection rejection) throws SQLException {
		RuleDecision decision = rejection.decision();
		row.setObject(1, this.database.parameter(rejection.at()));
		row.setString(2, decision.rule());
		row.setString(3, text(decision.key(), 1000));
		row.setString(4, text(decision.plan(), 255));
		row.setString(5, text(fact(rejection.user()), 255));
		row.setString(6, text(fact(rejection.address()), 64));
		row.setString(7, (rejection.endpoint() != null) ? text(rejection.endpoint().toString(), 1000) : null);
		row.setLong(8, decision.cost());
		row.setLong(9, decision.decision().remaining());
		row.setObject(10, millis(decision.decision().retryAfter()));
		row.setBoolean(11, decision.shadow());
	}

	private @Nullable String fact(@Nullable String fact) {
		return (fact != null) ? this.hash.key(fact) : null;
	}

	/**
	 * A wait in milliseconds, rounded up, so that the bucket has enough permits
	 * afterwards. The column is null if the request can never be allowed, and if the wait
	 * is not known.
	 */
	private static @Nullable Long millis(@Nullable Duration wait) {
		return (wait != null) ? wait.plusNanos(999_999).toMillis() : null;
	}

	/**
	 * Shortens a string, and replaces characters that a database rejects. The string may
	 * be client-supplied.
	 */
	private static @Nullable String text(@Nullable String text, int maxLength) {
		return (text != null) ? PrintableText.of(text.substring(0, Math.min(text.length(), maxLength))) : null;
	}

}
