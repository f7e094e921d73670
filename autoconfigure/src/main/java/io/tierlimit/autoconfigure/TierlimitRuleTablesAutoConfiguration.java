package io.tierlimit.autoconfigure;

import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.jdbc.JdbcDatabase;
import io.tierlimit.jdbc.TableWatcher;
import io.tierlimit.rule.jdbc.RuleTables;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.util.ClassUtils;

/**
 * Configures the tables of rules. If the tables are enabled but cannot be used, the
 * application does not start.
 */
@AutoConfiguration(after = TierlimitJdbcAutoConfiguration.class, before = TierlimitAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "tierlimit.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty("tierlimit.jdbc.rules.enabled")
public final class TierlimitRuleTablesAutoConfiguration {

	/**
	 * The source of rules, and the task that detects changes of its tables.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(JdbcTemplate.class)
	static final class Reading {

		private static final boolean NOTIFICATIONS = ClassUtils.isPresent("org.postgresql.PGConnection",
				Reading.class.getClassLoader());

		/** Created after migration tools, such as Flyway, have created the tables. */
		@Bean
		@DependsOnDatabaseInitialization
		RuleTables rateLimitRuleTables(JdbcDatabase database) {
			return new RuleTables(database);
		}

		@Bean
		@Lazy(false)
		TableWatcher rateLimitTableWatcher(JdbcDatabase database, RuleTables rules, RuleReloader reloader,
				TierlimitProperties properties) {
			return new TableWatcher(database, properties.jdbc().refresh(), NOTIFICATIONS,
					() -> rules.reloadIfChanged(reloader::reload));
		}

	}

}
