package io.tierlimit;

import java.util.List;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
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
	void testThatStartsSomethingHasATag() {
		JavaClasses tests = new ClassFileImporter().withImportOption(new ImportOption.OnlyIncludeTests())
			.importPackages("io.tierlimit");
		ArchRuleDefinition.noClasses()
			.that()
			.haveSimpleNameEndingWith("Tests")
			.and(DescribedPredicate.describe("have no tag", (type) -> !isTagged(type)))
			.should()
			.transitivelyDependOnClassesThat(DescribedPredicate.describe("start a process, a server or an application",
					(type) -> STARTED.stream().anyMatch((started) -> type.isEquivalentTo(started))))
			.check(tests);
	}

	private static boolean isTagged(JavaClass type) {
		return type.isAnnotatedWith(Tag.class) || type.getRawSuperclass().filter(TestTagTests::isTagged).isPresent();
	}

}
