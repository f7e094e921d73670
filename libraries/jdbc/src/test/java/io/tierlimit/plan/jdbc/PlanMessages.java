package io.tierlimit.plan.jdbc;

import java.time.Duration;

import javax.sql.DataSource;

import io.tierlimit.database.TestDatabase;
import io.tierlimit.jdbc.SchemaInitialization;
import io.tierlimit.jdbc.TestJdbcDatabase;
import io.tierlimit.key.ExpressionPlanResolver;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.SimulatedTicker;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Causes every message that the sources of plans log.
 */
public final class PlanMessages {

	private PlanMessages() {
	}

	public static void cause() {
		DataSource dataSource = new DriverManagerDataSource(TestDatabase.H2.create());
		SimulatedTicker clock = new SimulatedTicker();
		PlanCache cache = new PlanCache(new PlanTable(TestJdbcDatabase.of(dataSource, SchemaInitialization.NEVER)),
				clock, Duration.ofMinutes(1), 1);
		cache.readRequested();
		new JdbcTemplate(dataSource)
			.execute("CREATE TABLE tierlimit_user_plan (user_name VARCHAR(9), plan_name VARCHAR(9))");
		clock.advance(Duration.ofSeconds(1));
		cache.readRequested();
		Caller caller = new Caller() {

			@Override
			public Object claim(String name) {
				return 7;
			}

		};
		ExpressionPlanResolver.parse("claim('plan')").resolve(caller);
		ExpressionPlanResolver.parse("claim('plan').trim()").resolve(Caller.UNKNOWN);
	}

}
