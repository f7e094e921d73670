package io.tierlimit.application;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
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

	private static final Pattern SHOWN = Pattern.compile("(\\$ curl -s \\S+ratelimits \\| jq [^\n]*\n)(.*?)```",
			Pattern.DOTALL);

	@TempDir
	private Path directory;

	@Test
	void statementsChangeTheRulesAsDocumented() {
		DocumentationPage page = DocumentationPage.of("rules-in-a-table");
		List<String> statements = page.blocks("sql");
		assertThat(statements).hasSize(2);
		String url = TestDatabase.POSTGRESQL.create();
		JdbcTemplate tables = new JdbcTemplate(new DriverManagerDataSource(url));
		try (RunningApplication application = RunningApplication.start(AuditedApplication.class, "test.database=" + url,
				"management.endpoints.web.exposure.include=ratelimits", page.configuration(this.directory))) {
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

	private static void assertShown(DocumentationPage page, RunningApplication application) {
		List<Map<String, String>> rules = JsonPath.read(application.get("/actuator/ratelimits").body(), "$.rules");
		String shown = rules.stream()
			.map((rule) -> rule.get("id") + ": " + rule.get("origin") + "\n")
			.collect(Collectors.joining())
			.replaceAll("\\S*application.yml", "application.yml");
		MatchResult documented = SHOWN.matcher(page.text()).results().findFirst().orElseThrow();
		page.write(page.text().substring(0, documented.start(2)) + shown + page.text().substring(documented.end(2)));
		assertThat(documented.group(2)).isEqualTo(shown);
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
