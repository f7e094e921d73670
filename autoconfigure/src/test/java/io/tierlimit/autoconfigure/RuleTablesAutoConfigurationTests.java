package io.tierlimit.autoconfigure;

import java.util.Map;
import java.util.Objects;

import javax.sql.DataSource;

import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.database.TestDatabase;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.jdbc.TableWatcher;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.jdbc.RuleTables;
import io.tierlimit.spi.RuleSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
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
	void tablesAreReadAndWatchedIfTheyAreEnabled() {
		withDatabase(this.enabled).run((context) -> {
			assertThat(context).hasSingleBean(RuleTables.class);
			assertThat(context.getBean(TableWatcher.class).isRunning()).isTrue();
		});
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

	private static Rule rule(AssertableWebApplicationContext context, String id) {
		return Objects.requireNonNull(context.getBean(ActiveRules.class).current().rule(id)).rule();
	}

	private WebApplicationContextRunner withDatabase(WebApplicationContextRunner runner) {
		return runner.withBean("database", DataSource.class, () -> new DriverManagerDataSource(this.url));
	}

}
