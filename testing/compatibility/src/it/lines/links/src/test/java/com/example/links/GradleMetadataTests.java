package com.example.links;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the files that Gradle reads: the POM and the jar. Gradle uses the higher of two
 * versions of a dependency, even if a platform has the lower version. A version of Spring
 * Boot in a POM would therefore replace an older version of Spring Boot in an
 * application.
 */
class GradleMetadataTests {

	private static final Path REPOSITORY = Path.of(System.getProperty("local.repository"), "io", "tierlimit");

	private static final String VERSION = System.getProperty("tierlimit.version");

	@ParameterizedTest
	@ValueSource(strings = { "tierlimit-spring-boot-autoconfigure", "tierlimit-spring-boot-starter",
			"tierlimit-spring-boot-test" })
	void artifactBringsNoVersionOfSpring(String artifact) throws Exception {
		Document pom = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file(artifact, ".pom").toFile());
		assertThat(pom.getElementsByTagName("parent").getLength()).isZero();
		List<String> brought = new ArrayList<>();
		NodeList dependencies = pom.getElementsByTagName("dependency");
		for (int i = 0; i < dependencies.getLength(); i++) {
			Element dependency = (Element) dependencies.item(i);
			if (!text(dependency, "optional").equals("true")
					&& List.of("", "compile", "runtime").contains(text(dependency, "scope"))) {
				brought.add(text(dependency, "groupId"));
			}
		}
		assertThat(brought).isNotEmpty()
			.allMatch(List.of("io.tierlimit", "org.jspecify", "io.github.resilience4j")::contains);
	}

	@Test
	void jarHasMetadataAndNoAnnotationProcessor() throws Exception {
		try (JarFile jar = new JarFile(file("tierlimit-spring-boot-autoconfigure", ".jar").toFile())) {
			assertThat(jar.stream().map(Object::toString)).contains("META-INF/spring-configuration-metadata.json",
					"META-INF/spring-autoconfigure-metadata.properties",
					"META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports")
				.doesNotContain("META-INF/services/javax.annotation.processing.Processor");
		}
	}

	private static Path file(String artifact, String extension) {
		return REPOSITORY.resolve(artifact).resolve(VERSION).resolve(artifact + "-" + VERSION + extension);
	}

	private static String text(Element dependency, String name) {
		Node node = dependency.getElementsByTagName(name).item(0);
		return (node != null) ? node.getTextContent().trim() : "";
	}

}
