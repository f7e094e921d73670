package io.tierlimit.rule.jdbc;

import java.util.Map;

import javax.sql.DataSource;

import io.tierlimit.database.TestDatabase;
import io.tierlimit.jdbc.JdbcDatabase;
import io.tierlimit.jdbc.SchemaInitialization;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * A database with empty tables of rules.
 *
 * @param dataSource connects to the database
 * @param template executes statements of operators
 * @param tables the tables, which have been read once
 */
record RuleDatabase(DataSource dataSource, JdbcTemplate template, RuleTables tables) {

	static RuleDatabase create(TestDatabase kind) throws Exception {
		DataSource dataSource = dataSource(kind);
		RuleTables tables = tables(dataSource);
		tables.read();
		return new RuleDatabase(dataSource, new JdbcTemplate(dataSource), tables);
	}

	/** The overrides, as the next reload reads them. */
	Map<String, Map<String, String>> overrides() throws Exception {
		this.tables.read();
		return this.tables.readOverrides();
	}

	/** The tables, as another instance of the application reads them. */
	static RuleTables tables(DataSource dataSource) {
		return new RuleTables(new JdbcDatabase(dataSource, SchemaInitialization.ALWAYS));
	}

	static DataSource dataSource(TestDatabase kind) {
		return new DriverManagerDataSource(kind.create());
	}

}
