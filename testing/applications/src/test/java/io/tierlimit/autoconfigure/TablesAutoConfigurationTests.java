package io.tierlimit.autoconfigure;

import javax.sql.DataSource;

import io.tierlimit.database.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.SpringProperties;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the common requirements of the tables of rejections, rules and plans: the
 * property that enables each of them, and the database.
 */
@Tag("slow")
@ParameterizedClass
@CsvSource({
		"tierlimit.audit.jdbc.enabled, io.tierlimit.autoconfigure.TierlimitAuditAutoConfiguration, rateLimitAuditWriter",
		"tierlimit.jdbc.rules.enabled, io.tierlimit.autoconfigure.TierlimitRuleTablesAutoConfiguration, rateLimitTableWatcher",
		"tierlimit.plan.jdbc.enabled, io.tierlimit.autoconfigure.TierlimitPlanTableAutoConfiguration, rateLimitPlanCache" })
class TablesAutoConfigurationTests {

	private final WebApplicationContextRunner slice = new WebApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class))
		.withPropertyValues("tierlimit.rules.r.rate=1/d");

	private final String url = TestDatabase.H2.create();

	private final String property;

	private final Class<?> configuration;

	private final String bean;

	TablesAutoConfigurationTests(String property, Class<?> configuration, String bean) {
		this.property = property;
		this.configuration = configuration;
		this.bean = bean;
	}

	@Test
	void tablesAreOffByDefault() {
		withDatabase(withTables()).run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(this.bean));
	}

	@Test
	void applicationWithoutADatabaseStarts() {
		withTables().run((context) -> assertThat(context).hasNotFailed());
		withTables().withClassLoader(new FilteredClassLoader(JdbcTemplate.class))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void tablesAreUsedWithLazyInitialization() {
		withDatabase(enabled(withTables()))
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> assertThat(context.getBeanFactory().containsSingleton(this.bean)).isTrue());
	}

	@Test
	void tablesOfADisabledLimiterAreNotUsed() {
		enabled(withTables()).withPropertyValues("tierlimit.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(this.bean));
	}

	@Test
	void missingDataSourceFailsStartup() {
		enabled(withTables()).run((context) -> assertThat(context).getFailure()
			.hasStackTraceContaining(this.property + " is true, but there is no DataSource bean. Add "
					+ "spring-boot-starter-jdbc or define such a bean, or change " + this.property + " (test)."));
		enabled(withTables()).withClassLoader(new FilteredClassLoader(JdbcTemplate.class))
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining(this.property + " is true, but org.springframework:spring-jdbc is not on the "
						+ "class path. Add it, or change " + this.property + " (test)."));
	}

	/** The beans were selected by another value of the property at build time. */
	@Test
	void valueThatDiffersFromTheBuildFailsStartup() {
		aheadOfTime(() -> {
			this.slice.run((context) -> assertThat(context).hasNotFailed());
			enabled(this.slice).run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining(this.property + " is true, but was false when"));
			this.slice.withBean(this.configuration.getName(), Object.class)
				.withPropertyValues(this.property + "=false")
				.run((context) -> assertThat(context).getFailure()
					.hasStackTraceContaining(this.property + " is false, but was true when"));
		});
	}

	/** Test slices do not have the auto-configurations of the tables. */
	@Test
	void sliceOfATestNeedsNoDatabase() {
		enabled(this.slice).run((context) -> assertThat(context).hasNotFailed());
	}

	private WebApplicationContextRunner withTables() {
		return this.slice
			.withConfiguration(AutoConfigurations.of(TierlimitJdbcAutoConfiguration.class, this.configuration));
	}

	private WebApplicationContextRunner enabled(WebApplicationContextRunner runner) {
		return runner.withPropertyValues(this.property + "=true");
	}

	private WebApplicationContextRunner withDatabase(WebApplicationContextRunner runner) {
		return runner.withBean("database", DataSource.class, () -> new DriverManagerDataSource(this.url));
	}

	private static void aheadOfTime(Runnable test) {
		SpringProperties.setFlag("spring.aot.enabled");
		try {
			test.run();
		}
		finally {
			SpringProperties.setProperty("spring.aot.enabled", null);
		}
	}

}
