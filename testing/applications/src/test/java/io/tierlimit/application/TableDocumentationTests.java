package io.tierlimit.application;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
import io.tierlimit.junit.Poll;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import liquibase.Scope;
import liquibase.command.CommandScope;
import liquibase.resource.ClassLoaderResourceAccessor;
import liquibase.resource.CompositeResourceAccessor;
import liquibase.resource.DirectoryResourceAccessor;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Executes the statements and queries of the pages about tables while an application with
 * the configuration of the page runs, on PostgreSQL, and migrates a database with the
 * scripts. Run with the system property {@code docs.write} to write results to the pages.
 */
@Tag("conventions")
class TableDocumentationTests {

	private static final List<String> SCRIPTS = List.of("audit-postgresql.sql", "plans-postgresql.sql",
			"rules-postgresql.sql");

	private static final String NAMESPACE = "http://www.liquibase.org/xml/ns/dbchangelog";

	private static final Pattern QUERY = Pattern.compile("```sql\n(SELECT.*?)```\n\n```text\n(.*?)```", Pattern.DOTALL);

	private static final Pattern SHOWN_POLICY = Pattern
		.compile("\\$ curl -si -u alice:secret localhost:8080(\\S+) \\| grep Policy\n(.*?)```", Pattern.DOTALL);

	private static final Pattern SHOWN_ORIGINS = Pattern.compile("(\\$ curl -s \\S+ratelimits \\| jq [^\n]*\n)(.*?)```",
			Pattern.DOTALL);

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private final String url = TestDatabase.POSTGRESQL.create();

	private final JdbcTemplate database = new JdbcTemplate(new DriverManagerDataSource(this.url));

	@TempDir
	private Path directory;

	@Test
	void scriptsAreMigrationsOfFlyway() throws IOException {
		for (String script : SCRIPTS) {
			Files.copy(Path.of("../../libraries/jdbc/src/main/resources/io/tierlimit/jdbc", script),
					this.directory.resolve("V" + SCRIPTS.indexOf(script) + "__" + script));
		}
		Flyway.configure()
			.dataSource(new DriverManagerDataSource(this.url))
			.locations("filesystem:" + this.directory)
			.load()
			.migrate();
		assertThatTheTablesAreUsed();
	}

	/** Runs each change set twice, the second time without an effect. */
	@Test
	void scriptsAreChangeSetsOfLiquibase() throws Exception {
		for (String script : SCRIPTS) {
			runChangeSet(script);
			runChangeSet(script);
		}
		assertThatTheTablesAreUsed();
	}

	private void runChangeSet(String script) throws Exception {
		String changeSet = DocumentationPage.of("changing-rules")
			.blocks("xml")
			.get(0)
			.replace("audit-postgresql.sql", script);
		Files.writeString(this.directory.resolve(script + ".xml"), """
				<databaseChangeLog xmlns="%s" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
					xsi:schemaLocation="%s %s/dbchangelog-latest.xsd">
				%s
				</databaseChangeLog>
				""".formatted(NAMESPACE, NAMESPACE, NAMESPACE, changeSet));
		Scope.child(Scope.Attr.resourceAccessor,
				new CompositeResourceAccessor(
						List.of(new DirectoryResourceAccessor(this.directory), new ClassLoaderResourceAccessor())),
				() -> new CommandScope("update").addArgumentValue("changelogFile", script + ".xml")
					.addArgumentValue("url", this.url)
					.execute());
	}

	private void assertThatTheTablesAreUsed() {
		this.database.update("INSERT INTO tierlimit_user_plan VALUES ('alice', 'pro')");
		RunningApplication application = applications.startOwn(AuditedApplication.class, "test.database=" + this.url,
				"tierlimit.audit.jdbc.enabled=true", "tierlimit.plan.jdbc.enabled=true",
				"tierlimit.jdbc.rules.enabled=true", "tierlimit.rules.r.rate=1/d",
				"tierlimit.rules.r.plans.pro.rate=9/d");
		Poll.until(() -> application.getAs("alice", "/any").header("RateLimit-Policy").startsWith("\"r\";q=9"),
				() -> "the plan is not read");
		assertThat(application.statuses(2, "/any")).contains(429);
		Poll.until(() -> AuditedApplication.rows(this.database, "tierlimit_rejection").size() > 0,
				() -> "the rejection is not written");
		this.database.update("INSERT INTO tierlimit_rule (rule_id, rate) VALUES ('new', '1/d')");
		Poll.until(() -> application.get("/any").header("RateLimit-Policy").contains("\"new\""),
				() -> "the rule is not active");
	}

	@Test
	void resultsOfQueriesAreAsDocumented() {
		DocumentationPage page = DocumentationPage.of("operations").section("Store rejections in a table");
		try (RunningApplication application = RunningApplication.start(AuditedApplication.class,
				"test.database=" + this.url, page.configuration(this.directory))) {
			application.statuses(3, "/orders/1", "Authorization", RunningApplication.basic("alice", "secret"));
			Poll.until(() -> AuditedApplication.rows(this.database, "tierlimit_rejection").size() == 1,
					() -> "not written");
			application.clock().advance(Duration.ofSeconds(10));
			application.statuses(1, "/orders/1", "Authorization", RunningApplication.basic("alice", "secret"));
			application.statuses(5, "/orders/1", "Authorization", RunningApplication.basic("bob", "secret"));
			Poll.until(() -> AuditedApplication.rows(this.database, "tierlimit_rejection").size() == 5,
					() -> "not written");
		}
		List<String> differences = new ArrayList<>();
		String written = QUERY.matcher(page.text()).replaceAll((found) -> {
			String result = result(found.group(1));
			if (!result.equals(found.group(2))) {
				differences.add(result);
			}
			return Matcher.quoteReplacement("```sql\n" + found.group(1) + "```\n\n```text\n" + result + "```");
		});
		assertThat(QUERY.matcher(page.text()).results().count()).isGreaterThan(1);
		page.write(written);
		assertThat(differences).isEmpty();
	}

	/** The result in the format of psql. */
	private String result(String query) {
		List<List<String>> rows = new ArrayList<>();
		this.database.query(query, (result) -> {
			List<String> names = new ArrayList<>();
			List<String> row = new ArrayList<>();
			for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
				names.add(result.getMetaData().getColumnLabel(column));
				row.add(String.valueOf(result.getString(column)));
			}
			if (rows.isEmpty()) {
				rows.add(names);
			}
			rows.add(row);
		});
		List<Integer> widths = new ArrayList<>();
		for (int column = 0; column < rows.get(0).size(); column++) {
			int index = column;
			widths.add(rows.stream().mapToInt((row) -> row.get(index).length()).max().orElse(0));
		}
		rows.add(1, widths.stream().map("-"::repeat).toList());
		return rows.stream().map((row) -> line(row, widths)).collect(Collectors.joining());
	}

	private static String line(List<String> row, List<Integer> widths) {
		StringBuilder line = new StringBuilder();
		for (int column = 0; column < row.size(); column++) {
			String text = row.get(column);
			line.append((column > 0) ? " | " : "").append(text).append(" ".repeat(widths.get(column) - text.length()));
		}
		return line.toString().stripTrailing() + "\n";
	}

	@Test
	void rowsSetThePlanAsDocumented() {
		DocumentationPage page = DocumentationPage.of("plans");
		assertThat(page.blocks("yaml")).hasSize(3);
		List<String> statements = page.blocks("sql");
		assertThat(statements).hasSize(3);
		List<String> paths = page.found(SHOWN_POLICY, 1);
		List<String> shown = page.found(SHOWN_POLICY, 2);
		assertThat(shown).hasSize(2);
		try (RunningApplication application = RunningApplication.start(AuditedApplication.class,
				"test.database=" + this.url, page.configuration(this.directory, 2))) {
			AuditedApplication.awaitTable(this.database, "tierlimit_user_plan");
			for (int i = 0; i < 2; i++) {
				this.database.execute(statements.get(i));
				String path = paths.get(i);
				String policy = shown.get(i);
				application.clock().advance(Duration.ofSeconds(60));
				Poll.until(
						() -> policy.equals("RateLimit-Policy: "
								+ application.getAs("alice", path).header("RateLimit-Policy") + "\n"),
						() -> "not active: " + policy);
			}
		}
	}

	@Test
	void viewReplacesTheTableAsDocumented() {
		this.database.execute("CREATE TABLE customers (id BIGINT, login VARCHAR(50), tariff VARCHAR(50))");
		this.database.execute("INSERT INTO customers VALUES (1, 'alice', 'pro')");
		this.database.execute(DocumentationPage.of("plans").blocks("sql").get(2));
		assertThat(this.database.queryForList("SELECT plan_name FROM tierlimit_user_plan WHERE user_name IN ('alice')"))
			.hasSize(1);
	}

	@Test
	void statementsChangeTheRulesAsDocumented() {
		DocumentationPage page = DocumentationPage.of("changing-rules").section("Tables");
		List<String> statements = page.blocks("sql");
		assertThat(statements).hasSize(2);
		try (RunningApplication application = RunningApplication.start(AuditedApplication.class,
				"test.database=" + this.url, "management.endpoints.web.exposure.include=ratelimits",
				page.configuration(this.directory))) {
			assertThat(application.rules()).containsOnlyKeys("per-user");
			// In one transaction, as a client of PostgreSQL sends them.
			this.database.execute(statements.get(0));
			Poll.until(() -> application.rules().containsKey("imports"), () -> "not active");
			Rule imports = application.rules().get("imports");
			assertThat(imports.limits().standard().rate()).hasToString("10/h");
			assertThat(imports.options().visibility()).isEqualTo(HeaderVisibility.HIDDEN);
			Rule users = application.rules().get("per-user");
			assertThat(users.limits().standard()).isEqualTo(new TokenBucket(Rate.parse("5/s"), 50));
			assertThat(planLimit(users)).isEqualTo(new TokenBucket(Rate.parse("200/s"), 500));
			assertShown(page, application);
			this.database.execute(statements.get(1));
			Poll.until(() -> !application.rules().containsKey("imports"), () -> "not active");
			assertThat(planLimit(application.rules().get("per-user")))
				.isEqualTo(new TokenBucket(Rate.parse("100/s"), 500));
		}
	}

	private static void assertShown(DocumentationPage page, RunningApplication application) {
		List<Map<String, String>> rules = JsonPath.read(application.get("/actuator/ratelimits").body(), "$.rules");
		String shown = rules.stream()
			.map((rule) -> rule.get("id") + ": " + rule.get("origin") + "\n")
			.collect(Collectors.joining())
			.replaceAll("\\S*application.yml", "application.yml");
		MatchResult documented = SHOWN_ORIGINS.matcher(page.text()).results().findFirst().orElseThrow();
		page.write(page.text().substring(0, documented.start(2)) + shown + page.text().substring(documented.end(2)));
		assertThat(documented.group(2)).isEqualTo(shown);
	}

	private static Limit planLimit(Rule rule) {
		PlanLimit limit = Objects.requireNonNull(rule.limits().plans().get("pro"));
		return Objects.requireNonNull(limit.limit());
	}

}
