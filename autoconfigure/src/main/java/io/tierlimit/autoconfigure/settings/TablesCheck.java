package io.tierlimit.autoconfigure.settings;

import java.util.List;

import javax.sql.DataSource;

import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Checks whether tables that are enabled have a database. Slices of tests have no tables,
 * so they need none.
 *
 * @param beans has the databases
 * @param problems collects the problems
 */
record TablesCheck(ConfigurableListableBeanFactory beans, SettingsProblems problems) {

	private static final String TEMPLATE = "org.springframework.jdbc.core.JdbcTemplate";

	void check(TierlimitProperties properties) {
		String dataSource = properties.jdbc().dataSource();
		check("tierlimit.audit.jdbc.enabled", properties.audit().jdbc().enabled(), "TierlimitAuditAutoConfiguration",
				dataSource);
		check("tierlimit.jdbc.rules.enabled", properties.jdbc().rules().enabled(),
				"TierlimitRuleTablesAutoConfiguration", dataSource);
		check("tierlimit.plan.jdbc.enabled", properties.plan().jdbc().enabled(), "TierlimitPlanTableAutoConfiguration",
				dataSource);
	}

	/**
	 * Checks the tables that a property enables.
	 * @param configuration the configuration that is absent if they are disabled
	 */
	private void check(String property, boolean enabled, String configuration, @Nullable String dataSource) {
		boolean present = this.beans.containsBean("io.tierlimit.autoconfigure." + configuration);
		if (enabled != present && AotDetector.useGeneratedArtifacts()) {
			this.problems.add(
					property + " is " + enabled + ", but was " + present
							+ " when the application was processed ahead of time",
					"Build the application again with this value and its profiles, or change {}", property);
		}
		else if (enabled && present) {
			checkDataSources(property, dataSource);
		}
	}

	private void checkDataSources(String property, @Nullable String configured) {
		List<String> names = List.of(this.beans.getBeanNamesForType(DataSource.class, true, false));
		if (!ClassUtils.isPresent(TEMPLATE, this.beans.getBeanClassLoader())) {
			this.problems.add(property + " is true, but org.springframework:spring-jdbc is not on the class path",
					"Add spring-boot-starter-jdbc, or set {} to false", property);
		}
		else if (names.isEmpty()) {
			this.problems.add(property + " is true, but there is no DataSource bean",
					"Define such a bean, or set {} to false", property);
		}
		else if (configured != null && !names.contains(configured)) {
			this.problems.add(
					"tierlimit.jdbc.data-source is '" + configured + "', but the DataSource beans are " + names,
					"Correct", "tierlimit.jdbc.data-source");
		}
	}

}
