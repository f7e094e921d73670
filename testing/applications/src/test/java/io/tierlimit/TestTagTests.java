package io.tierlimit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import io.tierlimit.application.RunningApplication;
import io.tierlimit.database.TestDatabase;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisSentinels;
import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Checks that tests without a tag start nothing, so that {@code mvn test} is fast.
 */
@Tag("conventions")
class TestTagTests {

	private static final List<Class<?>> STARTED = List.of(ProcessBuilder.class, RedisCluster.class,
			RedisSentinels.class, RedisServer.class, RunningApplication.class, TestDatabase.class);

	@Test
	void testThatStartsSomethingHasATag() throws IOException {
		JavaClasses tests = new ClassFileImporter().importPaths(testClasses());
		ArchRuleDefinition.noClasses()
			.that()
			.haveSimpleNameEndingWith("Tests")
			.and(DescribedPredicate.describe("have no tag", (type) -> !isTagged(type)))
			.should()
			.transitivelyDependOnClassesThat(DescribedPredicate.describe("start a process, a server or an application",
					(type) -> STARTED.stream().anyMatch((started) -> type.isEquivalentTo(started))))
			.check(tests);
	}

	/** The compiled tests of the libraries, the auto-configuration and this module. */
	private static List<Path> testClasses() throws IOException {
		try (Stream<Path> modules = Files.list(Path.of("../../libraries"))) {
			return Stream.concat(modules, Stream.of(Path.of("../../autoconfigure"), Path.of("")))
				.map((module) -> module.resolve("target/test-classes"))
				.filter(Files::isDirectory)
				.toList();
		}
	}

	private static boolean isTagged(JavaClass type) {
		return type.isAnnotatedWith(Tag.class) || type.getRawSuperclass().filter(TestTagTests::isTagged).isPresent();
	}

}
