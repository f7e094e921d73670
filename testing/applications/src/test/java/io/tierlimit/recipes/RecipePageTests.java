package io.tierlimit.recipes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.tierlimit.application.DocumentationPage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every example of {@code docs/recipes.md} is a file that a test runs: YAML in
 * {@code src/test/resources/recipes}, and code in this package.
 */
@Tag("conventions")
class RecipePageTests {

	private static final DocumentationPage PAGE = DocumentationPage.of("recipes");

	private static final Path RESOURCES = Path.of("src/test/resources/recipes");

	private static final Path CODE = Path.of("src/test/java/io/tierlimit/recipes");

	private static final Path TESTS = Path.of("../../testing/test-support/src/test/java/io/tierlimit/search");

	@Test
	void yamlThatIsShownIsYamlThatRuns() throws IOException {
		assertThat(PAGE.blocks("yaml")).hasSizeGreaterThan(15)
			.containsExactlyInAnyOrderElementsOf(files(RESOURCES, ".yml").map(DocumentationPage::read).toList());
	}

	@Test
	void propertiesThatAreShownAreOnesThatRun() throws IOException {
		assertThat(PAGE.blocks("properties")).isNotEmpty()
			.containsExactlyInAnyOrderElementsOf(files(RESOURCES, ".properties").map(DocumentationPage::read).toList());
	}

	@Test
	void schemaThatIsShownIsOneThatRuns() throws IOException {
		assertThat(PAGE.blocks("graphql")).isNotEmpty()
			.containsExactlyInAnyOrderElementsOf(files(RESOURCES, ".graphqls").map(DocumentationPage::read).toList());
	}

	@Test
	void codeThatIsShownIsCodeThatRuns() throws IOException {
		List<String> sources = Stream.concat(files(CODE, ".java"), files(TESTS, ".java"))
			.map(DocumentationPage::read)
			.filter((source) -> source.contains("import "))
			.map((source) -> source.substring(source.indexOf("import ")))
			.toList();
		assertThat(PAGE.blocks("java")).hasSizeGreaterThan(7).isSubsetOf(sources);
	}

	@Test
	void everyRecipeIsInTheListOfLinks() {
		String page = PAGE.text();
		String list = page.substring(0, page.indexOf("\n## "));
		for (String heading : page.lines()
			.filter((line) -> line.startsWith("## "))
			.map((line) -> line.substring(3))
			.toList()) {
			String anchor = heading.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 -]", "").replace(' ', '-');
			assertThat(list).contains("- [" + heading + "](#" + anchor + ")");
		}
	}

	private static Stream<Path> files(Path directory, String extension) throws IOException {
		try (Stream<Path> files = Files.walk(directory)) {
			return files.filter((file) -> file.toString().endsWith(extension)).toList().stream();
		}
	}

}
