package io.tierlimit.option.toy;

import java.time.Duration;

import javax.sql.DataSource;

import io.tierlimit.AppliesTo;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimited;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleDefinition;
import io.tierlimit.actuate.RateLimitsEndpoint;
import io.tierlimit.autoconfigure.TierlimitActuatorAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitJdbcAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitRuleTablesAutoConfiguration;
import io.tierlimit.database.TestDatabase;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleOptionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An option consists of two classes, and every source of rules can set it without a
 * change to any other class.
 */
@Tag("slow")
class ToyOptionTests {

	private final String url = TestDatabase.H2.create();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(TierlimitAutoConfiguration.class,
				TierlimitMethodAutoConfiguration.class, TierlimitJdbcAutoConfiguration.class,
				TierlimitRuleTablesAutoConfiguration.class, TierlimitActuatorAutoConfiguration.class))
		.withBean("reader", OptionReader.class, EveryTenthFreeReader::new)
		.withBean("factory", RuleOptionFactory.class, EveryTenthFree::factory)
		.withBean("database", DataSource.class, () -> new DriverManagerDataSource(this.url))
		.withPropertyValues("tierlimit.jdbc.rules.enabled=true", "management.endpoints.web.exposure.include=*");

	@Test
	void configurationSetsTheOption() {
		this.runner
			.withPropertyValues("tierlimit.rules.yaml.rate=1/d", "tierlimit.rules.yaml.burst=9",
					"tierlimit.rules.yaml.every-tenth-free=true", "tierlimit.rules.plain.rate=1/d",
					"tierlimit.rules.plain.burst=9")
			.run((context) -> {
				assertThat(allowedOfTen(context, "yaml")).isEqualTo(10);
				assertThat(allowedOfTen(context, "plain")).isEqualTo(9);
				assertThat(described(context, "yaml").get("everyTenthFree").booleanValue()).isTrue();
				assertThat(described(context, "plain").has("everyTenthFree")).isFalse();
			});
	}

	@Test
	void codeSetsTheOption() {
		this.runner
			.withBean("code", RuleDefinition.class,
					() -> RuleDefinition.of("code")
						.appliesTo(AppliesTo.CODE)
						.rate(1, Duration.ofDays(1))
						.burst(9)
						.property("every-tenth-free", "true"))
			.run((context) -> assertThat(allowedOfTen(context, "code")).isEqualTo(10));
	}

	@Test
	void annotationSetsTheOption() {
		this.runner.withBean(Service.class)
			.run((context) -> assertThat(allowedOfTen(context, "annotated")).isEqualTo(10));
	}

	@Test
	void tableSetsTheOptionAndOverridesTheConfiguration() {
		this.runner
			.withPropertyValues("tierlimit.rules.both.rate=1/d", "tierlimit.rules.both.burst=9",
					"tierlimit.rules.both.every-tenth-free=true")
			.run((context) -> {
				JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
				jdbc.update("INSERT INTO tierlimit_rule (rule_id, rate, burst, properties) VALUES ('row', '1/d', '9', "
						+ "'every-tenth-free=true')");
				jdbc.update("INSERT INTO tierlimit_rule (rule_id, properties) VALUES ('both', "
						+ "'every-tenth-free=false')");
				context.getBean(RuleReloader.class).reload();
				assertThat(allowedOfTen(context, "row")).isEqualTo(10);
				assertThat(allowedOfTen(context, "both")).isEqualTo(9);
				assertThat(described(context, "row").get("everyTenthFree").booleanValue()).isTrue();
			});
	}

	@Test
	void mistakeIsReportedWithItsPlace() {
		this.runner.withPropertyValues("tierlimit.rules.yaml.rate=1/d", "tierlimit.rules.yaml.every-tenth-free=often")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessage("Rule 'yaml': every-tenth-free must be true or false (was 'often'). Correct "
						+ "tierlimit.rules.yaml.every-tenth-free (test)."));
	}

	private static long allowedOfTen(ApplicationContext context, String rule) {
		RateLimiter limiter = context.getBean(RateLimiter.class);
		long allowed = 0;
		for (int i = 0; i < 10; i++) {
			allowed += limiter.tryAcquire(PermitRequest.of(rule)).allowed() ? 1 : 0;
		}
		return allowed;
	}

	private static JsonNode described(ApplicationContext context, String rule) {
		Object rules = context.getBean(RateLimitsEndpoint.class).rateLimits(null, null, null);
		for (JsonNode described : JsonMapper.builder().build().valueToTree(rules).get("rules")) {
			if (described.get("id").stringValue().equals(rule)) {
				return described;
			}
		}
		throw new AssertionError(rule);
	}

	static class Service {

		@RateLimited(name = "annotated", rate = "1/d", burst = "9", properties = "every-tenth-free=true")
		public void call() {
		}

	}

}
