package io.tierlimit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The boundary of the public API: {@code public-types.txt} lists every public type
 * outside of internal packages, and none of them exposes an internal type.
 */
@Tag("conventions")
class PublicApiTests {

	private static final List<Path> SOURCES = MainSources.files();

	private static final Path LIST = Path.of("src/test/resources/public-types.txt");

	@Test
	void publicTypesAreTheTypesOfTheList() throws IOException {
		assertThat(publicTypes()).as("A new public type outside of internal packages is a decision: " + LIST)
			.containsExactlyElementsOf(Files.readAllLines(LIST));
	}

	@Test
	void publicTypesExposeNoInternalType() {
		Set<String> allowed = publicTypes();
		Set<String> exposed = new TreeSet<>();
		for (JavaClass type : ArchitectureTests.CLASSES) {
			if (allowed.contains(type.getName()) && !isAutoConfiguration(type)) {
				signatures(type).flatMap((signature) -> signature.getAllInvolvedRawTypes().stream())
					.map(JavaClass::getBaseComponentType)
					.filter((other) -> other.getPackageName().startsWith("io.tierlimit"))
					.filter((other) -> isInternal(other.getPackageName()))
					.forEach((other) -> exposed.add(type.getName() + " exposes " + other.getName()));
			}
		}
		assertThat(exposed).isEmpty();
	}

	/**
	 * Groups of properties are excluded, because Spring Boot binds each of them by one
	 * constructor.
	 */
	@Test
	void publicConstructorsHaveFewParameters() {
		assertThat(ArchitectureTests.CLASSES.stream()
			.filter(PublicApiTests::isPublic)
			.filter((type) -> !type.getPackageName().equals("io.tierlimit.autoconfigure.properties"))
			.flatMap((type) -> type.getConstructors().stream())
			.filter((constructor) -> constructor.getModifiers().contains(JavaModifier.PUBLIC))
			.filter((constructor) -> constructor.getRawParameterTypes().size() >= 10)
			.map(JavaConstructor::getFullName)).isEmpty();
	}

	private static Set<String> publicTypes() {
		return ArchitectureTests.CLASSES.stream()
			.filter((type) -> !isInternal(type.getPackageName()) && isPublic(type))
			.map(JavaClass::getName)
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static boolean isPublic(JavaClass type) {
		return type.getModifiers().contains(JavaModifier.PUBLIC)
				&& type.getEnclosingClass().map(PublicApiTests::isPublic).orElse(true);
	}

	/** A package is internal if its documentation begins with this word. */
	private static boolean isInternal(String name) {
		Path documentation = Path.of(name.replace('.', '/'), "package-info.java");
		try {
			for (Path file : SOURCES) {
				if (file.endsWith(documentation)) {
					return Files.readString(file).startsWith("/**\n * Internal: ");
				}
			}
			throw new IllegalStateException("No " + documentation);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean isAutoConfiguration(JavaClass type) {
		return type.getPackageName().equals("io.tierlimit.autoconfigure");
	}

	/** The types that are visible in the signatures of a type. */
	private static Stream<JavaType> signatures(JavaClass type) {
		Stream<JavaType> codeUnits = type.getCodeUnits()
			.stream()
			.filter(PublicApiTests::isVisible)
			.flatMap((unit) -> Stream.concat(Stream.of(unit.getReturnType()), unit.getParameterTypes().stream()));
		Stream<JavaType> fields = type.getFields()
			.stream()
			.filter((field) -> field.getModifiers().contains(JavaModifier.PUBLIC))
			.map((field) -> field.getType());
		Stream<JavaType> supertypes = Stream.concat(type.getInterfaces().stream(), type.getSuperclass().stream());
		return Stream.of(codeUnits, fields, supertypes).flatMap((signature) -> signature);
	}

	private static boolean isVisible(JavaCodeUnit unit) {
		return unit.getModifiers().contains(JavaModifier.PUBLIC)
				|| unit.getModifiers().contains(JavaModifier.PROTECTED);
	}

}
