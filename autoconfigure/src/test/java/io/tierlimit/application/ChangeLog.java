package io.tierlimit.application;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import liquibase.Scope;
import liquibase.command.CommandScope;
import liquibase.resource.ClassLoaderResourceAccessor;
import liquibase.resource.CompositeResourceAccessor;
import liquibase.resource.DirectoryResourceAccessor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The change set of docs/audit.md, as Liquibase runs it.
 */
final class ChangeLog {

	private static final Pattern CHANGE_SET = Pattern.compile("```xml\n(.*?)```", Pattern.DOTALL);

	private static final String NAMESPACE = "http://www.liquibase.org/xml/ns/dbchangelog";

	private ChangeLog() {
	}

	/**
	 * Runs the change set twice, the second time without an effect.
	 * @param script the script instead of that for rejections
	 * @param directory gets the change log
	 * @param url the database
	 */
	static void run(String script, Path directory, String url) throws Exception {
		Files.writeString(directory.resolve("changelog.xml"), """
				<databaseChangeLog xmlns="%s" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
					xsi:schemaLocation="%s %s/dbchangelog-latest.xsd">
				%s
				</databaseChangeLog>
				""".formatted(NAMESPACE, NAMESPACE, NAMESPACE, changeSet().replace("audit-postgresql.sql", script)));
		for (int i = 0; i < 2; i++) {
			Scope.child(Scope.Attr.resourceAccessor,
					new CompositeResourceAccessor(
							List.of(new DirectoryResourceAccessor(directory), new ClassLoaderResourceAccessor())),
					() -> new CommandScope("update").addArgumentValue("changelogFile", "changelog.xml")
						.addArgumentValue("url", url)
						.execute());
		}
	}

	private static String changeSet() throws IOException {
		Matcher found = CHANGE_SET.matcher(Files.readString(Path.of("../docs/audit.md")));
		assertThat(found.find()).isTrue();
		return found.group(1);
	}

}
