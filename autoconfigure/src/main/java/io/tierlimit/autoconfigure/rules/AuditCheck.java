package io.tierlimit.autoconfigure.rules;

import java.util.List;

import javax.sql.DataSource;

import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.util.ClassUtils;

/**
 * Checks whether an audit that is enabled has a database. Slices of tests have no audit,
 * so they need none.
 */
final class AuditCheck {

	private static final ConfigurationPropertyName ENABLED = ConfigurationPropertyName
		.of("tierlimit.audit.jdbc.enabled");

	private static final ConfigurationPropertyName DATA_SOURCE = ConfigurationPropertyName
		.of("tierlimit.jdbc.data-source");

	/** The configuration that is absent if the audit is disabled. */
	private static final String CONFIGURATION = "io.tierlimit.autoconfigure.TierlimitAuditAutoConfiguration";

	private static final String TEMPLATE = "org.springframework.jdbc.core.JdbcTemplate";

	private final ConfigurableListableBeanFactory beans;

	private final PropertyOrigins places;

	private final Problems problems;

	AuditCheck(ConfigurableListableBeanFactory beans, PropertyOrigins places, Problems problems) {
		this.beans = beans;
		this.places = places;
		this.problems = problems;
	}

	void check(TierlimitProperties properties) {
		boolean enabled = properties.audit().jdbc().enabled();
		boolean present = this.beans.containsBean(CONFIGURATION);
		if (enabled != present && AotDetector.useGeneratedArtifacts()) {
			this.problems.add(
					"tierlimit.audit.jdbc.enabled is " + enabled + ", but was " + present
							+ " when the application was processed ahead of time",
					"Build the application again with this value and its profiles, or change {}",
					this.places.find(ENABLED));
		}
		else if (enabled && present) {
			checkDataSources(properties.jdbc().dataSource());
		}
	}

	private void checkDataSources(@Nullable String configured) {
		List<String> names = List.of(this.beans.getBeanNamesForType(DataSource.class, true, false));
		if (!ClassUtils.isPresent(TEMPLATE, this.beans.getBeanClassLoader())) {
			this.problems.add(
					"tierlimit.audit.jdbc.enabled is true, but org.springframework:spring-jdbc is not on the class path",
					"Add spring-boot-starter-jdbc, or set {} to false", this.places.find(ENABLED));
		}
		else if (names.isEmpty()) {
			this.problems.add("tierlimit.audit.jdbc.enabled is true, but there is no DataSource bean",
					"Define such a bean, or set {} to false", this.places.find(ENABLED));
		}
		else if (configured != null && !names.contains(configured)) {
			this.problems.add(
					"tierlimit.jdbc.data-source is '" + configured + "', but the DataSource beans are " + names,
					"Correct", this.places.find(DATA_SOURCE));
		}
	}

}
