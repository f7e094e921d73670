package io.tierlimit.application;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the README and the page for beginners with the applications that are tested
 * with each version of Spring Boot.
 */
@Tag("conventions")
class FirstPagesTests {

	private static final Path PROJECT = Path.of("../..");

	private static final Path COMPATIBILITY_TESTS = PROJECT.resolve("testing/compatibility");

	private static final Path APPLICATIONS = COMPATIBILITY_TESTS.resolve("src/it/lines");

	private static final DocumentationPage README = DocumentationPage.readme();

	private static final DocumentationPage GETTING_STARTED = DocumentationPage.of("getting-started");

	private static final String VERSION = all("<artifactId>tierlimit-parent</artifactId>\\s*<version>(.*?)</",
			DocumentationPage.read(PROJECT.resolve("pom.xml")))
		.get(0);

	private static final Pattern STATE = Pattern
		.compile("(?m)^Preview " + Pattern.quote(VERSION) + ", .* · Spring Boot (.*) · Java (.*) · .*$");

	private static final Pattern COMPATIBILITY = Pattern
		.compile("\\| " + Pattern.quote(VERSION) + " \\| (.*) \\(tested: (.*)\\) \\| (.*) \\| (.*) \\|");

	@Test
	void readmeListsTheVersionsThatAreSupported() {
		Matcher state = STATE.matcher(README.text());
		assertThat(state.find()).isTrue();
		assertThat(state.group(1)).isEqualTo(compatibility(1));
		assertThat(compatibility(3)).startsWith(state.group(2));
	}

	@Test
	void versionsOfSpringBootAreTested() {
		String pom = DocumentationPage.read(PROJECT.resolve("pom.xml"));
		List<String> versions = all("<line\\.version>\\$\\{(.*?)}</line\\.version>",
				DocumentationPage.read(COMPATIBILITY_TESTS.resolve("pom.xml")))
			.stream()
			.map((property) -> all("<" + Pattern.quote(property) + ">(.*?)</", pom).get(0))
			.toList();
		assertThat(compatibility(2).split(", ")).containsExactlyElementsOf(versions);
		assertThat(compatibility(1).split(", ")).containsExactlyElementsOf(
				versions.stream().map((version) -> version.replaceFirst("\\.\\d+$", "")).toList());
	}

	@Test
	void versionsOfJavaAreTested() {
		String compiled = all("<java\\.version>(.*?)</", DocumentationPage.read(PROJECT.resolve("pom.xml"))).get(0);
		String newest = all("void virtualThreadsOnJava(\\d+)", DocumentationPage
			.read(APPLICATIONS.resolve("mvc/src/test/java/com/example/shop/VirtualThreadsTests.java"))).get(0);
		assertThat(compatibility(3)).isEqualTo(compiled + " or later (tested: " + compiled + ", " + newest + ")");
	}

	/**
	 * Some applications are in the profile only, because not every version can run them.
	 */
	@Test
	void applicationsThatAreTestedAreListed() {
		List<String> names = new ArrayList<>();
		String pom = DocumentationPage.read(APPLICATIONS.resolve("pom.xml"));
		pom = pom.substring(0, pom.indexOf("<profiles>"));
		for (String module : all("<module>(.*?)</module>", pom)) {
			if (Files.isDirectory(APPLICATIONS.resolve(module + "/src/main"))) {
				names.add(all("<name>(.*?)</name>", DocumentationPage.read(APPLICATIONS.resolve(module + "/pom.xml")))
					.get(0));
			}
		}
		assertThat(all("\nEach build tests these applications.*?: (.*?)\\.\n\n", GETTING_STARTED.text()).get(0)
			.replace("`", "")
			.replaceAll("\\s+", " ")
			.split("; ")).containsExactlyElementsOf(names);
	}

	@Test
	void readmeHasTheRulesAndTheDependencyOfAnApplication() {
		assertRulesAndDependency(README, "security");
	}

	@Test
	void gettingStartedHasTheRulesAndTheDependencyOfAnApplication() {
		assertRulesAndDependency(GETTING_STARTED, "mvc");
	}

	private static void assertRulesAndDependency(DocumentationPage page, String application) {
		Path directory = APPLICATIONS.resolve(application);
		assertThat(DocumentationPage.read(directory.resolve("src/main/resources/application.yml")))
			.isEqualTo(page.blocks("yaml").get(0));
		String dependency = page.blocks("xml").get(0).replace(VERSION, "@project.version@");
		assertThat(withoutSpace(DocumentationPage.read(directory.resolve("pom.xml"))))
			.contains(withoutSpace(dependency));
	}

	/** The clock does not advance, so that the seconds are the same in each run. */
	@Test
	void firstRequestsAreAnsweredAsGettingStartedShows(@TempDir Path directory) {
		try (RunningApplication application = RunningApplication.start(TestApplication.class,
				GETTING_STARTED.configuration(directory))) {
			GETTING_STARTED.assertResponse(0, application.get("/orders/1"));
			assertThat(application.statuses(9, "/orders/1")).containsOnly(200);
			GETTING_STARTED.assertResponse(1, application.get("/orders/1"));
		}
	}

	/** Ignores the headers that the server adds. */
	@Test
	void responseOfGettingStartedIsTheOneThatIsTested() {
		String tested = DocumentationPage.read(APPLICATIONS.resolve("mvc/src/test/resources/responses.http"));
		String withoutConnection = tested.replaceAll("(?m)^(Content-Length|Date|Connection): .*\n", "")
			.replace("429 \n", "429\n");
		assertThat(withoutConnection).contains(all("```http\n(HTTP/1.1 429\n.*?)```", GETTING_STARTED.text()).get(0));
	}

	private static String compatibility(int column) {
		Matcher row = COMPATIBILITY.matcher(GETTING_STARTED.text());
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
