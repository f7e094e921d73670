package io.tierlimit.autoconfigure;

import java.util.Map;

import javax.sql.DataSource;

import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.database.TestDatabase;
import io.tierlimit.jdbc.TableWatcher;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.spi.RuleSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class RuleTablesAutoConfigurationTests {

	private final String url = TestDatabase.H2.create();

	private final WebApplicationContextRunner enabled = new WebApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class,
						TierlimitJdbcAutoConfiguration.class, TierlimitRuleTablesAutoConfiguration.class))
		.withBean("database", DataSource.class, () -> new DriverManagerDataSource(this.url))
		.withPropertyValues("tierlimit.rules.r.rate=1/d", "tierlimit.jdbc.rules.enabled=true");

	@Test
	void sourcesOfTheApplicationOverrideTheTables() {
		this.enabled.run((context) -> {
			assertThat(context.getBean(TableWatcher.class).isRunning()).isTrue();
			new JdbcTemplate(context.getBean(DataSource.class))
				.update("INSERT INTO tierlimit_rule (rule_id, rate, burst) VALUES ('r', '2/d', '3')");
		});
		this.enabled.withBean("flags", RuleSource.class, () -> () -> Map.of("r", Map.of("rate", "9/d")))
			.run((context) -> {
				assertThat(context.getBean(ConfiguredRules.class).rules().rules().get(0).limits().standard())
					.isEqualTo(new TokenBucket(Rate.parse("9/d"), 3));
				assertThat(context.getBean(ConfiguredRules.class).origin("r")).contains("bean 'flags'");
			});
	}

}
