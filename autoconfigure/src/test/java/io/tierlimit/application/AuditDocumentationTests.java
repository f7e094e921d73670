package io.tierlimit.application;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.tierlimit.database.TestDatabase;
import io.tierlimit.redis.Poll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Starts an application with the rules of docs/audit.md, on PostgreSQL, and compares the
 * results of the page's queries. Run with the system property {@code docs.write} to write
 * the results to the page.
 */
@Tag("conventions")
class AuditDocumentationTests {

	private static final Pattern QUERY = Pattern.compile("```sql\n(SELECT.*?)```\n\n```text\n(.*?)```", Pattern.DOTALL);

	@TempDir
	private Path directory;

	@Test
	void resultsAreAsDocumented() {
		DocumentationPage page = DocumentationPage.of("audit");
		String url = TestDatabase.POSTGRESQL.create();
		JdbcTemplate database = new JdbcTemplate(new DriverManagerDataSource(url));
		try (RunningApplication application = RunningApplication.start(AuditedApplication.class, "test.database=" + url,
				page.configuration(this.directory))) {
			reject(application, "alice", 3);
			Poll.until(() -> rows(database) == 1, () -> "not written");
			application.clock().advance(Duration.ofSeconds(10));
			reject(application, "alice", 1);
			reject(application, "bob", 5);
			Poll.until(() -> rows(database) == 5, () -> "not written");
		}
		List<String> differences = new ArrayList<>();
		String written = QUERY.matcher(page.text()).replaceAll((found) -> {
			String result = result(database, found.group(1));
			if (!result.equals(found.group(2))) {
				differences.add(result);
			}
			return Matcher.quoteReplacement("```sql\n" + found.group(1) + "```\n\n```text\n" + result + "```");
		});
		assertThat(QUERY.matcher(page.text()).results().count()).isGreaterThan(1);
		page.write(written);
		assertThat(differences).isEmpty();
	}

	private static void reject(RunningApplication application, String user, int requests) {
		for (int i = 0; i < requests; i++) {
			application.getAs(user, "/orders/" + i);
		}
	}

	private static long rows(JdbcTemplate database) {
		try {
			return database.queryForList("SELECT id FROM tierlimit_rejection").size();
		}
		catch (BadSqlGrammarException ex) {
			return 0; // not yet created
		}
	}

	/** The result in the format of psql. */
	private static String result(JdbcTemplate database, String query) {
		List<List<String>> rows = new ArrayList<>();
		database.query(query, (result) -> {
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

}
