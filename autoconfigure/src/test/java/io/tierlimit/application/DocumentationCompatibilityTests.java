package io.tierlimit.application;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The README lists what the compatibility tests run, and they run what the README shows.
 */
@Tag("conventions")
class DocumentationCompatibilityTests {

	private static final Path PROJECT = Path.of("..");

	private static final Path TESTS = PROJECT.resolve("compatibility-tests");

	private static final Path APPLICATIONS = TESTS.resolve("src/it/lines");

	private static final String VERSION = all("<artifactId>tierlimit-parent</artifactId>\\s*<version>(.*?)</",
			DocumentationPage.read(PROJECT.resolve("pom.xml")))
		.get(0);

	private static final Pattern ROW = Pattern
		.compile("\\| " + Pattern.quote(VERSION) + " \\| (.*) \\(tested: (.*)\\) \\| (.*) \\| (.*) \\| (.*) \\|");

	@Test
	void readmeListsTheVersionsOfSpringBootThatAreTested() {
		String pom = DocumentationPage.read(PROJECT.resolve("pom.xml"));
		List<String> versions = all("<line\\.version>\\$\\{(.*?)}</line\\.version>",
				DocumentationPage.read(TESTS.resolve("pom.xml")))
			.stream()
			.map((property) -> all("<" + Pattern.quote(property) + ">(.*?)</", pom).get(0))
			.toList();
		assertThat(row(2).split(", ")).containsExactlyElementsOf(versions);
		assertThat(row(1).split(", ")).containsExactlyElementsOf(
				versions.stream().map((version) -> version.replaceFirst("\\.\\d+$", "")).toList());
	}

	@Test
	void readmeListsTheVersionsOfJavaThatAreTested() {
		String compiled = all("<java\\.version>(.*?)</", DocumentationPage.read(PROJECT.resolve("pom.xml"))).get(0);
		String newest = all("void virtualThreadsOnJava(\\d+)", DocumentationPage
			.read(APPLICATIONS.resolve("mvc/src/test/java/com/example/shop/VirtualThreadsTests.java"))).get(0);
		assertThat(row(3)).isEqualTo(compiled + " or later (tested: " + compiled + ", " + newest + ")");
	}

	@Test
	void readmeListsTheApplicationsThatAreTested() {
		List<String> names = new ArrayList<>();
		for (String module : all("<module>(.*?)</module>", DocumentationPage.read(APPLICATIONS.resolve("pom.xml")))) {
			if (Files.isDirectory(APPLICATIONS.resolve(module + "/src/main"))) {
				names.add(all("<name>(.*?)</name>", DocumentationPage.read(APPLICATIONS.resolve(module + "/pom.xml")))
					.get(0));
			}
		}
		assertThat(row(5).replace("`", "").split("; ")).containsExactlyElementsOf(names);
	}

	@Test
	void theFirstApplicationHasTheRulesAndTheDependencyOfTheReadme() {
		String readme = DocumentationPage.read(PROJECT.resolve("README.md"));
		assertThat(DocumentationPage.read(APPLICATIONS.resolve("mvc/src/main/resources/application.yml")))
			.isEqualTo(all("```yaml\n(.*?)```", readme).get(0));
		String dependency = all("```xml\n(.*?)```", readme).get(0).replace(VERSION, "@project.version@");
		assertThat(withoutSpace(DocumentationPage.read(APPLICATIONS.resolve("mvc/pom.xml"))))
			.contains(withoutSpace(dependency));
	}

	/** Except for the headers that the server adds. */
	@Test
	void theResponseOfTheReadmeIsTheOneThatIsTested() {
		String tested = DocumentationPage.read(APPLICATIONS.resolve("mvc/src/test/resources/responses.http"));
		String shown = all("```http\n(HTTP/1.1 429\n.*?)```", DocumentationPage.read(PROJECT.resolve("README.md")))
			.get(0);
		String withoutConnection = tested.replaceAll("(?m)^(Content-Length|Date|Connection): .*\n", "")
			.replace("429 \n", "429\n");
		assertThat(withoutConnection).contains(shown);
	}

	private static String row(int column) {
		Matcher row = ROW.matcher(DocumentationPage.read(PROJECT.resolve("README.md")));
		assertThat(row.find()).isTrue();
		return row.group(column);
	}

	private static List<String> all(String pattern, String text) {
		return Pattern.compile(pattern, Pattern.DOTALL).matcher(text).results().map((match) -> match.group(1)).toList();
	}

	private static String withoutSpace(String text) {
		return text.replaceAll("\\s", "");
	}

}
