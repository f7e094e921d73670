package io.tierlimit.autoconfigure;

import io.tierlimit.jdbc.JdbcDatabase;
import io.tierlimit.plan.jdbc.PlanCache;
import io.tierlimit.plan.jdbc.PlanTable;
import io.tierlimit.spi.PlanResolver;
import io.tierlimit.store.Ticker;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Configures the table of the plans of users. If the table is enabled but cannot be used,
 * the application does not start.
 */
@AutoConfiguration(after = TierlimitJdbcAutoConfiguration.class, before = TierlimitAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "tierlimit.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty("tierlimit.plan.jdbc.enabled")
public final class TierlimitPlanTableAutoConfiguration {

	/**
	 * The cache of plans, which reads the table.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(JdbcTemplate.class)
	@ConditionalOnMissingBean(PlanResolver.class)
	static final class Reading {

		/** Created after migration tools, such as Flyway, have created the table. */
		@Bean
		@DependsOn("rateLimitConfiguredRules")
		@DependsOnDatabaseInitialization
		@Lazy(false)
		PlanCache rateLimitPlanCache(JdbcDatabase database, Ticker ticker) {
			return new PlanCache(new PlanTable(database), ticker);
		}

	}

}
