package io.tierlimit.autoconfigure;

import java.util.Map;
import java.util.Objects;

import javax.sql.DataSource;

import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.database.TestDatabase;
import io.tierlimit.evaluation.RulesInForce;
import io.tierlimit.jdbc.TableWatcher;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.jdbc.RuleTables;
import io.tierlimit.spi.RuleSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.SpringProperties;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class RuleTablesAutoConfigurationTests {

	private final WebApplicationContextRunner disabled = new WebApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class,
						TierlimitJdbcAutoConfiguration.class, TierlimitRuleTablesAutoConfiguration.class))
		.withPropertyValues("tierlimit.rules.r.rate=1/d");

	private final WebApplicationContextRunner enabled = this.disabled
		.withPropertyValues("tierlimit.jdbc.rules.enabled=true");

	private final String url = TestDatabase.H2.create();

	@Test
	void tablesAreOffByDefault() {
		withDatabase(this.disabled).run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(RuleTables.class)
			.doesNotHaveBean(TableWatcher.class));
	}

	@Test
	void tablesAreReadAndWatchedIfTheyAreEnabled() {
		withDatabase(this.enabled).run((context) -> {
			assertThat(context).hasSingleBean(RuleTables.class);
			assertThat(context.getBean(TableWatcher.class).isRunning()).isTrue();
		});
	}

	@Test
	void tablesAreWatchedWithLazyInitialization() {
		withDatabase(this.enabled)
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> assertThat(context.getBeanFactory().containsSingleton("rateLimitTableWatcher")).isTrue());
	}

	@Test
	void tablesOfADisabledLimiterAreNotRead() {
		this.enabled.withPropertyValues("tierlimit.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RuleTables.class));
	}

	@Test
	void missingDataSourceStopsStartup() {
		this.enabled.run((context) -> assertThat(context).getFailure()
			.hasStackTraceContaining("tierlimit.jdbc.rules.enabled is true, but there is no DataSource bean"));
		this.enabled.withClassLoader(new FilteredClassLoader(JdbcTemplate.class))
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining(
						"tierlimit.jdbc.rules.enabled is true, but org.springframework:spring-jdbc is"));
	}

	@Test
	void sourcesOfTheApplicationOverrideTheTables() {
		WebApplicationContextRunner runner = withDatabase(this.enabled);
		runner.run((context) -> new JdbcTemplate(context.getBean(DataSource.class))
			.update("INSERT INTO tierlimit_rule (rule_id, rate, burst) VALUES ('r', '2/d', '3')"));
		runner.withBean("flags", RuleSource.class, () -> () -> Map.of("r", Map.of("rate", "9/d"))).run((context) -> {
			assertThat(rule(context, "r").limits().standard()).isEqualTo(new TokenBucket(Rate.parse("9/d"), 3));
			assertThat(context.getBean(ConfiguredRules.class).origin("r")).contains("bean 'flags'");
		});
	}

	@Test
	void valueThatDiffersFromThatAheadOfTimeStopsStartup() {
		SpringProperties.setFlag("spring.aot.enabled");
		try {
			new WebApplicationContextRunner()
				.withConfiguration(
						AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class))
				.withPropertyValues("tierlimit.rules.r.rate=1/d", "tierlimit.jdbc.rules.enabled=true")
				.run((context) -> assertThat(context).getFailure()
					.hasStackTraceContaining("tierlimit.jdbc.rules.enabled is true, but was false when"));
		}
		finally {
			SpringProperties.setProperty("spring.aot.enabled", null);
		}
	}

	/** Slices of tests do not have the auto-configuration of the tables. */
	@Test
	void sliceOfATestNeedsNoDatabase() {
		new WebApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class))
			.withPropertyValues("tierlimit.rules.r.rate=1/d", "tierlimit.jdbc.rules.enabled=true")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private static Rule rule(AssertableWebApplicationContext context, String id) {
		return Objects.requireNonNull(context.getBean(RulesInForce.class).current().rule(id)).rule();
	}

	private WebApplicationContextRunner withDatabase(WebApplicationContextRunner runner) {
		return runner.withBean("database", DataSource.class, () -> new DriverManagerDataSource(this.url));
	}

}
