package io.tierlimit.application;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

import io.tierlimit.database.TestDatabase;
import io.tierlimit.redis.Poll;
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

	private static final Pattern SHOWN = Pattern
		.compile("\\$ curl -si -u alice:secret localhost:8080(\\S+) \\| grep Policy\n(.*?)```", Pattern.DOTALL);

	@TempDir
	private Path directory;

	@Test
	void rowsSetThePlanAsDocumented() {
		DocumentationPage page = DocumentationPage.of("plans");
		assertThat(page.blocks("yaml")).hasSize(2);
		List<String> statements = page.blocks("sql");
		assertThat(statements).hasSize(3);
		List<String> paths = page.found(SHOWN, 1);
		List<String> shown = page.found(SHOWN, 2);
		assertThat(shown).hasSize(2);
		String url = TestDatabase.POSTGRESQL.create();
		try (RunningApplication application = RunningApplication.start(AuditedApplication.class, "test.database=" + url,
				page.configuration(this.directory, 1))) {
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
	void viewReplacesTheTableAsDocumented() {
		JdbcTemplate rows = new JdbcTemplate(new DriverManagerDataSource(TestDatabase.POSTGRESQL.create()));
		rows.execute("CREATE TABLE customers (id BIGINT, login VARCHAR(50), tariff VARCHAR(50))");
		rows.execute("INSERT INTO customers VALUES (1, 'alice', 'pro')");
		rows.execute(DocumentationPage.of("plans").blocks("sql").get(2));
		assertThat(rows.queryForList("SELECT plan_name FROM tierlimit_user_plan WHERE user_name IN ('alice')"))
			.hasSize(1);
	}

}
