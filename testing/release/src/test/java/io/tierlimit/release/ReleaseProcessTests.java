package io.tierlimit.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Node;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the files for releases and contributions: workflows, forms for issues, and the
 * release that the API is compared with.
 */
class ReleaseProcessTests {

	private static final Path GITHUB = Module.PROJECT.resolve(".github");

	private static final Pattern RELEASE = Pattern.compile("(?m)^## \\[?(\\d+\\.\\d+\\.\\d+)");

	private static final Pattern FILE = Pattern.compile("(?:docs/)?[\\w-]+\\.md");

	private static final Pattern FIRST_RELEASE = Pattern
		.compile("(?s)\nBefore the first release:.*\nFor each release:");

	private static final Pattern UNRELEASED = Pattern.compile("not released|no release yet");

	static List<Path> yaml() throws IOException {
		try (Stream<Path> files = Files.walk(GITHUB)) {
			return files.filter((file) -> file.toString().endsWith(".yml")).sorted().toList();
		}
	}

	static List<Path> workflows() throws IOException {
		return yaml().stream().filter((file) -> file.getParent().endsWith("workflows")).toList();
	}

	static List<Path> forms() throws IOException {
		return yaml().stream()
			.filter((file) -> file.getParent().endsWith("ISSUE_TEMPLATE") && !file.endsWith("config.yml"))
			.toList();
	}

	@Test
	void workflowsAndFormsExist() throws IOException {
		assertThat(yaml()).extracting((file) -> GITHUB.relativize(file).toString())
			.contains("workflows/build.yml", "workflows/release.yml", "ISSUE_TEMPLATE/bug.yml",
					"ISSUE_TEMPLATE/feature.yml");
	}

	@ParameterizedTest
	@MethodSource("workflows")
	void workflowHasJobsWhoseCommandsExist(Path file) throws IOException {
		Map<Object, Object> workflow = read(file);
		// YAML reads the key "on" as true.
		assertThat(workflow).containsKeys("name", true, "permissions", "jobs");
		for (Map<String, Object> job : values(workflow.get("jobs"))) {
			assertThat(job).containsKeys("runs-on", "timeout-minutes", "steps");
			List<Map<String, Object>> steps = list(job.get("steps"));
			assertThat(steps)
				.allSatisfy((step) -> assertThat(step.containsKey("uses")).isNotEqualTo(step.containsKey("run")));
			List<String> commands = steps.stream()
				.filter((step) -> step.containsKey("run"))
				.flatMap((step) -> step.get("run").toString().lines())
				.toList();
			assertThat(commands).anyMatch((command) -> program(command).equals(".ci/run"))
				.allSatisfy(ReleaseProcessTests::assertCommandExists);
		}
	}

	@Test
	void releaseSignsAndPublishesExactlyThePublishedModules() throws IOException {
		String workflow = Files.readString(GITHUB.resolve("workflows/release.yml"));
		String modules = Module.published()
			.stream()
			.map((module) -> Module.PROJECT.relativize(module.directory()).toString())
			.collect(Collectors.joining(","));
		assertThat(workflow).contains("mvn -B -ntp -Prelease,sign -DskipTests -pl " + modules + " -am deploy");
		assertThat(workflow).contains("MAVEN_GPG_KEY: ${{ secrets.", "MAVEN_GPG_PASSPHRASE: ${{ secrets.");
		assertThat(read(GITHUB.resolve("workflows/release.yml")).get(true))
			.isEqualTo(Map.of("push", Map.of("tags", List.of("v*"))));
	}

	@Test
	void releaseStopsFirstIfThePomHasPlaceholders() throws IOException {
		String workflow = Files.readString(GITHUB.resolve("workflows/release.yml"));
		assertThat(workflow).containsSubsequence("mvn -B -ntp -Psign validate", ".ci/run", "deploy");
		Map<String, String> placeholders = Map.of("home.url", "https://example.org/tierlimit/tierlimit",
				"home.developer", "The developers of Tierlimit");
		String rule = "/project/profiles/profile[id='sign']//requireProperty[property='%s']/regex";
		placeholders.forEach((property, placeholder) -> assertThat(Module.PARENT.text(rule.formatted(property)))
			.satisfies((regex) -> assertThat(placeholder).doesNotMatch(regex))
			.satisfies((regex) -> assertThat("https://example.com/tierlimit").matches(regex)));
	}

	@Test
	void stepsBeforeTheFirstReleaseNameAllTextsThatThereIsNone() throws IOException {
		Matcher steps = FIRST_RELEASE.matcher(Files.readString(Module.PROJECT.resolve("CONTRIBUTING.md")));
		String named = steps.find() ? steps.group() : "";
		assertThat(textsWithoutARelease()).allSatisfy((name) -> assertThat(named).contains("`" + name + "`"));
	}

	private static List<String> textsWithoutARelease() throws IOException {
		List<String> texts = new ArrayList<>();
		try (Stream<Path> top = Files.list(Module.PROJECT);
				Stream<Path> pages = Files.walk(Module.PROJECT.resolve("docs"))) {
			for (Path file : Stream.concat(top, pages).filter((path) -> path.toString().endsWith(".md")).toList()) {
				String name = Module.PROJECT.relativize(file).toString();
				if (!name.equals("CONTRIBUTING.md") && UNRELEASED.matcher(Files.readString(file)).find()) {
					texts.add(name);
				}
			}
		}
		return texts;
	}

	@Test
	void buildRunsOnTheSupportedVersionsOfJava() throws IOException {
		assertThat(Files.readString(GITHUB.resolve("workflows/build.yml"))).contains("java: [17, 21, 25]");
		assertThat(Module.PARENT.text("/project/properties/java.version")).isEqualTo("17");
	}

	@ParameterizedTest
	@MethodSource("forms")
	void formHasFieldsAndLinksToFilesThatExist(Path file) throws IOException {
		Map<Object, Object> form = read(file);
		assertThat(form).containsKeys("name", "description", "body");
		List<Map<String, Object>> body = list(form.get("body"));
		assertThat(body).extracting((field) -> field.get("type")).isSubsetOf("markdown", "input", "textarea");
		assertThat(body).filteredOn((field) -> !"markdown".equals(field.get("type")))
			.isNotEmpty()
			.allSatisfy((field) -> assertThat(field.get("attributes")).extracting("label").isNotNull())
			.extracting((field) -> field.get("id"))
			.doesNotContainNull()
			.doesNotHaveDuplicates();
		assertThat(FILE.matcher(Files.readString(file)).results().map((link) -> Module.PROJECT.resolve(link.group())))
			.allMatch(Files::exists);
	}

	@Test
	void apiIsComparedWithTheLastRelease() throws IOException {
		String changelog = Files.readString(Module.PROJECT.resolve("CHANGELOG.md"));
		String last = RELEASE.matcher(changelog)
			.results()
			.map((release) -> release.group(1))
			.filter((release) -> !release.equals(Module.version()))
			.findFirst()
			.orElse("none");
		assertThat(Module.PARENT.text("/project/properties/last-release")).as("last-release in pom.xml")
			.isEqualTo(last);
		assertThat(Module.PARENT.text("/project/properties/japicmp.skip")).as("japicmp.skip in pom.xml")
			.isEqualTo(Boolean.toString(last.equals("none")));
	}

	@Test
	void allPackagesOfTheApiAreCompared() throws IOException {
		Set<String> packages = Files
			.readAllLines(Module.PROJECT.resolve("autoconfigure/src/test/resources/public-types.txt"))
			.stream()
			.map((type) -> type.replaceFirst("\\.[A-Z].*", ""))
			.collect(Collectors.toSet());
		packages.addAll(List.of("io.tierlimit.replay", "io.tierlimit.store.test", "io.tierlimit.test"));
		assertThat(Module.PARENT.nodes("//plugin[artifactId='japicmp-maven-plugin']//include")
			.stream()
			.map(Node::getTextContent)).containsExactlyInAnyOrderElementsOf(packages);
	}

	private static String program(String command) {
		return command.split(" ", 2)[0];
	}

	private static void assertCommandExists(String command) {
		String program = program(command);
		if (program.startsWith(".")) {
			assertThat(Module.PROJECT.resolve(program)).isExecutable();
		}
		else if (program.equals("mvn")) {
			Matcher profiles = Pattern.compile("-P(\\S+)").matcher(command);
			assertThat(profiles.find()).isTrue();
			assertThat(Module.PARENT.nodes("/project/profiles/profile/id").stream().map(Node::getTextContent))
				.contains(profiles.group(1).split(","));
		}
		else {
			assertThat(program).isEqualTo("grep");
		}
	}

	private static Map<Object, Object> read(Path file) throws IOException {
		return new Yaml().load(Files.readString(file));
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> values(Object map) {
		return List.copyOf(((Map<String, Map<String, Object>>) map).values());
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> list(Object value) {
		return (List<Map<String, Object>>) value;
	}

}
