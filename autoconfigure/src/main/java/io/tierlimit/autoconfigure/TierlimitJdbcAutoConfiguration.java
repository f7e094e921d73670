package io.tierlimit.autoconfigure;

import javax.sql.DataSource;

import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.jdbc.JdbcDatabase;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Configures the database with the tables of Tierlimit: a DataSource of the application.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "tierlimit.enabled", matchIfMissing = true)
@ConditionalOnClass(JdbcTemplate.class)
public final class TierlimitJdbcAutoConfiguration {

	/**
	 * Lazy, because only tables that are enabled require a choice between several
	 * DataSource beans.
	 */
	@Bean
	@Lazy
	JdbcDatabase rateLimitDatabase(ListableBeanFactory beans, TierlimitProperties properties) {
		TierlimitProperties.Jdbc jdbc = properties.jdbc();
		return new JdbcDatabase(ChosenBean.of(DataSource.class, "tierlimit.jdbc.data-source", jdbc.dataSource(), beans),
				jdbc.initializeSchema());
	}

}
