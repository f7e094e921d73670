package io.tierlimit.autoconfigure;

import java.time.Duration;
import java.util.List;

import javax.sql.DataSource;

import io.tierlimit.audit.jdbc.AuditOptions;
import io.tierlimit.audit.jdbc.AuditWriter;
import io.tierlimit.audit.jdbc.RejectionQueue;
import io.tierlimit.database.TestDatabase;
import io.tierlimit.jdbc.JdbcDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class AuditAutoConfigurationTests {

	private final WebApplicationContextRunner disabled = new WebApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class,
						TierlimitJdbcAutoConfiguration.class, TierlimitAuditAutoConfiguration.class))
		.withPropertyValues("tierlimit.rules.r.rate=1/d");

	private final WebApplicationContextRunner enabled = this.disabled
		.withPropertyValues("tierlimit.audit.jdbc.enabled=true");

	@Test
	void auditRunsIfItIsEnabled() {
		with(this.enabled, "database").run((context) -> {
			assertThat(context).hasSingleBean(RejectionQueue.class);
			assertThat(context.getBean(AuditWriter.class).isRunning()).isTrue();
			assertThat(context.getBean(AuditOptions.class)).as("a thousand rejections in a second")
				.isEqualTo(new AuditOptions(false, false, 10_000, 1000, Duration.ofSeconds(1), Duration.ofDays(30)));
		});
	}

	@Test
	void severalDataSourcesNeedNoNameWithoutTables() {
		with(with(this.disabled, "one"), "two").run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void oneOfSeveralDataSourcesMustBeNamedOrPrimary() {
		WebApplicationContextRunner several = with(with(this.enabled, "one"), "two");
		several.run((context) -> assertThat(context).getFailure()
			.hasStackTraceContaining("tierlimit.jdbc.data-source is required, because there are several DataSource "
					+ "beans: [one, two]"));
		several.withPropertyValues("tierlimit.jdbc.data-source=three")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining(
						"tierlimit.jdbc.data-source is 'three', but the DataSource beans are [one, two]"));
		for (WebApplicationContextRunner second : List.of(
				several.withPropertyValues("tierlimit.jdbc.data-source=two", "tierlimit.jdbc.initialize-schema=always"),
				with(this.enabled, "one").withBean("two", DataSource.class, AuditAutoConfigurationTests::database,
						(definition) -> definition.setPrimary(true)))) {
			second.run((context) -> {
				context.getBean(JdbcDatabase.class).createTables("audit");
				assertThat(tables(context.getBean("one", DataSource.class))).isEmpty();
				assertThat(tables(context.getBean("two", DataSource.class))).isNotEmpty();
			});
		}
	}

	@Test
	void statementsMayTakeThirtySeconds() {
		this.disabled.withBean(DataSource.class, () -> new DriverManagerDataSource(TestDatabase.POSTGRESQL.create()))
			.run((context) -> assertThat(context.getBean(JdbcDatabase.class).template().getQueryTimeout())
				.isEqualTo(30));
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', textBlock = """
			audit.jdbc.retention=-1d; retention must be from 0s to 36500d (was '-1d')
			audit.jdbc.retention=36501d; retention must be from 0s to 36500d (was '36501d')
			audit.jdbc.retain=1d; tierlimit.audit.jdbc: 'retain' is not a known property
			audit.jdbc.enabled=yep; tierlimit.audit.jdbc.enabled
			jdbc.refresh=0; refresh must be from 1ms to 1d (was '0')
			jdbc.refresh=25h; refresh must be from 1ms to 1d (was '25h')
			jdbc.rules.enable=true; tierlimit.jdbc.rules: 'enable' is not a known property
			jdbc.initialize-schema=maybe; tierlimit.jdbc.initialize-schema
			""")
	void mistakeFailsStartup(String property, String message) {
		with(this.disabled, "database").withPropertyValues("tierlimit." + property)
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining(message));
	}

	private static WebApplicationContextRunner with(WebApplicationContextRunner runner, String name) {
		return runner.withBean(name, DataSource.class, AuditAutoConfigurationTests::database);
	}

	private static DataSource database() {
		return new DriverManagerDataSource(TestDatabase.H2.create());
	}

	private static List<String> tables(DataSource dataSource) {
		return new JdbcTemplate(dataSource).queryForList(
				"SELECT table_name FROM information_schema.tables WHERE LOWER(table_name) = 'tierlimit_rejection'",
				String.class);
	}

}
