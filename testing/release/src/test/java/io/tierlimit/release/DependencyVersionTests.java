package io.tierlimit.release;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Node;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the build does not change the version of a dependency that Spring Boot
 * manages. The goal {@code analyze-dep-mgt} finds versions in modules; these tests find
 * overrides in the parent.
 */
class DependencyVersionTests {

	/** Spring Boot's own version can't be resolved: see the parent POM. */
	private static final Set<String> UNRESOLVABLE = Set.of("spring-graphql.version",
			"org.springframework.boot:spring-boot-graphql");

	private static final Pom SPRING_BOOT = Pom
		.read(Module.PROJECT.resolve("testing/release/target/spring-boot-dependencies.pom"));

	@Test
	void parentAndPropertyAreTheSameSpringBoot() {
		assertThat(Module.PARENT.text("/project/parent/version"))
			.isEqualTo(Module.PARENT.text("/project/properties/spring-boot.version"))
			.isEqualTo(SPRING_BOOT.text("/project/version"));
	}

	@Test
	void noPropertyChangesAVersionOfSpringBoot() {
		Map<String, String> versions = properties(SPRING_BOOT);
		assertThat(versions).containsKey("spring-graphql.version").hasSizeGreaterThan(100);
		assertThat(properties(Module.PARENT).entrySet())
			.filteredOn((property) -> versions.containsKey(property.getKey()))
			.extracting(Map.Entry::getKey)
			.isSubsetOf(UNRESOLVABLE);
	}

	@Test
	void noManagedDependencyIsManagedBySpringBoot() {
		Set<String> managed = SPRING_BOOT.managedDependencies()
			.stream()
			.map(Pom.Dependency::name)
			.collect(Collectors.toSet());
		assertThat(managed).contains("org.springframework.boot:spring-boot-graphql").hasSizeGreaterThan(100);
		assertThat(Module.PARENT.managedDependencies()).extracting(Pom.Dependency::name)
			.filteredOn(managed::contains)
			.isSubsetOf(UNRESOLVABLE);
	}

	private static Map<String, String> properties(Pom pom) {
		return pom.nodes("/project/properties/*")
			.stream()
			.collect(Collectors.toMap(Node::getNodeName, (property) -> property.getTextContent().trim()));
	}

}
