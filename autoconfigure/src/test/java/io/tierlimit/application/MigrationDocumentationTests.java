package io.tierlimit.application;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.tierlimit.database.TestDatabase;
import io.tierlimit.redis.Poll;
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

/**
 * Migrates a PostgreSQL with the scripts, as docs/audit.md shows.
 */
@Tag("conventions")
class MigrationDocumentationTests {

	private static final List<String> SCRIPTS = List.of("audit-postgresql.sql", "plans-postgresql.sql",
			"rules-postgresql.sql");

	private static final String NAMESPACE = "http://www.liquibase.org/xml/ns/dbchangelog";

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private final String url = TestDatabase.POSTGRESQL.create();

	private final JdbcTemplate database = new JdbcTemplate(new DriverManagerDataSource(this.url));

	@TempDir
	private Path directory;

	@Test
	void scriptsAreMigrationsOfFlyway() throws IOException {
		for (String script : SCRIPTS) {
			Files.copy(Path.of("src/main/resources/io/tierlimit/jdbc", script),
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
		String changeSet = DocumentationPage.of("audit").blocks("xml").get(0).replace("audit-postgresql.sql", script);
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
		application.assertAllowed(1, 2, "/any");
		Poll.until(() -> this.database.queryForList("SELECT * FROM tierlimit_rejection").size() == 1,
				() -> "the rejection is not written");
		this.database.update("INSERT INTO tierlimit_rule (rule_id, rate) VALUES ('new', '1/d')");
		Poll.until(() -> application.get("/any").header("RateLimit-Policy").contains("\"new\""),
				() -> "the rule is not in force");
	}

}
