package io.tierlimit.autoconfigure;

import java.util.List;

import javax.sql.DataSource;

import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.jdbc.JdbcDatabase;
import io.tierlimit.rule.InvalidRulesException;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Configures the database with the tables of Tierlimit: a DataSource of the application.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "tierlimit.enabled", matchIfMissing = true)
@ConditionalOnClass(JdbcTemplate.class)
@ImportRuntimeHints(TierlimitJdbcAutoConfiguration.ScriptHints.class)
public final class TierlimitJdbcAutoConfiguration {

	/** Only what uses it requires that a DataSource is chosen. */
	@Bean
	@Lazy
	JdbcDatabase rateLimitDatabase(ListableBeanFactory beans, ObjectProvider<DataSource> dataSources,
			TierlimitProperties properties) {
		String name = properties.jdbc().dataSource();
		DataSource dataSource = (name != null) ? beans.getBean(name, DataSource.class) : dataSources.getIfUnique();
		if (dataSource == null) {
			throw new InvalidRulesException(List
				.of("tierlimit.jdbc.data-source is required, because there are several DataSource beans: " + List
					.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, DataSource.class, true, false))
						+ ". Set it to the name of one of them."));
		}
		return new JdbcDatabase(dataSource, properties.jdbc().initializeSchema(), properties.jdbc().queryTimeout());
	}

	/** Includes the scripts in a native image. */
	static final class ScriptHints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern("io/tierlimit/jdbc/*.sql");
		}

	}

}
