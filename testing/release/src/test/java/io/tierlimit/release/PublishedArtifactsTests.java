package io.tierlimit.release;

import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests that the published artifacts meet the requirements of Maven Central, and have no
 * needless dependencies. Maven has packaged all artifacts before these tests run.
 */
class PublishedArtifactsTests {

	private static final String HOME = Module.PARENT.text("/project/properties/home.url");

	private static final Set<String> BROUGHT = Set.of("io.github.resilience4j:resilience4j-circuitbreaker",
			"org.jspecify:jspecify");

	static List<Module> published() {
		return Module.published();
	}

	static List<Module> jars() {
		return published().stream().filter(Module::isJar).toList();
	}

	@Test
	void theseModulesArePublished() {
		assertThat(published()).extracting(Module::artifactId)
			.containsExactlyInAnyOrder("tierlimit-bom", "tierlimit-buckets", "tierlimit-buckets-test",
					"tierlimit-redis", "tierlimit-core", "tierlimit-jdbc", "tierlimit-web", "tierlimit-actuator",
					"tierlimit-spring-boot-autoconfigure", "tierlimit-spring-boot-starter",
					"tierlimit-spring-boot-test", "tierlimit-replay");
	}

	@ParameterizedTest
	@MethodSource("published")
	void pomHasWhatMavenCentralRequires(Module module) {
		Pom pom = module.pom();
		assertThat(pom.text("/project/groupId")).isEqualTo("io.tierlimit");
		assertThat(pom.text("/project/artifactId")).isEqualTo(module.artifactId());
		assertThat(pom.text("/project/version")).isEqualTo(Module.version());
		assertThat(pom.text("/project/name")).startsWith("Tierlimit ");
		assertThat(pom.text("/project/description")).hasSizeGreaterThan(20).endsWith(".");
		assertThat(pom.text("/project/url")).isEqualTo(HOME);
		assertThat(pom.text("/project/licenses/license/name")).isEqualTo("Apache License, Version 2.0");
		assertThat(pom.text("/project/licenses/license/url")).startsWith("https://www.apache.org/licenses/");
		assertThat(pom.text("/project/developers/developer/name")).isNotEmpty();
		assertThat(pom.text("/project/scm/url")).isEqualTo(HOME);
		assertThat(pom.text("/project/scm/connection")).isEqualTo("scm:git:" + HOME + ".git");
		assertThat(pom.text("/project/scm/developerConnection")).isEqualTo("scm:git:" + HOME + ".git");
	}

	@ParameterizedTest
	@MethodSource("published")
	void pomInheritsNothingAndNeedsNoOtherRepository(Module module) throws IOException {
		Pom pom = module.pom();
		assertThat(pom.nodes("/project/*").stream().map((node) -> node.getNodeName())).doesNotContain("parent",
				"repositories", "pluginRepositories", "build", "profiles", "properties", "modules");
		assertThat(Files.readString(module.target(".flattened-pom.xml"))).doesNotContain("${");
		assertThat(pom.dependencies()).allSatisfy((dependency) -> assertThat(dependency.version()).isNotEmpty());
	}

	@ParameterizedTest
	@MethodSource("published")
	void pomBringsNoVersionOfSpringBoot(Module module) {
		assertThat(module.pom().dependencies()).filteredOn(Pom.Dependency::isBrought)
			.extracting(Pom.Dependency::name)
			.filteredOn((name) -> !name.startsWith("io.tierlimit:"))
			.allSatisfy((name) -> assertThat(BROUGHT).contains(name));
	}

	@Test
	void releaseHasNoSnapshots() {
		if (!Module.version().endsWith("-SNAPSHOT")) {
			assertThat(published()).flatExtracting((module) -> module.pom().dependencies())
				.extracting(Pom.Dependency::version)
				.noneMatch((version) -> version.endsWith("-SNAPSHOT"));
		}
	}

	@Test
	void bomHasAllOtherPublishedArtifacts() {
		Pom bom = published().stream().filter((module) -> !module.isJar()).findFirst().orElseThrow().pom();
		assertThat(bom.managedDependencies()).extracting(Pom.Dependency::artifactId)
			.containsExactlyInAnyOrderElementsOf(jars().stream().map(Module::artifactId).toList());
		assertThat(bom.managedDependencies()).extracting(Pom.Dependency::version).containsOnly(Module.version());
	}

	@ParameterizedTest
	@MethodSource("jars")
	void jarHasTheLicenseAndItsOwnPom(Module module) throws IOException {
		String license = Files.readString(Module.PROJECT.resolve("LICENSE"));
		try (ZipFile jar = new ZipFile(module.jar().toFile())) {
			assertThat(text(jar, "META-INF/LICENSE")).isEqualTo(license);
			assertThat(text(jar, "META-INF/maven/io.tierlimit/" + module.artifactId() + "/pom.xml"))
				.isEqualTo(Files.readString(module.target(".flattened-pom.xml")));
		}
	}

	@Test
	void jarsAreAutomaticModulesWithStableNames() {
		Path[] jars = jars().stream().map(Module::jar).toArray(Path[]::new);
		Set<ModuleReference> modules = ModuleFinder.of(jars).findAll();
		assertThat(modules).allSatisfy((module) -> assertThat(module.descriptor().isAutomatic()).isTrue());
		assertThat(modules).extracting((module) -> module.descriptor().name())
			.containsExactlyInAnyOrder("io.tierlimit.buckets", "io.tierlimit.buckets.test", "io.tierlimit.redis",
					"io.tierlimit.core", "io.tierlimit.jdbc", "io.tierlimit.web", "io.tierlimit.actuator",
					"io.tierlimit.autoconfigure", "io.tierlimit.starter", "io.tierlimit.test", "io.tierlimit.replay");
	}

	/** Modules of Java cannot share a package. */
	@Test
	void noPackageIsInTwoJars() throws IOException {
		List<String> packages = new ArrayList<>();
		for (Module module : jars()) {
			packages.addAll(names(module.jar()).stream()
				.filter((name) -> name.endsWith(".class"))
				.map((name) -> name.substring(0, name.lastIndexOf('/')))
				.collect(Collectors.toSet()));
		}
		assertThat(packages).hasSizeGreaterThan(50).doesNotHaveDuplicates();
	}

	@ParameterizedTest
	@MethodSource("jars")
	void sourcesHaveEachClass(Module module) throws IOException {
		Set<String> sources = names(module.jar("-sources"));
		assertThat(sources).anyMatch((name) -> name.endsWith(".java"));
		Set<String> classes = names(module.jar()).stream()
			.filter((name) -> name.endsWith(".class"))
			.map((name) -> name.replaceFirst("(\\$.*)?\\.class$", ".java"))
			.collect(Collectors.toSet());
		assertThat(sources).containsAll(classes);
	}

	@ParameterizedTest
	@MethodSource("jars")
	void javadocHasThePublicTypes(Module module) throws IOException {
		Set<String> pages = names(module.jar("-javadoc"));
		if (Files.exists(module.directory().resolve("src/main/javadoc"))) {
			assertThat(pages).contains("README.txt");
		}
		else {
			assertThat(pages).contains("index.html");
			Set<String> api = new HashSet<>();
			try (Stream<Path> files = Files.walk(module.directory().resolve("src/main/java"))) {
				for (Path file : files.filter((path) -> path.toString().endsWith(".java")).toList()) {
					String name = file.getFileName().toString().replace(".java", "");
					if (Files.readString(file).matches("(?s).*\npublic [^(=]*\\b" + name + "\\b.*")) {
						String path = module.directory().resolve("src/main/java").relativize(file).toString();
						api.add(path.replace(".java", ".html"));
					}
				}
			}
			assertThat(api).isNotEmpty();
			assertThat(pages).containsAll(api);
		}
	}

	@ParameterizedTest
	@MethodSource("published")
	void billOfMaterialsNamesTheModuleAndWhatItBrings(Module module) {
		assertThatNoException().isThrownBy(() -> module.target("bom.xml").toRealPath());
		JsonNode materials = JsonMapper.shared().readTree(module.target("bom.json").toFile());
		assertThat(materials.path("bomFormat").asString()).isEqualTo("CycloneDX");
		assertThat(materials.path("metadata").path("component").path("purl").asString())
			.startsWith("pkg:maven/io.tierlimit/" + module.artifactId() + "@" + Module.version());
		Set<String> components = materials.path("components")
			.valueStream()
			.map((component) -> component.path("group").asString() + ":" + component.path("name").asString())
			.collect(Collectors.toSet());
		assertThat(components).containsAll(module.pom()
			.dependencies()
			.stream()
			.filter(Pom.Dependency::isBrought)
			.map(Pom.Dependency::name)
			.toList());
	}

	private static Set<String> names(Path jar) throws IOException {
		try (ZipFile file = new ZipFile(jar.toFile())) {
			return file.stream().map(ZipEntry::getName).collect(Collectors.toSet());
		}
	}

	private static String text(ZipFile jar, String name) throws IOException {
		ZipEntry entry = jar.getEntry(name);
		assertThat(entry).as(name).isNotNull();
		return new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
	}

}
