package io.tierlimit.application;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

import io.tierlimit.database.TestDatabase;
import io.tierlimit.redis.Poll;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Executes the statements of docs/plans.md while an application with the page's
 * configuration runs, on PostgreSQL.
 */
@Tag("conventions")
class PlansDocumentationTests {

	private static final Path PAGE = Path.of("../docs/plans.md");

	private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

	private static final Pattern SQL = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);

	private static final Pattern SHOWN = Pattern
		.compile("\\$ curl -si -u alice:secret localhost:8080(\\S+) \\| grep Policy\n(.*?)```", Pattern.DOTALL);

	@TempDir
	private Path directory;

	@Test
	void rowsSetThePlanAsDocumented() throws IOException {
		List<String> yaml = found(YAML, 1);
		assertThat(yaml).hasSize(2);
		List<String> statements = found(SQL, 1);
		assertThat(statements).hasSize(3);
		List<String> paths = found(SHOWN, 1);
		List<String> shown = found(SHOWN, 2);
		assertThat(shown).hasSize(2);
		Files.writeString(this.directory.resolve("application.yml"), yaml.get(1));
		String url = TestDatabase.POSTGRESQL.create();
		try (RunningApplication application = RunningApplication.start(AuditedApplication.class, "test.database=" + url,
				"spring.config.additional-location=file:" + this.directory + "/")) {
			JdbcTemplate rows = new JdbcTemplate(new DriverManagerDataSource(url));
			Poll.until(() -> rows.queryForObject("SELECT to_regclass('tierlimit_user_plan')", String.class) != null,
					() -> "not created");
			for (int i = 0; i < 2; i++) {
				rows.execute(statements.get(i));
				String path = paths.get(i);
				String policy = shown.get(i);
				application.clock().advance(Duration.ofSeconds(60));
				Poll.until(
						() -> policy.equals("RateLimit-Policy: "
								+ application.getAs("alice", path).header("RateLimit-Policy") + "\n"),
						() -> "not in force: " + policy);
			}
		}
	}

	@Test
	void viewReplacesTheTableAsDocumented() throws IOException {
		JdbcTemplate rows = new JdbcTemplate(new DriverManagerDataSource(TestDatabase.POSTGRESQL.create()));
		rows.execute("CREATE TABLE customers (id BIGINT, login VARCHAR(50), tariff VARCHAR(50))");
		rows.execute("INSERT INTO customers VALUES (1, 'alice', 'pro')");
		rows.execute(found(SQL, 1).get(2));
		assertThat(rows.queryForList("SELECT plan_name FROM tierlimit_user_plan WHERE user_name IN ('alice')"))
			.hasSize(1);
	}

	@Test
	void scriptIsAMigrationOfFlyway() throws IOException {
		Files.copy(Path.of("src/main/resources/io/tierlimit/jdbc/plans-postgresql.sql"),
				this.directory.resolve("V7__tierlimit_plans.sql"));
		String url = TestDatabase.POSTGRESQL.create();
		Flyway.configure()
			.dataSource(new DriverManagerDataSource(url))
			.locations("filesystem:" + this.directory)
			.load()
			.migrate();
		new JdbcTemplate(new DriverManagerDataSource(url))
			.update("INSERT INTO tierlimit_user_plan VALUES ('alice', 'pro')");
		try (RunningApplication application = RunningApplication.start(AuditedApplication.class, "test.database=" + url,
				"tierlimit.plan.jdbc.enabled=true", "tierlimit.rules.r.rate=1/d",
				"tierlimit.rules.r.plans.pro.rate=9/d")) {
			Poll.until(() -> application.getAs("alice", "/any").header("RateLimit-Policy").startsWith("\"r\";q=9"),
					() -> "not read");
		}
	}

	private static List<String> found(Pattern pattern, int group) throws IOException {
		return pattern.matcher(Files.readString(PAGE)).results().map((found) -> found.group(group)).toList();
	}

}
