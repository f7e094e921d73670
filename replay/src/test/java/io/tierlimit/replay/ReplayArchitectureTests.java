package io.tierlimit.replay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the packages that this module uses with docs/contributing/architecture.md, and
 * its API with a list.
 */
@Tag("conventions")
class ReplayArchitectureTests {

	private static final Path ARCHITECTURE = Path.of("../docs/contributing/architecture.md");

	private static final Pattern USED = Pattern.compile("It uses the root, (.*?)\\. No other module uses it");

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("io.tierlimit.replay");

	@Test
	void packagesThatAreUsedAreDocumented() throws IOException {
		List<String> used = CLASSES.stream()
			.flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
			.map((dependency) -> dependency.getTargetClass().getPackageName())
			.filter((name) -> name.startsWith("io.tierlimit.") && !name.equals("io.tierlimit.replay"))
			.map((name) -> "`" + name.substring("io.tierlimit.".length()) + "`")
			.distinct()
			.toList();
		assertThat(USED.matcher(Files.readString(ARCHITECTURE.toRealPath())).results()).singleElement()
			.satisfies(
					(match) -> assertThat(match.group(1).split(", | and ")).containsExactlyInAnyOrderElementsOf(used));
	}

	@Test
	void publicTypesAreTheApi() {
		assertThat(CLASSES.stream()
			.filter((type) -> type.getModifiers().contains(JavaModifier.PUBLIC) && type.isTopLevelClass())
			.map(JavaClass::getSimpleName)).containsExactlyInAnyOrder("AccessLog", "LogFields", "LoggedRequest",
					"Replay", "ReplayOptions", "ReplayReport", "SkippedRule");
	}

}
