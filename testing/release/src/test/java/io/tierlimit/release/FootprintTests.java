package io.tierlimit.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Tests the number and the size of the jars that the starter adds to a web application:
 * the README has the same number of jars, and their size within 5%.
 */
class FootprintTests {

	private static final Path TREE = Path.of("target/dependencies.json");

	private static final Pattern DOCUMENTED = Pattern.compile("adds (\\d+) jars with ([\\d,]+) kB");

	/** Names and versions of artifacts, by the artifact that depends on them. */
	private final Map<String, Set<String>> dependencies = new HashMap<>();

	@Test
	void readmeHasWhatTheStarterAddsToAWebApplication() throws IOException {
		collect(JsonMapper.shared().readTree(TREE.toFile()));
		Set<String> added = reachable("tierlimit-spring-boot-starter");
		added.removeAll(reachable("spring-boot-starter-webmvc"));
		long size = 0;
		for (String artifact : added) {
			size += Files.size(jar(artifact));
		}
		System.out.printf("The starter adds %d jars with %,d kB to a web application: %s%n", added.size(), size / 1000,
				added);
		Matcher documented = DOCUMENTED
			.matcher(Files.readString(Module.PROJECT.resolve("README.md")).replaceAll("\\s+", " "));
		assertThat(documented.find()).as("the footprint in README.md").isTrue();
		assertThat(added).hasSize(Integer.parseInt(documented.group(1)));
		long documentedSize = 1000 * Long.parseLong(documented.group(2).replace(",", ""));
		assertThat(size).isCloseTo(documentedSize, within(documentedSize / 20));
	}

	/**
	 * The tree lists the dependencies of an artifact once, and only the name of the
	 * artifact elsewhere.
	 */
	private void collect(JsonNode node) {
		for (JsonNode child : node.path("children")) {
			this.dependencies.computeIfAbsent(artifact(node), (name) -> new HashSet<>()).add(artifact(child));
			collect(child);
		}
	}

	private Set<String> reachable(String artifactId) {
		String root = this.dependencies.keySet()
			.stream()
			.filter((artifact) -> artifact.startsWith(artifactId + "-"))
			.findFirst()
			.orElseThrow();
		Set<String> reached = new HashSet<>(Set.of(root));
		for (List<String> next = List.of(root); !next.isEmpty();) {
			next = next.stream()
				.flatMap((artifact) -> this.dependencies.getOrDefault(artifact, Set.of()).stream())
				.filter(reached::add)
				.toList();
		}
		return reached;
	}

	private static String artifact(JsonNode node) {
		return node.path("artifactId").asString() + "-" + node.path("version").asString();
	}

	private static Path jar(String artifact) {
		return Stream.of(System.getProperty("java.class.path").split(":"))
			.map(Path::of)
			.filter((path) -> path.getFileName().toString().equals(artifact + ".jar"))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException(artifact + " is not on the class path"));
	}

}
