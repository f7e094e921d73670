package io.tierlimit.rule.jdbc;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Map;

import io.tierlimit.jdbc.JdbcDatabase;
import io.tierlimit.spi.OverrideStore;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;

/**
 * Rules and overrides in the tables of the application's database. A table in the
 * database contains a version, which changes with each row.
 */
public final class RuleTables implements OverrideStore {

	private static final String NAME = "rules";

	private final JdbcDatabase database;

	/**
	 * The version of the rows that were read last; {@code null} if they could not be
	 * read.
	 */
	private volatile @Nullable Long version;

	private volatile RuleRows rows = new RuleRows();

	private volatile Map<String, Map<String, String>> overrides = Map.of();

	/**
	 * Creates a source, which does not connect before it is read.
	 * @param database has the tables
	 */
	public RuleTables(JdbcDatabase database) {
		this.database = database;
	}

	/**
	 * Reads all rows. If the tables do not exist, they are created if the settings of the
	 * database allow this.
	 */
	@Override
	public Map<String, Map<String, String>> read() throws Exception {
		this.version = null;
		try {
			return this.database.withTables(NAME, this::readTables);
		}
		catch (QueryTimeoutException ex) {
			throw new IllegalStateException(
					"a statement on the tables of rules took longer than " + this.database.queryTimeout().toSeconds()
							+ " s and was canceled. Another transaction may have locked a table: end it",
					ex);
		}
		catch (DataAccessException ex) {
			throw cause(ex);
		}
	}

	/**
	 * The exception of the driver, whose message Spring's exception does not contain.
	 */
	private static Exception cause(DataAccessException failure) {
		Exception cause = failure;
		while (cause.getCause() instanceof SQLException next) {
			cause = next;
		}
		return cause;
	}

	private Map<String, Map<String, String>> readTables() {
		// The version is read first, so that a change that is committed in between is
		// found later.
		long version = this.database.version(NAME);
		RuleRows rows = new RuleRows();
		OverrideRows overrides = new OverrideRows(this.database);
		Object now = this.database.parameter(Instant.now());
		this.database.snapshots().executeWithoutResult((transaction) -> {
			this.database.template().query(RuleRows.SELECT, rows::add);
			this.database.template().query(OverrideRows.SELECT, overrides::add, now);
		});
		this.rows = rows;
		this.overrides = overrides.overrides();
		this.version = version;
		return rows.properties();
	}

	@Override
	public @Nullable String placeOf(String rule, String property) {
		return this.rows.placeOf(rule, property);
	}

	/** The overrides that {@link #read()} has read together with the rules. */
	@Override
	public Map<String, Map<String, String>> readOverrides() {
		return this.overrides;
	}

	@Override
	public String placeOfOverride(String id) {
		return "table tierlimit_override, row '" + id + "'";
	}

	@Override
	public void setOverride(String id, Map<String, String> properties) {
		this.database.upsert(OverrideRows.TABLE, OverrideRows.COLUMNS,
				OverrideRows.values(this.database, id, properties));
	}

	@Override
	public void removeOverride(String id) {
		this.database.update(OverrideRows.DELETE, id);
	}

	/**
	 * Reloads the rules if rows have changed, or if the rows could not be read before.
	 * @param reload reads the rules of all sources again
	 */
	public void reloadIfChanged(Runnable reload) {
		if (hasChanged()) {
			reload.run();
		}
	}

	private boolean hasChanged() {
		Long read = this.version;
		try {
			return read == null || read != this.database.version(NAME);
		}
		catch (DataAccessException ex) {
			return true; // the reload reports the failure
		}
	}

}
