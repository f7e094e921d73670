package io.tierlimit.application;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.jayway.jsonpath.JsonPath;
import io.tierlimit.HeaderVisibility;
import io.tierlimit.database.TestDatabase;
import io.tierlimit.evaluation.RulesInForce;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.redis.Poll;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Executes the statements of docs/rules-in-a-table.md while an application with the
 * page's configuration runs, on PostgreSQL. Run with the system property
 * {@code docs.write} to write the shown rules to the page.
 */
@Tag("conventions")
class RuleTablesDocumentationTests {

	private static final Path PAGE = Path.of("../docs/rules-in-a-table.md");

	private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

	private static final Pattern SQL = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);

	private static final Pattern SHOWN = Pattern.compile("(\\$ curl -s \\S+ratelimits \\| jq [^\n]*\n)(.*?)```",
			Pattern.DOTALL);

	@TempDir
	private Path directory;

	@Test
	void statementsChangeTheRulesAsDocumented() throws IOException {
		String page = Files.readString(PAGE);
		Matcher yaml = YAML.matcher(page);
		assertThat(yaml.find()).isTrue();
		Files.writeString(this.directory.resolve("application.yml"), yaml.group(1));
		List<String> statements = SQL.matcher(page).results().map((found) -> found.group(1)).toList();
		assertThat(statements).hasSize(2);
		String url = TestDatabase.POSTGRESQL.create();
		JdbcTemplate tables = new JdbcTemplate(new DriverManagerDataSource(url));
		try (RunningApplication application = RunningApplication.start(AuditedApplication.class, "test.database=" + url,
				"management.endpoints.web.exposure.include=ratelimits",
				"spring.config.additional-location=file:" + this.directory + "/")) {
			assertThat(rules(application)).containsOnlyKeys("per-user");
			// In one transaction, as a client of PostgreSQL sends them.
			tables.execute(statements.get(0));
			Poll.until(() -> rules(application).containsKey("imports"), () -> "not in force");
			Rule imports = rules(application).get("imports");
			assertThat(imports.limits().standard().rate()).hasToString("10/h");
			assertThat(imports.options().visibility()).isEqualTo(HeaderVisibility.HIDDEN);
			Rule users = rules(application).get("per-user");
			assertThat(users.limits().standard()).isEqualTo(new TokenBucket(Rate.parse("5/s"), 50));
			assertThat(planLimit(users)).isEqualTo(new TokenBucket(Rate.parse("200/s"), 500));
			assertShown(page, application);
			tables.execute(statements.get(1));
			Poll.until(() -> !rules(application).containsKey("imports"), () -> "not in force");
			assertThat(planLimit(rules(application).get("per-user")))
				.isEqualTo(new TokenBucket(Rate.parse("100/s"), 500));
		}
	}

	private static void assertShown(String page, RunningApplication application) throws IOException {
		List<Map<String, String>> rules = JsonPath.read(application.get("/actuator/ratelimits").body(), "$.rules");
		String shown = rules.stream()
			.map((rule) -> rule.get("id") + ": " + rule.get("origin") + "\n")
			.collect(Collectors.joining())
			.replaceAll("\\S*application.yml", "application.yml");
		MatchResult documented = SHOWN.matcher(page).results().findFirst().orElseThrow();
		if (System.getProperty("docs.write") != null) {
			Files.writeString(PAGE, page.substring(0, documented.start(2)) + shown + page.substring(documented.end(2)));
		}
		assertThat(documented.group(2)).isEqualTo(shown);
	}

	@Test
	void scriptIsAMigrationOfFlyway() throws IOException {
		Files.copy(Path.of("src/main/resources/io/tierlimit/jdbc/rules-postgresql.sql"),
				this.directory.resolve("V7__tierlimit_rules.sql"));
		String url = TestDatabase.POSTGRESQL.create();
		Flyway.configure()
			.dataSource(new DriverManagerDataSource(url))
			.locations("filesystem:" + this.directory)
			.load()
			.migrate();
		assertThatANewRowIsInForce(url);
	}

	@Test
	void scriptIsAChangeSetOfLiquibase() throws Exception {
		String url = TestDatabase.POSTGRESQL.create();
		ChangeLog.run("rules-postgresql.sql", this.directory, url);
		assertThatANewRowIsInForce(url);
	}

	private static void assertThatANewRowIsInForce(String url) {
		try (RunningApplication application = RunningApplication.start(AuditedApplication.class, "test.database=" + url,
				"tierlimit.jdbc.rules.enabled=true", "tierlimit.rules.all.rate=1/d")) {
			new JdbcTemplate(new DriverManagerDataSource(url))
				.update("INSERT INTO tierlimit_rule (rule_id, rate) VALUES ('new', '1/d')");
			Poll.until(() -> rules(application).containsKey("new"), () -> "not in force");
		}
	}

	private static Limit planLimit(Rule rule) {
		PlanLimit limit = Objects.requireNonNull(rule.limits().plans().get("pro"));
		return Objects.requireNonNull(limit.limit());
	}

	private static Map<String, Rule> rules(RunningApplication application) {
		return application.bean(RulesInForce.class)
			.current()
			.all()
			.stream()
			.collect(Collectors.toMap((rule) -> rule.rule().id(), (rule) -> rule.rule()));
	}

}
